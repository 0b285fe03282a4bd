"""The numbers of arguments that operations have at least, be it such as nobody knows that are called alike."""

from __future__ import annotations

from functools import cache

from optimizer.ir.rows.ops import OPS

_LEAST = {
    **dict.fromkeys(("setarrayitem", "setinteriorfield"), 3),
    **dict.fromkeys(("getarrayitem", "getinteriorfield", "setfield", "gc_load", "gc_store", "raw_"), 2),
    **dict.fromkeys(("cond_call", "record_", "guard_value"), 2),
    **dict.fromkeys(("getfield", "call_", "guard_class", "assert_", "same_as"), 1),
    "call_assembler": 0,
}
"""By the beginnings of their names; of two that fit, by the longer one."""


@cache
def least_args(name: str) -> int:
    """The number of arguments without which an operation of that name is none."""
    row = OPS.get(name)
    if row is not None and row.args:
        return len(row.args)
    fitting = [beginning for beginning in _LEAST if name.startswith(beginning)]
    return _LEAST[max(fitting, key=len)] if fitting else 0
