"""Loops that go round on their example."""

from __future__ import annotations

from fuzz.draw.generator import generate_for
from fuzz.draw.round import goes_round, going_round
from fuzz.draw.vocabulary import Vocabulary
from optimizer.ir.loops import goes_back
from optimizer.ir.text import format_trace, parse
from validator.search.counterexample import State


def test_most_loops_have_a_second_iteration() -> None:
    drawn = [generate_for(seed, Vocabulary(loops=True)) for seed in range(150)]
    assert all(goes_back(one.trace) for one in drawn)
    assert sum(goes_round(one.trace, one.state) for one in drawn) > 130


def test_as_many_inputs_as_it_takes_are_handed_on_as_they_are() -> None:
    body = "i3 = int_lt(i0, 5)\nguard_true(i3) []\ni4 = int_add(i0, 9)\ni5 = int_add(i1, 1)\n"
    loop = parse(f"[i0, i1]\n{body}jump(i4, i5)\n")
    assert format_trace(going_round(loop, State((0, 0)))) == format_trace(parse(f"[i0, i1]\n{body}jump(i0, i5)\n"))
    never = parse("[i0, i1]\nescape_n(i0)\njump(i1, i0)\n")
    assert going_round(never, State((0, 0))) == never
