"""Descrs in the logs of several processes, which tell whether all of them ran the same PyPy.

Where a field of an instance stands, and what a function does, is the same in each log of a PyPy. But classes that are
made by one piece of code have one name, and so may functions: a name that one log has with two texts tells nothing, and
one alone with another text in another log does not tell that this is of another PyPy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from optimizer.ir.faults import InputError
from validator.pypy.printed.lines import Line, is_named

_FIELD = re.compile(r"<Field. (.+\.(?:inst_.+|vable_token)) [0-9]+(?: pure)?>")
_EFFECT = re.compile(r" EF=[0-9]+(?: OS=[0-9]+)?>@")


@dataclass(slots=True)
class Descrs:
    """Descrs of fields and functions: all texts; by their names, as the first log has them, with that log; as others
    have them, by the log; as the last one has them; and the names that one log has with two texts."""

    texts: set[str] = field(default_factory=set)
    _first: dict[str, tuple[str, str]] = field(default_factory=dict)
    _others: dict[str, dict[str, str]] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)
    _shared: set[str] = field(default_factory=set)

    def next_log(self) -> None:
        """The next operations are of another log."""
        self._last.clear()

    def add(self, log: str, lines: Iterable[Line]) -> None:
        """Takes in operations of the log of that name."""
        self.take(log, (text for line in lines for text in (line.descr, line.function if line.is_call else "")))

    def take(self, log: str, texts: Iterable[str]) -> None:
        """Takes in descrs of fields, and functions with theirs. What is neither says nothing."""
        for text in texts:
            name = _name(text)
            if not name:
                continue
            self.texts.add(text)
            if self._last.setdefault(name, text) != text:
                self._shared.add(name)
            if self._first.setdefault(name, (text, log))[0] != text:
                self._others.setdefault(log, {})[name] = text

    def agree(self, texts: set[str]) -> bool:
        """Are these of the same PyPy, as far as each name tells, and most of the own ones among them?"""
        both = Descrs()
        for log in self.texts, texts:
            both.next_log()
            both.take(str(len(both.texts)), sorted(log))
        if any(names.keys() - both._shared for names in both._others.values()):
            return False
        return 2 * len(self.texts & texts) > len(self.texts)

    @property
    def fields(self) -> set[str]:
        """The texts of fields of those classes of which no field has two: else there are two of one name."""
        several = {*self._shared, *(name for names in self._others.values() for name in names)}
        unclear = {name.partition(".inst_")[0] for name in several}
        found = {text: name[1].partition(".inst_")[0] for text in self.texts if (name := _FIELD.fullmatch(text))}
        return {text for text, class_ in found.items() if class_ not in unclear}

    def check(self) -> None:
        """Raises InputError if the logs are not of one PyPy."""
        for log, texts in self._others.items():
            differ = {name.partition(".inst_")[0]: name for name in texts if name not in self._shared}
            if len(differ) > 1:
                name = min(differ.values())
                text, where = self._first[name]
                raise InputError(f"{where} and {log} are of two PyPys: {text} of one is {texts[name]} of the other")


def _name(text: str) -> str:
    """The part of a field of an instance, or of a function with its descr, that does not hang on the PyPy; "" of what
    is neither, or does not mean the same in all processes."""
    if found := _FIELD.fullmatch(text):
        return found[1]
    return _EFFECT.sub("@", text) if "@" in text and is_named(text) else ""
