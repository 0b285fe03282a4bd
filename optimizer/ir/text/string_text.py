"""Strings as text: `"abc"` is a string of bytes, `u"abc"` one of code points.

Escapes are those of Python: `\\n`, `\\t`, `\\r`, `\\"`, `\\\\`, `\\x..` and, in `u"..."`, `\\u....` and `\\U........`.
Printing is canonical: what can be seen of ASCII stands for itself, everything else is an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

STR, UNICODE = "str", "unicode"

HIGHEST = {STR: 0xFF, UNICODE: 0x10FFFF}
"""The highest item of each of the built-in types of arrays."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "'": "'", '"': '"', "\\": "\\"}
_PARTS = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\(.)|(.)", re.DOTALL)


class BadConstant(Exception):
    """A constant that is none; the message says why."""


def is_text(text: str) -> bool:
    """Is it a text in quotes?"""
    return text.startswith(('"', 'u"', 's"')) and text.endswith('"')


def read_text(text: str) -> tuple[str, tuple[int, ...]]:
    """The type and the items of a text in quotes, with its prefix. Raises BadConstant."""
    kind = UNICODE if text[0] == "u" else STR
    body = text[text.index('"') + 1 : -1]
    items = tuple(_item(match, kind) for match in _PARTS.finditer(body))
    wrong = next((item for item in items if item > HIGHEST[kind]), None)
    if wrong is not None:
        what = "bytes, up to \\xff" if kind == STR else "code points, up to \\U0010ffff"
        raise BadConstant(f"the items of this string are {what}, got {wrong:#x}")
    return kind, items


def _item(match: re.Match[str], kind: str) -> int:
    two, four, eight, escaped, plain = match.groups()
    if plain is not None:
        return ord(plain)
    if escaped is not None or (kind == STR and two is None):
        if escaped not in _ESCAPES:
            raise BadConstant(f"the escape {match[0]} has no meaning here")
        return ord(_ESCAPES[escaped])
    return int(two or four or eight, 16)


def write_text(kind: str, items: Iterable[int]) -> str:
    """The canonical text of those items."""
    body = "".join(_written(item) for item in items)
    return f'u"{body}"' if kind == UNICODE else f'"{body}"'


def _written(item: int) -> str:
    short = next((f"\\{name}" for name in 'nt"r\\' if ord(_ESCAPES[name]) == item), None)
    if short or 32 <= item < 127:
        return short or chr(item)
    if item < 0x100:
        return f"\\x{item:02x}"
    return f"\\u{item:04x}" if item < 0x10000 else f"\\U{item:08x}"


# The names of constants: `ConstPtr(name)` is called name, a text in quotes by itself.


def constant_name(text: str) -> str | None:
    """The name of the constant object that is written so; None of NULL and of what is none."""
    prefix = "ConstPtr("
    if text.startswith(prefix):
        return text[len(prefix) : -1]
    return text if is_text(text) else None
