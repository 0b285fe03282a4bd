"""The rows of casts between references and words: the address of an object is a function of the object alone.

Nobody knows which function, but that NULL has 0, and that casting back gives the same. Who has the address of an object
may find the object.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.heap_rows import memory_row
from optimizer.ir.rows.row import INT, PLACE, REF, Kind, Memory, Op, Requirement, Type


def _row(name: str, args: tuple[Type, ...], result: Type, memory: Memory, **more: Any) -> Op:
    return memory_row(name, args, result, Kind.PURE, memory, in_exit_block=True, **more)


def _place(d: Domain[Any, Any], h: Any, _none: Any, base: Any, index: Any, offset: Any, shift: Any) -> Any:
    return d.add(d.add(h.address(base), d.shl(index, shift)), offset)


def _in_word(d: Domain[Any, Any], _h: Any, _none: Any, *args: Any) -> Any:
    return d.ult(args[-1], d.const(d.width))


_IN_WORD: Requirement = (_in_word, "the amount is outside [0, WORD)")

CAST_ROWS = [
    _row("cast_ptr_to_int", (REF,), INT, Memory(meaning=lambda d, h, _none, p: h.address(p), shows=True)),
    _row("cast_int_to_ptr", (INT,), REF, Memory(meaning=lambda d, h, _none, a: h.object_at(a))),
    _row(
        "load_effective_address",
        (PLACE, INT, INT, INT),
        INT,
        Memory(meaning=_place, requires=(_IN_WORD,), shows=True),
        constant_args=(2, 3),
    ),
]
