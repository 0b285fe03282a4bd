"""States of models: the script of a world goes as far as its run does."""

from __future__ import annotations

from optimizer.ir.text import parse
from validator.prove.judge import validate
from validator.verdict import Options, Refuted

BEFORE = "[i0]\ni1 = escape_i(i0)\nescape_n(i1)\ni2 = escape_i(i1)\ni3 = escape_i(i2)\nfinish(i3)\n"
RARELY_WRONG = "i8 = int_eq(i1, 123456789)\ni9 = int_add(i1, i8)\nescape_n(i9)"


def test_events_behind_the_one_that_differs_give_nothing() -> None:
    wrong = BEFORE.replace("escape_n(i1)", RARELY_WRONG)
    verdict = validate(parse(BEFORE), parse(wrong), Options(simplify=False))
    assert isinstance(verdict, Refuted)
    world = verdict.counterexample.state.world
    assert (world.stops_at, world.results) == (1, (123456789,))
