"""Witnesses: the pairs of one log, or of several of one PyPy, that speak for what is assumed.

PyPy's optimizer works on each trace anew, so two traces are two witnesses. But where two processes have run the same
code, the traces of the second say what those of the first have said. So pairs of two logs are two witnesses only if
they start at different places of the program: of functions of other names, or at other bytecodes of them. A file may be
a copy. Where RPython's own loops start, what is printed may be an address: all of them are one place here.

What is printed by its address has that name in one process alone, and a name that several structs have may stand for
others in another program: of that no other log is a witness.

What is kept of other logs in a file is one log more, which is counted from -1 down: rows of texts, of a statement that
means the same in all processes, and where one witness alone speaks for it, the place of that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

_PLACE = re.compile(r"(.*?);.*(~#.*)")
"""A place of the program: function and bytecode, between which file and lines stand."""

SEEN_ELSEWHERE = " (seen in other programs)"
"""The end of an assumption that rests on what is kept in a file."""

T = TypeVar("T")

Row = tuple[str, ...]
"""A statement in a file: its kind, what it says, and where two witnesses are asked for and there is one, the place."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A pair: the number of its log, its own there, and the place of the program where it starts ("": none of a
    bytecode)."""

    log: int
    number: int
    start: str = ""


def witness(log: int, number: int, point: str) -> Witness:
    """The witness that a pair is which starts at this point of the program."""
    found = _PLACE.fullmatch(point)
    return Witness(log, number, "".join(found.groups()) if found else "")


def are_two(witnesses: Collection[Witness]) -> bool:
    """Are there two among them?"""
    return len({one.start for one in witnesses}) > 1 or len(witnesses) > len({one.log for one in witnesses})


def told(
    said: Mapping[T, Collection[Witness]],
    log: int,
    is_named: Callable[[T], bool],
    are_enough: Callable[[Collection[Witness]], bool] = are_two,
    *,
    is_own: bool = False,
) -> frozenset[T]:
    """The statements for which enough witnesses speak: all, or of what does not mean the same in all processes, those
    of the log of that number. `is_own`: what is kept in files does not speak."""

    def speaks(one: Witness, what: T) -> bool:
        return (one.log >= 0 or not is_own) if is_named(what) else one.log == log

    return frozenset(
        what for what, witnesses in said.items() if are_enough([one for one in witnesses if speaks(one, what)])
    )


def told_alone(said: Mapping[T, Collection[Witness]], log: int) -> frozenset[T]:
    """The statements for which two witnesses of the log of that number speak."""
    return told(said, log, lambda _: False)


def kept(said: Mapping[T, Collection[Witness]], is_named: Callable[[T], bool]) -> Iterator[tuple[T, Row]]:
    """The statements that mean the same in all processes, each with the place of its witness, if that is one."""
    for what, witnesses in said.items():
        if is_named(what):
            yield what, () if are_two(witnesses) else (min(one.start for one in witnesses),)


def from_kept(log: int, place: Iterable[str]) -> set[Witness]:
    """The witnesses of a kept statement."""
    return {Witness(log, 0, start) for start in place} or {Witness(log, 0), Witness(log, 1)}
