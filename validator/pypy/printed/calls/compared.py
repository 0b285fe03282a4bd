"""The functions on strings that PyPy knows, by the numbers that it prints of them: what compares them, and how."""

from __future__ import annotations

from optimizer.ir.dialects.pypy_trace import OOPSPECS

_NUMBERS = {name: number for number, name in OOPSPECS.items()}

EQUAL = _NUMBERS["strequal"]
"""The function by which recorded traces compare two strings."""

WITH_STRINGS = frozenset(_NUMBERS[name] for name in ("strequal", "streq_nonnull", "streq_lengthok"))
WITH_CHARACTERS = frozenset(_NUMBERS[name] for name in ("streq_nonnull_char", "streq_checknull_char"))
"""The functions that compare a whole string with another one, and with a character; they differ in what they take for
granted."""

FOR_CHARACTERS = WITH_CHARACTERS | {_NUMBERS["streq_slice_char"]}
"""The functions that look for one character, be it in a range."""

COMPARES = frozenset(number for name, number in _NUMBERS.items() if name.startswith("streq"))
"""The functions that compare strings, or ranges of them."""

COMPARES_SLICES = frozenset(number for name, number in _NUMBERS.items() if name.startswith("streq_slice"))
"""The functions that compare ranges: their first two arguments are the string and where the range begins."""

SLICE = _NUMBERS["strslice"]
SLICES = frozenset({SLICE, _NUMBERS["unicodeslice"]})
"""The functions that give a range of a string."""
