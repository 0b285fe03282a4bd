"""Values of a recorded trace as its guards have found them to be: it has run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from validator.pypy.inferred.executed import EQUATING, PASSES, SAY_CONSTANT
from validator.pypy.printed.kinds.tables import CLASS_TESTS
from validator.pypy.printed.lines import NULL, Line

Fact = tuple[str, str]
"""A finding on a value: that it `is` or is `not` a number, which NULL is too, or is `of` a class."""

_IS, _NOT, _OF = "is", "not", "of"
_SOMETHING = _NOT, "0"

_NUMBER = re.compile(r"-?[0-9]+")


class Found:
    """The findings of a recorded trace on its values, by their names: each is what it is all the time."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._facts: defaultdict[str, set[Fact]] = defaultdict(set)
        self._apart: set[frozenset[str]] = set()
        tests: dict[str, Line] = {}
        for line in lines:
            if line.name in EQUATING and line.result:
                tests[line.result] = line
            elif line.is_guard and line.args:
                self._facts[line.args[0]].update(_said(line))
                if line.name in PASSES and (test := tests.get(line.args[0])):
                    one, other = (*test.args, "0")[:2]
                    self._compare(one, other, are_equal=EQUATING[test.name] == line.name)

    def _compare(self, one: str, other: str, *, are_equal: bool) -> None:
        verb = _IS if are_equal else _NOT
        self._facts[one].update(_about(verb, other))
        self._facts[other].update(_about(verb, one))
        if not are_equal:
            self._apart.add(frozenset((one, other)))

    def __call__(self, text: str) -> frozenset[Fact]:
        """The findings on a value, or on a constant."""
        return frozenset((*self._facts.get(text, ()), *_about(_IS, text)))

    def tells_apart(self, one: str, other: str) -> bool:
        """Have two values been compared, and found to be different?"""
        return frozenset((one, other)) in self._apart


def _said(guard: Line) -> Iterator[Fact]:
    if guard.name in SAY_CONSTANT:
        yield from _about(_IS, SAY_CONSTANT[guard.name] or guard.args[1])
    elif guard.name in CLASS_TESTS:
        yield from (_SOMETHING, (_OF, guard.args[1]))
    elif guard.name == "guard_nonnull":
        yield _SOMETHING


def _about(verb: str, constant: str) -> Iterator[Fact]:
    """The finding with that constant; none with another object, since each has many names, nor with a value."""
    number = "0" if constant == NULL else constant
    if _NUMBER.fullmatch(number):
        yield verb, number


def are_different(one: Iterable[Fact], other: Iterable[Fact]) -> bool:
    """Are these for certain findings on two values?"""
    return any(
        (verb, word) in ((_IS, _NOT), (_NOT, _IS)) if what == that else verb == word != _NOT
        for verb, what in one
        for word, that in other
    )
