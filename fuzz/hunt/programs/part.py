"""The notation of the grammar: parts, which are text with typed holes.

The table of a family is a file in `families`. A part begins with its name and what it is, and goes on indented:

    sum: i
        $i + $i
    take-last: do
        if $l1:
            $I = $l1.pop()

It is an expression of a type, named by a letter, or `do`, statements. A hole is `$`, a letter of `HOLES`, and a digit
if the same text is to stand in several places. Lines in front of one that says `loop:` stand in front of the loop.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

HOLES = {
    "w": "an int that does not grow without end: what may be stored",
    "i": "an int",
    "m": "an int of which bits or borders are known",
    "z": "an int that is hardly ever 0",
    "s": "an int from 0 to 7",
    "h": "an int from 0 to 63",
    "k": "a small constant",
    "K": "a constant at a border of machine integers",
    "M": "a positive constant, most often of ones in binary",
    "j": "anything that holds nothing else",
    "f": "a float",
    "x": "a constant float",
    "b": "a condition",
    "c": "a condition that hardly ever changes",
    "t": "a str",
    "y": "bytes",
    "u": "a tuple",
    "l": "a list of ints",
    "e": "a list of floats",
    "n": "a list of anything",
    "d": "a dict of ints",
    "g": "a dict of strs",
    "o": "an object",
    "a": "a bytearray",
    "r": "an array of ints",
    "q": "an array of floats",
    "v": "a name that nobody else uses",
    "B": "statements",
    "D": "statements that are repeated",
}
"""The letters, and what stands in their holes. Where a type has local variables, the capital letter is one of these
that is assigned to."""

LOCALS = "wijftyulendgoarq"
"""The types of local variables."""
HELD = "lendgoarq"
"""The types of which nothing but local variables stands in holes: objects that change."""

HOLE = re.compile(r"\$([A-Za-z])([0-9]?)(?![A-Za-z])")
_HEAD = re.compile(r"^([\w-]+): (\w+)( only pypy)?\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the grammar: `kind` is `do` or the letter of its type, `before` stands in front of the loop."""

    name: str
    kind: str
    text: str
    before: str
    is_portable: bool


def read_parts(family: str) -> tuple[Part, ...]:
    """The parts of the table of a family."""
    table = (Path(__file__).parent / "families" / f"{family}.txt").read_text(encoding="utf-8")
    _, *pieces = _HEAD.split(table)
    return tuple(
        _part(f"{family}.{name}", kind, dedent(text).strip("\n"), not only)
        for name, kind, only, text in zip(*(pieces[n::4] for n in range(4)), strict=True)
    )


def _part(name: str, kind: str, text: str, is_portable: bool) -> Part:
    before, _, text = text.rpartition("\nloop:\n")
    return Part(name, kind, text, before, is_portable)
