"""Which guards of the optimized trace stand for which of the recorded one."""

from __future__ import annotations

from optimizer.ir.text import parse
from optimizer.ir.trace_layout import layout_of
from validator import Options
from validator.align import Alignment, given_origins
from validator.pairing import encode_pair

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
