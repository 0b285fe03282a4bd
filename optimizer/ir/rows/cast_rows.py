"""The rows of casts between references and words: the address of an object is a function of the object alone.

Nobody knows which function, but that NULL has 0, and that casting back gives the same. Who has the address of an object
may find the object.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.row import INT, PLACE, REF, Kind, Memory, Op


def _place(d: Domain[Any, Any], h: Any, _none: Any, base: Any, index: Any, offset: Any, shift: Any) -> Any:
    return d.add(d.add(h.address(base), d.shl(index, shift)), offset)


def _in_word(d: Domain[Any, Any], _h: Any, _none: Any, *args: Any) -> Any:
    return d.ult(args[-1], d.const(d.width))


_ADDRESS = Memory(meaning=lambda d, h, _none, p: h.address(p), shows=True)
_OBJECT = Memory(meaning=lambda d, h, _none, a: h.object_at(a))
_PLACE = Memory(meaning=_place, requires=((_in_word, "the amount is outside [0, WORD)"),), shows=True)

CAST_ROWS = [
    Op("cast_ptr_to_int", (REF,), INT, Kind.PURE, memory=_ADDRESS),
    Op("cast_int_to_ptr", (INT,), REF, Kind.PURE, memory=_OBJECT),
    Op("load_effective_address", (PLACE, INT, INT, INT), INT, Kind.PURE, memory=_PLACE, constant_args=(2, 3)),
]
