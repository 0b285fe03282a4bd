"""Quotients by constants: the operations that PyPy's optimizer writes for floor division, as the one that they are.

It multiplies by a reciprocal M: where s is x >> 63, ((x ^ s) * M >> 64 + k) ^ s is x // c, so is x * M >> 64 + k where
x is known not to be negative, and x - x // c * c is x % c (Granlund and Montgomery, Division by Invariant Integers
using Multiplication, 1994; rpython's optimizeopt/intdiv.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from optimizer.ir.dialects.pypy_trace import OOPSPECS
from optimizer.ir.rules.guesses import divisor
from validator.pypy.inferred.held import Key, Node

Made = tuple[str, Key]
"""An operation on numbers, and the classes of its arguments."""

_DIV, _MOD = "int_py_div", "int_py_mod"
_UINT_DIV, _UINT_MOD = "uint_div", "uint_mod"
_NOT_NEGATIVE = ("strlen", "unicodelen", "arraylen_gc", _MOD)
"""The operations that never give a negative number; a remainder is one by a positive constant."""
_WORD = 64


@dataclass(slots=True)
class Quotients:
    """Operations that give the values of a trace."""

    _made: dict[Node, Made] = field(default_factory=dict)

    def put(self, result: Node, made: Made) -> None:
        """Takes in what gives this value."""
        self._made[result] = made

    def meant(self, name: str, args: Key) -> Made:
        """The division that this operation is the end of; else the operation itself."""
        found: Made | None = None
        if name == "int_xor":
            found = self._quotient(args[0], args[1]) or self._quotient(args[1], args[0])
        elif name == "uint_rshift":
            found = self._of_positive(args[0], args[1])
        elif name == "int_sub":
            found = self._remainder(args[0], args[1])
        return found or (name, args)

    def _quotient(self, high: Node, sign: Node) -> Made | None:
        match self._made.get(sign):
            case ("int_rshift", (x, ("", "63"))):
                pass
            case _:
                return None
        match self._made.get(high):
            case ("uint_div", (size, by)) if self._made.get(size) == ("int_xor", (x, sign)):
                return _DIV, (x, by)
        return None

    def _of_positive(self, high: Node, amount: Node) -> Made | None:
        match self._made.get(high), amount:
            case ("uint_mul_high", (x, ("", factor))), ("", shift) if shift.isdecimal():
                by = divisor(int(factor), int(shift), _WORD)
                name = _DIV if self._is_not_negative(x) else _UINT_DIV
                return (name, (x, ("", str(by)))) if divides(int(factor), int(shift), by) else None
        return None

    def _is_not_negative(self, x: Node) -> bool:
        """Is it known not to be negative?"""
        name, args = self._made.get(x, ("", ()))
        return name in _NOT_NEGATIVE or (
            name == "int_and" and any(text.isdecimal() for place, text in args if not place)
        )

    def _remainder(self, x: Node, product: Node) -> Made | None:
        match self._made.get(product):
            case ("int_mul", (quotient, ("", _) as by)):
                for division, rest in ((_DIV, _MOD), (_UINT_DIV, _UINT_MOD)):
                    if self._made.get(quotient) == (division, (x, by)):
                        return rest, (x, by)
        return None


def divides(factor: int, shift: int, by: int) -> bool:
    """Does x * factor >> 64 + shift divide all x in [0, 2**63) by this `divisor`, as the bound of the error shows?
    `factor` is a word of 64 bits, signed or not."""
    error = factor % (1 << _WORD) * by - (1 << _WORD + shift)
    return 0 <= error <= 1 << shift + 1


def divided(oopspec: int | None, args: Key) -> Made | None:
    """The operation that a call is which divides by a constant; None for other calls."""
    name = OOPSPECS.get(oopspec or 0)
    if name not in (_DIV, _MOD) or args[2][0] or not args[2][1].isdecimal() or (by := int(args[2][1])) < 2:
        return None
    if by & (by - 1):
        return name, args[1:]
    name, number = ("int_and", by - 1) if name == _MOD else ("int_rshift", by.bit_length() - 1)
    return name, (args[1], ("", str(number)))
