"""One query for all obligations says what one query for each says."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from test_soundness import small_trace

from fuzz.selftest.random_edits import edit
from optimizer.ir.types.trace_layout import layout_of
from validator import Options
from validator.prove.align import Alignment, given_origins
from validator.prove.cheap_rungs import CheapRungs
from validator.prove.discharge import Budget, Discharger, Holds
from validator.prove.facts.facts import Facts
from validator.prove.obligations import Pair, Place
from validator.prove.pairing import encode_pair
from validator.solvers.answers import GaveUp, Unsat


def test_all_at_once_holds_where_each_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CheapRungs, "settle", lambda *_: None)
    monkeypatch.setattr(Facts, "rebuild", lambda _, term: term)
    random = Random(11)
    seen: Counter[tuple[bool, bool]] = Counter()
    while sum(seen.values()) < 60:
        before = small_trace(random)
        if before is None:
            continue
        after = edit(before, random)
        pair = encode_pair(before, after, layout_of(before, after), Options())
        origins = Alignment(pair.before, pair.after, given_origins(before, after)).best()
        if origins is None:
            continue
        everything = [obligation for obligation, _ in pair.obligations(origins)]
        chosen = everything[random.randrange(len(everything)) :] if everything else []
        if not chosen:
            continue
        answer = _discharger(pair).together(chosen)
        assert not isinstance(answer, GaveUp)
        each = [_discharger(pair).settle(obligation) for obligation in chosen]
        assert isinstance(answer, Unsat) == all(isinstance(one, Holds) for one in each), (before, after, origins)
        seen[isinstance(answer, Unsat), len(chosen) > 1] += 1
    assert min(seen[True, True], seen[False, True]) > 12, seen


def _discharger(pair: Pair) -> Discharger:
    return Discharger(pair, Budget(10_000_000, 60.0, lambda: 0.0))


def test_places_in_the_order_of_what_has_happened() -> None:
    assert Place(1, 2, 3).is_ahead_of(Place(1, 2, 3))
    assert Place(1, 2, 3).is_ahead_of(Place(1, 2, None))
    assert not Place(1, 2, None).is_ahead_of(Place(1, 2, 3))
    assert not Place(2, 2, 3).is_ahead_of(Place(1, 5, 5))
    assert not Place(1, 3, 3).is_ahead_of(Place(1, 2, 5))
    assert not Place(1, 2, 4).is_ahead_of(Place(2, 3, 3))
