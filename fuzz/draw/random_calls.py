"""Calls that are declared in random traces: functions on strings, and copies of arrays."""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.draw.choices import Choices
from optimizer.ir.rows.ops import FLOAT
from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.types import declared
from optimizer.ir.types.known_calls import STRING_CALLS
from optimizer.ir.types.memory_types import Array

_COMMON = ("concat", "slice", "equal")
_RARE = (
    *("eq_slice_checknull", "eq_slice_nonnull", "eq_slice_char"),
    *("eq_nonnull", "eq_nonnull_char", "eq_checknull_char", "eq_lengthok"),
)


def declare_array_copies(arrays: Sequence[Array]) -> list[declared.Call]:
    """Calls that copy items of one of these arrays, where they can."""
    return [
        declared.Call(f"{oopspec}_{array.name}", "void", oopspec=oopspec, reads=(array.name,), writes=(array.name,))
        for array in arrays[:2]
        if array.item is not None and array.item.type is not FLOAT and not array.immutable
        for oopspec in ("arraycopy", "arraymove")
    ]


def declare_string_calls(choices: Choices, word: int) -> list[declared.Call]:
    """Functions on strings that there may be at that width."""
    kinds = [name for name in HIGHEST if HIGHEST[name] < 1 << (word - 1)]
    names = [f"{kind}{what}" for kind in kinds for what in (*_COMMON, choices.pick(_RARE), choices.pick(_RARE))]
    return [
        declared.Call(name, STRING_CALLS[name].result.value, elidable=True, oopspec=name, reads=(), writes=())
        for name in dict.fromkeys(names)
    ]
