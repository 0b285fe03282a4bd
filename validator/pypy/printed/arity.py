"""The numbers of arguments that operations have at least, be it such as nobody knows."""

from __future__ import annotations

from functools import cache

from optimizer.ir.rows.ops import OPS

_OF_CALLS = {"cond_call": 2, "call_assembler": 0, "call": 1}
"""Of calls, which have as many as they like: by the beginnings of their names."""


@cache
def least_args(name: str) -> int:
    """The number of arguments without which an operation of that name is none; one that nobody knows needs those of
    the known one that differs in its last word."""
    stem = name.rpartition("_")[0]
    rows = (OPS[one] for one in (name, stem, f"{stem}_r") if one in OPS)
    known = (len(row.args) for row in rows if row.args)
    return next(known, next((least for call, least in _OF_CALLS.items() if name.startswith(call)), 0))
