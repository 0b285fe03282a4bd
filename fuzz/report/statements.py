"""Statements that verdicts on a log rest on, or for want of which they are open, in words that fit a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from validator.prove.notes import RESUME_DATA, UNLISTED

_EFFECT = re.compile(r"(?P<call>call .* does not (?:read|write)) (?P<memory>.*)")
_UNCOMPARED = "resume data is not compared: no log holds it"


@dataclass(slots=True)
class Statements:
    """Statements, each with the number of pairs that it concerns. All that is said of resume data is one; in `lines` so
    is whatever a call does not read, or does not write."""

    counts: Counter[str] = field(default_factory=Counter)
    _of_line: Counter[str] = field(default_factory=Counter)
    _memories: dict[str, dict[str, None]] = field(default_factory=dict)

    def add(self, statements: Iterable[str]) -> None:
        """Takes in those of one pair."""
        named = dict.fromkeys(_named(statement) for statement in statements)
        self.counts.update(named.keys())
        self._of_line.update(dict.fromkeys(map(self._line, named)).keys())

    def _line(self, statement: str) -> str:
        effect = _EFFECT.fullmatch(statement)
        if effect is None:
            return statement
        self._memories.setdefault(effect["call"], {})[effect["memory"]] = None
        return effect["call"]

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines that tell them, most frequent first, each with the number of pairs."""
        for line, pairs in self._of_line.most_common():
            memories = [*self._memories.get(line, ())]
            more = f" and {len(memories) - 1} more" if len(memories) > 1 else ""
            yield pairs, f"{line} {memories[0]}{more}" if memories else line


def _named(statement: str) -> str:
    return _UNCOMPARED if statement == RESUME_DATA or statement.startswith(UNLISTED) else statement


def in_short(statements: Iterable[str]) -> str:
    """The first of the statements on one pair, and how many more lines there are."""
    one = Statements()
    one.add(statements)
    first, *rest = (line for _, line in one.lines())
    return f"{first}{f', and {len(rest)} more' if rest else ''}"
