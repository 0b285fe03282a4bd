"""Strings in the validator: pairs that are right, pairs that are not, and random ones against all small states."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import islice
from random import Random

import pytest
from certificates import is_checked
from reference_strings import DECLARATIONS, random_trace, small_states
from string_pairs import PROVED, WRONG

from optimizer.ir.faults import InputError
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator import Options, Proved, Refuted, Unknown, validate
from validator.search.replay import Replay


@pytest.mark.parametrize(("before", "after"), PROVED.values(), ids=PROVED)
def test_what_is_right_is_proved(before: str, after: str) -> None:
    assert isinstance(validate(parse(before), parse(after)), Proved)


@pytest.mark.parametrize(("before", "after"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_refuted(before: str, after: str) -> None:
    verdict = validate(parse(before), parse(after))
    assert isinstance(verdict, Refuted), verdict


@pytest.mark.parametrize(("before", "after"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_never_checked(before: str, after: str) -> None:
    assert not is_checked(parse(before), parse(after))


@pytest.mark.usefixtures("no_samples")
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_not_proved_without_samples(name: str) -> None:
    assert not isinstance(validate(*map(parse, WRONG[name])), Proved)


@pytest.mark.parametrize("pair", [*PROVED.values(), *WRONG.values()], ids=[*PROVED, *WRONG])
def test_every_trace_refines_itself(pair: tuple[str, str]) -> None:
    for text in pair:
        assert isinstance(validate(parse(text), parse(text)), Proved)


# Random pairs.


def mutated(text: str, random: Random) -> str:
    """Another trace that is much like it."""
    header, *body, end = text.split("\n")
    at = random.randrange(len(body))
    match random.randrange(4):
        case 0:
            del body[at]
        case 1 if at:
            body[at - 1], body[at] = body[at], body[at - 1]
        case 2:
            body[at] = body[at].replace("0", random.choice(("1", "2")), 1)
        case _:
            body[at] = body[at].replace(*random.choice([("p0", "p1"), ("p1", "p0"), ("i0", "i1"), ("1", "0")]))
    return "\n".join([header, *body, end])


@cache
def random_pairs(count: int, calls: bool) -> list[tuple[int, Trace, Trace]]:
    found, declarations = [], DECLARATIONS if calls else ""
    for seed in range(count):
        random = Random(seed)
        text = random_trace(random, 9, calls=calls)
        try:
            found.append((seed, parse(declarations + text), parse(declarations + mutated(text, random))))
        except InputError:
            continue
    return found


@pytest.mark.parametrize("calls", [False, True])
def test_nothing_is_proved_that_a_small_state_refutes(calls: bool) -> None:
    said: Counter[str] = Counter()
    for seed, before, after in random_pairs(60, calls):
        verdict = validate(before, after)
        said[type(verdict).__name__] += 1
        assert isinstance(verdict, Proved | Refuted | Unknown), (seed, verdict)
        if not isinstance(verdict, Proved):
            continue
        layout = layout_of(before, after)
        replay = Replay(before, after, Options(), layout)
        kind = "unicode" if "unicode" in str(before.ops) else "str"
        for state in islice(small_states(layout, kind), seed % 3, None, 3):
            assert replay.counterexample(state, ()) is None, (seed, state)
    assert said["Proved"] >= 8
    assert said["Refuted"] >= 8
    assert said["Unknown"] <= 2


@pytest.mark.parametrize(
    "load", ['getarrayitem_gc_i("abc", 0, descr=Others)', 'getinteriorfield_gc_i("abc", 0, descr=o)']
)
def test_other_memory_of_a_constant_string_is_not_its_text(load: str) -> None:
    before, after = f"[p0]\ni1 = {load}\nfinish(i1)", "[p0]\nfinish(97)"
    assert isinstance(validate(parse(before), parse(after)), Refuted)
