"""The domain of text: it prints what an operation means."""

from __future__ import annotations

import re

from optimizer.ir.floats import Float
from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.float_domain import FloatDomain
from optimizer.ir.rows.ops import Op

_ATOM = re.compile(r"-?[\w.]+(?:e[-+]\d+)?")
_INNERMOST = re.compile(r"\([^()]*\)")


class Notation(Domain[str, str]):
    """Words and conditions as expressions of a Python that has `<u`, `>>u`, `/u` and `%u` for unsigned words.

    `//` and `%` round to minus infinity as in Python, `quotient` and `remainder` to 0 as in C.
    """

    __slots__ = ()

    @property
    def floats(self) -> FloatDomain[str, str, str]:
        return _FloatNotation()

    def const(self, value: int) -> str:
        half = 1 << (self.width - 1)
        signed = ((value + half) & (2 * half - 1)) - half
        if signed == -half:
            return "MININT"
        return "WORD" if signed == self.width else str(signed)

    def truth(self, value: bool) -> str:
        return str(value)

    def add(self, a: str, b: str) -> str:
        return _infix(a, "+", b)

    def sub(self, a: str, b: str) -> str:
        return _infix(a, "-", b)

    def mul(self, a: str, b: str) -> str:
        return _infix(a, "*", b)

    def umulh(self, a: str, b: str) -> str:
        return f"high_word({_infix(a, '*u', b)})"

    def neg(self, a: str) -> str:
        return f"-{_atom(a)}"

    def udiv(self, a: str, b: str) -> str:
        return _infix(a, "/u", b)

    def sdiv(self, a: str, b: str) -> str:
        return f"quotient({a}, {b})"

    def srem(self, a: str, b: str) -> str:
        return f"remainder({a}, {b})"

    def fdiv(self, a: str, b: str) -> str:
        return _infix(a, "//", b)

    def fmod(self, a: str, b: str) -> str:
        return _infix(a, "%", b)

    def bit_and(self, a: str, b: str) -> str:
        return _infix(a, "&", b)

    def bit_or(self, a: str, b: str) -> str:
        return _infix(a, "|", b)

    def bit_xor(self, a: str, b: str) -> str:
        return _infix(a, "^", b)

    def bit_not(self, a: str) -> str:
        return f"~{_atom(a)}"

    def shl(self, a: str, b: str) -> str:
        return _infix(a, "<<", b)

    def lshr(self, a: str, b: str) -> str:
        return _infix(a, ">>u", b)

    def ashr(self, a: str, b: str) -> str:
        return _infix(a, ">>", b)

    def eq(self, a: str, b: str) -> str:
        return _infix(a, "==", b)

    def slt(self, a: str, b: str) -> str:
        return _infix(a, "<", b)

    def ult(self, a: str, b: str) -> str:
        return _infix(a, "<u", b)

    def add_overflows(self, a: str, b: str) -> str:
        return f"overflows({_infix(a, '+', b)})"

    def sub_overflows(self, a: str, b: str) -> str:
        return f"overflows({_infix(a, '-', b)})"

    def mul_overflows(self, a: str, b: str) -> str:
        return f"overflows({_infix(a, '*', b)})"

    def not_(self, c: str) -> str:
        return f"not {_atom(c)}"

    def both(self, c: str, d: str) -> str:
        return f"{_clause(c)} and {_clause(d)}"

    def either(self, c: str, d: str) -> str:
        return f"{_clause(c)} or {_clause(d)}"

    def ite(self, c: str, a: str, b: str) -> str:
        return f"{_atom(a)} if {c} else {_atom(b)}"

    def bit(self, c: str) -> str:
        return f"int({c})"

    def ne(self, a: str, b: str) -> str:
        return _infix(a, "!=", b)

    def sle(self, a: str, b: str) -> str:
        return _infix(a, "<=", b)

    def ule(self, a: str, b: str) -> str:
        return _infix(a, "<=u", b)


class _FloatNotation(FloatDomain[str, str, str]):
    """Floats as Python writes them; `same` is identity of bits."""

    __slots__ = ()

    def const(self, value: Float) -> str:
        return str(value)

    def add(self, a: str, b: str) -> str:
        return _infix(a, "+", b)

    def sub(self, a: str, b: str) -> str:
        return _infix(a, "-", b)

    def mul(self, a: str, b: str) -> str:
        return _infix(a, "*", b)

    def div(self, a: str, b: str) -> str:
        return _infix(a, "/", b)

    def sqrt(self, a: str) -> str:
        return f"sqrt({a})"

    def neg(self, a: str) -> str:
        return f"-{_atom(a)}"

    def abs(self, a: str) -> str:
        return f"abs({a})"

    def same(self, a: str, b: str) -> str:
        return f"same({a}, {b})"

    def eq(self, a: str, b: str) -> str:
        return _infix(a, "==", b)

    def lt(self, a: str, b: str) -> str:
        return _infix(a, "<", b)

    def le(self, a: str, b: str) -> str:
        return _infix(a, "<=", b)

    def of_int(self, n: str) -> str:
        return f"float({n})"

    def to_int(self, a: str) -> str:
        return f"int({a})"

    def of_bytes(self, n: str) -> str:
        return f"float_of_bytes({n})"

    def to_bytes(self, a: str) -> str:
        return f"bytes_of_float({a})"

    def of_single(self, n: str) -> str:
        return f"float_of_single({n})"

    def to_single(self, a: str) -> str:
        return f"single_of_float({a})"


def _infix(a: str, sign: str, b: str) -> str:
    return f"{_atom(a)} {sign} {_atom(b)}"


def _atom(text: str) -> str:
    """The text, in parentheses where it is neither a name, a number nor a call."""
    return text if _ATOM.fullmatch(text) or _is_call(text) else f"({text})"


def _clause(text: str) -> str:
    """The condition, in parentheses where it is an `and`, an `or` or an `if`."""
    outside = text
    while "(" in outside:
        outside = _INNERMOST.sub("", outside)
    return f"({text})" if {"and", "or", "if"} & set(outside.split()) else text


def _is_call(text: str) -> bool:
    name, opening, _ = text.partition("(")
    if not opening or not name.isidentifier():
        return False
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == ")":
            return index == len(text) - 1
    return False


def signature(row: Op) -> str:
    """How the operation is written, such as `c = int_add(a, b)`."""
    head = "" if row.result.value == "void" else "r = "
    return f"{head}{row.name}({', '.join(arguments(row)) if row.args is not None else '...'})"


def arguments(row: Op) -> tuple[str, ...]:
    """The names that the arguments of a row have in its meaning."""
    return tuple("abcdef"[: len(row.args or ())])


def meaning(row: Op, word: int = 64) -> dict[str, str]:
    """What the row says, as expressions: `result`, `defined`, `overflows` and `passes`, those that it has.

    Overflow guards speak of the `flag` of the operation before them.
    """
    d = Notation(word)
    said = {"result": row.meaning, "defined": row.defined, "overflows": row.overflows, "passes": row.passes}
    names = ("flag",) if row.reads_flag else arguments(row)
    return {key: str(term(d, *names)) for key, term in said.items() if term is not None}
