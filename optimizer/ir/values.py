"""Constants as they are written."""

from __future__ import annotations

import re

from optimizer.ir.faults import READING
from optimizer.ir.floats import Float
from optimizer.ir.rows.domain import wrap
from optimizer.ir.text.lexer import Token
from optimizer.ir.text.string_text import BadConstant, is_text, read_text, write_text
from optimizer.ir.trace import ConstClass, ConstFloat, ConstInt, ConstRef, Value

_DECIMAL = re.compile(r"-?[0-9]+")
_BITS = re.compile(r"0[xX][0-9a-fA-F]+")
_HEX_FLOAT = re.compile(r"-?0[xX][0-9a-fA-F]*+\.?[0-9a-fA-F]*+[pP][-+]?[0-9]{1,9}")
_FLOAT = re.compile(r"-?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]+)?|-inf")


def read_constant(token: Token, word: int) -> Value | None:
    """The constant that a token writes, None for the name of a variable. Raises BadConstant."""
    text = token.text
    match token.kind:
        case "number":
            return _read_number(text, word)
        case "string":
            return ConstRef(write_text(*read_text(text)))
        case "constant":
            name = text[text.index("(") + 1 : -1].strip()
            if not name:
                raise BadConstant("expected a name in the parentheses")
            if text.startswith("ConstClass"):
                return ConstClass(name)
            return ConstRef(write_text(*read_text(name))) if is_text(name) else ConstRef(f"ConstPtr({name})")
    match text:
        case "NULL":
            return ConstRef(text)
        case "nan" | "inf":
            return ConstFloat(Float.of(float(text)))
        case _:
            return None


def _read_number(text: str, word: int) -> Value:
    if _DECIMAL.fullmatch(text):
        number = int(text) if len(text) < 30 else None
        if number is None or not -(1 << (word - 1)) <= number < 1 << (word - 1):
            raise BadConstant(READING.out_of_range(text, word))
        return ConstInt(number)
    if _BITS.fullmatch(text):
        digits = text[2:].lstrip("0") or "0"
        if len(digits) > 16 or int(digits, 16) >> word:
            raise BadConstant(READING.too_many_bits(text, word))
        return ConstInt(wrap(int(digits, 16), word))
    if _HEX_FLOAT.fullmatch(text) or _FLOAT.fullmatch(text):
        return _read_float(text)
    raise BadConstant(READING.no_number(text))


def _read_float(text: str) -> ConstFloat:
    try:
        value = float.fromhex(text) if "x" in text.lower() else float(text)
    except (OverflowError, ValueError):
        value = float("inf")
    if value in (float("inf"), float("-inf")) and text != "-inf":
        raise BadConstant(READING.large_float(text))
    return ConstFloat(Float.of(value))
