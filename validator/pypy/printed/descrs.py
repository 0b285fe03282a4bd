"""Descrs in the logs of several processes, which tell whether all of them ran the same PyPy.

Where a field of an instance stands, and what a function does, is the same in each log of a PyPy. But classes that are
made by one piece of code have one name, and so may functions: a name that one log has with two texts tells nothing, and
one alone with another text in another log does not tell that this is of another PyPy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from optimizer.ir.faults import InputError
from validator.pypy.printed.lines import Line, is_named

_FIELD = re.compile(r"<Field. (.+\.inst_.+) [0-9]+(?: pure)?>")
_EFFECT = re.compile(r" EF=[0-9]+(?: OS=[0-9]+)?>@")


@dataclass(slots=True)
class Descrs:
    """Descrs of fields and functions, by their names: as the first log has them, with that log; as others have them, by
    the log; as the last one has them; and the names that one log has with two texts."""

    _first: dict[str, tuple[str, str]] = field(default_factory=dict)
    _others: dict[str, dict[str, str]] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)
    _shared: set[str] = field(default_factory=set)

    def next_log(self) -> None:
        """The next operations are of another log."""
        self._last.clear()

    def add(self, log: str, lines: Iterable[Line]) -> None:
        """Takes in operations of the log of that name."""
        for name, text in _named(lines):
            if self._last.setdefault(name, text) != text:
                self._shared.add(name)
            if self._first.setdefault(name, (text, log))[0] != text:
                self._others.setdefault(log, {})[name] = text

    def check(self) -> None:
        """Raises InputError if the logs are not of one PyPy."""
        for log, texts in self._others.items():
            differ = {name.partition(".inst_")[0]: name for name in texts if name not in self._shared}
            if len(differ) > 1:
                name = min(differ.values())
                text, where = self._first[name]
                raise InputError(f"{where} and {log} are of two PyPys: {text} of one is {texts[name]} of the other")


def _named(lines: Iterable[Line]) -> Iterator[tuple[str, str]]:
    """The descrs of fields of instances, and those of calls with the function, by what does not hang on the PyPy."""
    for line in lines:
        if found := _FIELD.fullmatch(line.descr):
            yield found[1], line.descr
        elif line.is_call and is_named(line.function):
            yield _EFFECT.sub("@", line.function), line.function
