"""The domain of text: it prints what an operation means."""

from __future__ import annotations

import re
from collections.abc import Callable

from optimizer.ir.rows.domain import Domain, FloatDomain
from optimizer.ir.rows.ops import Op

_ATOM = re.compile(r"-?[\w.]+(?:e[-+]\d+)?")
_INNERMOST = re.compile(r"\([^()]*\)")


_WORDS = {
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "mul": "{a} * {b}",
    "umulh": "high_word({a} *u {b})",
    "neg": "-{a}",
    "udiv": "{a} /u {b}",
    "sdiv": "quotient({a!s}, {b!s})",
    "srem": "remainder({a!s}, {b!s})",
    "fdiv": "{a} // {b}",
    "fmod": "{a} % {b}",
    "bit_and": "{a} & {b}",
    "bit_or": "{a} | {b}",
    "bit_xor": "{a} ^ {b}",
    "bit_not": "~{a}",
    "shl": "{a} << {b}",
    "lshr": "{a} >>u {b}",
    "ashr": "{a} >> {b}",
    "eq": "{a} == {b}",
    "ne": "{a} != {b}",
    "slt": "{a} < {b}",
    "sle": "{a} <= {b}",
    "ult": "{a} <u {b}",
    "ule": "{a} <=u {b}",
    "add_overflows": "overflows({a} + {b})",
    "sub_overflows": "overflows({a} - {b})",
    "mul_overflows": "overflows({a} * {b})",
    "not_": "not {a}",
    "bit": "int({a!s})",
}
"""The notation of the vocabulary's words: `{a}` is an argument, in parentheses where it needs them, `{a!s}` is one that
stands alone."""

_FLOATS = {
    "add": "{a} + {b}",
    "sub": "{a} - {b}",
    "mul": "{a} * {b}",
    "div": "{a} / {b}",
    "sqrt": "sqrt({a!s})",
    "neg": "-{a}",
    "abs": "abs({a!s})",
    "same": "same({a!s}, {b!s})",
    "eq": "{a} == {b}",
    "lt": "{a} < {b}",
    "le": "{a} <= {b}",
    "of_int": "float({a!s})",
    "to_int": "int({a!s})",
    "of_bytes": "float_of_bytes({a!s})",
    "to_bytes": "bytes_of_float({a!s})",
    "of_single": "float_of_single({a!s})",
    "to_single": "single_of_float({a!s})",
}


class _Argument(str):
    """An expression that is written into another one."""

    __slots__ = ()

    def __format__(self, _spec: str) -> str:
        return _atom(str(self))


def _written(pattern: str) -> Callable[..., str]:
    def write(_self: object, a: str, b: str = "") -> str:
        return pattern.format(a=_Argument(a), b=_Argument(b))

    return write


class _Words(Domain[str, str]):
    """The words whose notation is more than a pattern."""

    __slots__ = ()

    @property
    def floats(self) -> FloatDomain[str, str, str]:
        floats: FloatDomain[str, str, str] = _FloatNotation()
        return floats

    def const(self, value: int) -> str:
        half = 1 << (self.width - 1)
        signed = ((value + half) & (2 * half - 1)) - half
        if signed == -half:
            return "MININT"
        return "WORD" if signed == self.width else str(signed)

    def truth(self, value: bool) -> str:
        return str(value)

    def both(self, c: str, d: str) -> str:
        return f"{_clause(c)} and {_clause(d)}"

    def either(self, c: str, d: str) -> str:
        return f"{_clause(c)} or {_clause(d)}"

    def ite(self, c: str, a: str, b: str) -> str:
        return f"{_atom(a)} if {c} else {_atom(b)}"


Notation: type[Domain[str, str]] = type("Notation", (_Words,), {name: _written(how) for name, how in _WORDS.items()})
"""Words and conditions as expressions of a Python that has `<u`, `>>u`, `/u` and `%u` for unsigned words.

`//` and `%` round to minus infinity as in Python, `quotient` and `remainder` to 0 as in C.
"""

_FloatNotation = type(
    "_FloatNotation",
    (FloatDomain,),
    {"const": lambda _, value: str(value), **{name: _written(how) for name, how in _FLOATS.items()}},
)
"""Floats as Python writes them; `same` is identity of bits."""


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
    """The operation as it is written, such as `c = int_add(a, b)`."""
    head = "" if row.result.value == "void" else "r = "
    return f"{head}{row.name}({', '.join(arguments(row)) if row.args is not None else '...'})"


def arguments(row: Op) -> tuple[str, ...]:
    """The names that the arguments of a row have in its meaning."""
    return tuple("abcdef"[: len(row.args or ())])


def meaning(row: Op, word: int = 64) -> dict[str, str]:
    """The meaning of the row, as expressions: `result`, `defined`, `overflows` and `passes`, as far as it has them.

    Overflow guards speak of the `flag` of the operation before them.
    """
    d = Notation(word)
    said = {"result": row.meaning, "defined": row.defined, "overflows": row.overflows, "passes": row.passes}
    names = ("flag",) if row.reads_flag else arguments(row)
    return {key: str(term(d, *names)) for key, term in said.items() if term is not None}
