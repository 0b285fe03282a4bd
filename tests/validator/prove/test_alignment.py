"""Which guards of the optimized trace stand for which of the recorded one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from random import Random

import pytest

from optimizer.ir.faults import Unsupported
from optimizer.ir.text import parse
from optimizer.ir.types.trace_layout import layout_of
from validator import Options
from validator.prove import align
from validator.prove.align import Alignment, given_origins
from validator.prove.pairing import encode_pair

GUARDS = "[i0, i1]\nguard_true(i0) []\nguard_true(i1) []\nguard_true(i0) []\njump(i0, i1)\n"


def alignment() -> Alignment:
    before, after = parse(GUARDS), parse(GUARDS)
    pair = encode_pair(before, after, layout_of(before, after), Options())
    return Alignment(pair.before, pair.after, given_origins(before, after))


def test_the_best_assignment_is_searched_when_something_was_learned() -> None:
    origins = alignment()
    best = origins.best()
    assert best == [0, 1, 2]
    assert origins.best() is best
    origins.exclude(1, {1})
    assert (origins.best() or best)[1] != 1
    origins.give_up()
    assert origins.best() is None


def test_another_assignment_is_the_best_where_one_was_not_settled() -> None:
    origins = alignment()
    assert origins.best() == [0, 1, 2]
    origins.discourage(2, 2)
    assert (origins.best() or [2])[-1] != 2


def guards(conditions: list[int]) -> str:
    inputs = ", ".join(f"i{k}" for k in range(1001))
    lines = "".join(f"guard_true(i{k}) [i{k}]\n" for k in conditions)
    return f"[{inputs}]\n{lines}jump()\n"


def search(before: str, after: str) -> Alignment:
    one, two = parse(before), parse(after)
    pair = encode_pair(one, two, layout_of(one, two), Options())
    return Alignment(pair.before, pair.after, given_origins(one, two))


def steps(before: str, after: str) -> int:
    found = search(before, after)
    assert found.best() is not None
    return align._LARGEST_SEARCH - found._steps_left


def test_the_search_is_linear_where_guards_correspond_in_order() -> None:
    whole = list(range(1000))
    assert steps(guards(whole), guards(whole)) < 3000
    assert steps(guards(whole), guards(whole[::2])) < 4000
    assert steps(guards(whole), guards(whole[:500])) < 4000
    assert steps(guards(whole[10:]), guards([1000, *whole[:10], *whole[20:]])) < 10_000


def test_the_search_is_linear_where_all_lists_are_other_ones() -> None:
    whole = list(range(1000))
    longer = guards(whole).replace(") [", ") [i0, ")
    assert steps(guards(whole), longer) < 3000
    assert steps(longer, guards(whole[::2])) < 4000


def test_a_search_that_takes_too_long_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "_LARGEST_SEARCH", 500)
    whole = list(range(100))
    with pytest.raises(Unsupported, match="100 guards without origins, which are not in an order that is easy to see"):
        search(guards(whole), guards(whole[50:] + whole[:50])).best()


def test_all_searches_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "_LARGEST_SEARCH", 500)
    whole = list(range(100))
    found = search(guards(whole), guards(whole))
    found.best()
    found.discourage(0, 0)
    found.best()
    found.discourage(1, 1)
    with pytest.raises(Unsupported):
        found.best()


def cost(found: Alignment, way: Sequence[int | None]) -> int:
    row = total = 0
    for j, k in enumerate([*way, len(found._before)]):
        assert k is not None
        total += sum(found._left(passed, j) for passed in range(row, k))
        total += found._assigning(j, k) if j < len(way) else 0
        row = k
    return total


def test_the_best_assignment_is_a_cheapest_one() -> None:
    random = Random(3)
    for _ in range(300):
        before, after = ([random.randrange(4) for _ in range(random.randrange(1, 5))] for _ in range(2))
        found = search(trace_of(before), trace_of(after, random.choice(["", "i2, ", "i2, i3, "])))
        for _ in range(3):
            ways = [
                way
                for way in combinations_with_replacement(range(len(before)), len(after))
                if all(found._allows(j, k) for j, k in enumerate(way))
            ]
            best = found.best()
            assert (best is None) == (not ways)
            if best is None:
                break
            assert tuple(best) in ways
            assert cost(found, best) == min(cost(found, way) for way in ways)
            j = random.randrange(len(after))
            if random.random() < 0.5:
                found.exclude(j, {best[j]})
            else:
                found.discourage(j, best[j] or 0)


def trace_of(conditions: list[int], more: str = "") -> str:
    """A trace of guards on these inputs, some of which hand over `more`."""
    lines = "".join(f"guard_true(i{k}) [{more if k % 3 else ''}i{k % 2}]\n" for k in conditions)
    return f"[i0, i1, i2, i3]\n{lines}jump(i0, i1, i2, i3)\n"


def test_guards_are_kept_to_the_events_that_they_stand_behind() -> None:
    before = "[i0, i1]\nguard_true(i0) []\nescape_n(1)\nguard_true(i1) []\nguard_true(i0) []\nescape_n(2)\nfinish()\n"
    after = "[i0, i1]\nescape_n(1)\nguard_true(i0) []\nescape_n(2)\nfinish()\n"
    assert list(search(before, after).allowed(0)) == [1, 2]
    assert list(search(before, after.replace("escape_n(1)\n", "")).allowed(0)) == [0]
    assert list(search(before, after.replace("escape_n(1)\n", "escape_n(1)\n" * 2)).allowed(0)) == [0, 1, 2]
