"""Names and numbers as SMT-LIB writes them."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[a-z]+[0-9]+")
_UNSAFE = re.compile(r"[^ -$&-\[\]-{}~]")


def symbol(sort: str, name: str) -> str:
    """A symbol for what is called `name`, for names of that sort; no other name has it, nor does SMT-LIB itself.

    Words like `input0` stay as they are. What a quoted symbol cannot hold is written by its number: `a|b` as `a%7c.b`.
    """
    if sort == "word" and _PLAIN.fullmatch(name):
        return name
    return f"|{sort} {_UNSAFE.sub(lambda found: f'%{ord(found[0]):x}.', name)}|"


def literal(value: int, width: int) -> str:
    """A bit vector. `value` is taken modulo 2**width."""
    pattern = value & ((1 << width) - 1)
    return f"#x{pattern:0{width // 4}x}" if width % 4 == 0 else f"#b{pattern:0{width}b}"
