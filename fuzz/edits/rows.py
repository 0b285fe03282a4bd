"""Rows of the operation table that can stand for each other."""

from __future__ import annotations

from functools import cache

from fuzz.draw.rows import rows
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rows.ops import OPS, Kind, Op, Type


@cache
def alike(row: Op, word: int) -> tuple[Op, ...]:
    """The other rows that take and give the same, so that one can stand in the place of `row`."""
    return tuple(
        other
        for other in OPS.values()
        if other is not row and other.has_meaning and other.min_word <= word and _signature(other) == _signature(row)
    )


def _signature(row: Op) -> tuple[object, ...]:
    memory = row.memory
    on_heap = memory and (
        memory.descr,
        memory.class_arg,
        memory.loads,
        memory.stores,
        memory.happens is None,
        memory.on,
    )
    is_called = memory and (memory.role, memory.inert, memory.function)
    takes = (row.args, row.constant_args, row.reads_flag, row.same_type, row.raw)
    return (row.kind, row.result, row.overflows is None, row.in_exit_block, takes, on_heap, is_called)


RANKS = {row: number + len(OPS) * row.jumps for number, row in enumerate(OPS.values())}
"""Rows in front of the table are simpler; finishing is simpler than jumping."""


@cache
def simpler_rows(row: Op) -> tuple[Op, ...]:
    """Rows of the table that may stand in its place, simplest first; an event may give nothing."""
    given = (row.result, Type.VOID) if row.kind is Kind.EVENT else (row.result,)

    def takes(row: Op) -> tuple[object, ...]:
        return row.kind, row.args, row.raw, row.reads_flag, row.overflows is None

    simpler = (other for other in OPS.values() if RANKS[other] < RANKS[row] and takes(other) == takes(row))
    return tuple(other for other in simpler if other.has_meaning and other.result in given)


@cache
def with_flag(row: Op) -> Op | None:
    """The row that computes the same and tells of overflow."""
    return next((other for other in OPS.values() if other.wrapping == row.name), None)


@cache
def negations(word: int) -> tuple[Op, ...]:
    """Rows of one argument that turn 0 into 1 and 1 into 0."""
    d = concrete(word)
    unary = [row for row in rows(word).pure if len(row.args or ()) == 1]
    return tuple(row for row in unary if row.meaning and (row.meaning(d, 0), row.meaning(d, 1)) == (1, 0))
