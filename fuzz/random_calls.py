"""Calls that are declared in random traces: functions on strings."""

from __future__ import annotations

from fuzz.choices import Choices
from optimizer.ir import declaration_entries as declared
from optimizer.ir.string_calls import STRING_CALLS
from optimizer.ir.string_text import HIGHEST

_COMMON = ("concat", "slice", "equal")
_RARE = (
    *("eq_slice_checknull", "eq_slice_nonnull", "eq_slice_char"),
    *("eq_nonnull", "eq_nonnull_char", "eq_checknull_char", "eq_lengthok"),
)


def declare_string_calls(choices: Choices, word: int) -> list[declared.Call]:
    """Functions on strings that there may be at that width."""
    kinds = [name for name in HIGHEST if HIGHEST[name] < 1 << (word - 1)]
    names = [f"{kind}{what}" for kind in kinds for what in (*_COMMON, choices.pick(_RARE), choices.pick(_RARE))]
    return [
        declared.Call(name, STRING_CALLS[name].result.value, elidable=True, oopspec=name, reads=(), writes=())
        for name in dict.fromkeys(names)
    ]
