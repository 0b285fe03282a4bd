"""The operations of a recorded trace that only one of two optimizers leaves, and what there is to know of each, as far
as a plain look at the recorded trace tells."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product

from optimizer.ir.dialects.pypy_pairs import UNCOUNTED
from validator.pypy.printed.lines import Line, is_variable

_VARIANT = re.compile("instance_|_pure|_loopinvariant|_ovf")
_INTEGERS = re.compile("u?int_")
_GUARD_KINDS = {"guard_nonnull_class": "guard_class", "guard_no_overflow": "guard_overflow"}


@dataclass(frozen=True, slots=True)
class Cause:
    """A kind of operation that one optimizer has removed and the other one keeps: the name, the descr, or of a call
    what is called, and what there is to know."""

    name: str
    descr: str
    about: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.descr, self.about)))


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded operation that one of both has removed; `is_ours`: it is left by ours. `text` is how it is printed."""

    is_ours: bool
    cause: Cause
    text: str


def compare(
    recorded: Sequence[Line], theirs: Sequence[Line], origins: Sequence[int | None], names: Mapping[int, str]
) -> tuple[Difference, ...]:
    """The recorded lines that one of both has removed: `origins` are the recorded guards from which their guards
    seem to come, as far as is known, `names` what we have in the places of the recorded lines."""
    ours = {place for place, name in names.items() if _is_kept(recorded[place], name)}
    kept, causes = _kept(recorded, theirs, origins, ours), _Causes(recorded)
    return tuple(
        Difference(place in ours, causes.of(place), str(line))
        for place, line in enumerate(recorded)
        if line.passed is not None and not UNCOUNTED.match(line.name) and (place in ours) != (place in kept)
    )


def _is_kept(line: Line, name: str) -> bool:
    """Does an operation of that name in the place of the line do about the same? A guard may ask in another way, and a
    number may be computed in another way."""
    return line.is_guard or _rough(line.name) == _rough(name)


def _rough(name: str) -> str:
    return "integers" if _INTEGERS.match(name) else _VARIANT.sub("", name)


def _kept(recorded: Sequence[Line], theirs: Sequence[Line], origins: Sequence[int | None], ours: Set[int]) -> set[int]:
    """The places of the recorded lines that stand among theirs: those of the same meaning between the same positions of
    the program, or that have been put off; as far as there are such, ones that we keep, too."""
    guards = [place for place, line in enumerate(recorded) if line.is_guard]
    known = iter(origins)
    kept = {guards[origin] for line in theirs if line.is_guard and (origin := next(known, None)) is not None}
    waiting: dict[str, list[int]] = {}
    for place, line in enumerate(recorded):
        if place not in kept:
            waiting.setdefault(_meaning(line), []).append(place)
    known = iter(origins)
    left = [line for line in theirs if not line.is_guard or next(known, None) is None]
    for is_shared, is_behind in product((True, False), (operator.eq, operator.ge, None)):
        rest = []
        for line in left:
            if is_behind is None:
                fits = (one for one in sorted(ours - kept) if _stands_for(line, recorded[one]))
            else:
                alike = (one for one in waiting.get(_meaning(line), ()) if one not in kept)
                fits = (one for one in alike if is_behind(line.passed or 0, recorded[one].passed or 0))
            found = next((one for one in fits if not is_shared or one in ours), None)
            if found is None:
                rest.append(line)
            else:
                kept.add(found)
        left = rest
    return kept


def _stands_for(line: Line, other: Line) -> bool:
    """Are both numbers that are computed in two ways between the same positions of the program, or stores of what one
    of both optimizers does first, and the other one last?"""
    if _INTEGERS.match(line.name):
        return _INTEGERS.match(other.name) is not None and line.passed == other.passed
    is_store = line.access is not None and line.access.is_store
    known = _indices(line), _indices(other)
    return is_store and (line.name, line.descr) == (other.name, other.descr) and ([] in known or known[0] == known[1])


def _meaning(line: Line) -> str:
    """The operation, its descr, and an index that is constant; guards, and operations that check for an overflow, as
    their kind."""
    if line.is_guard:
        return _GUARD_KINDS.get(line.name, line.name)
    if line.name in ("jump", "finish"):
        return ""
    return " ".join((_VARIANT.sub("", line.name), line.function if line.is_call else line.descr, *_indices(line)))


def _indices(line: Line) -> list[str]:
    """The indices of an access that are constant."""
    return [text for text in line.access.place[1:] if not is_variable(text)] if line.access else []


class _Causes:
    """A plain look at a recorded trace."""

    def __init__(self, recorded: Sequence[Line]) -> None:
        self._lines = recorded
        self._made: Mapping[str, Line] = {line.result: line for line in recorded if line.result}

    def of(self, place: int) -> Cause:
        line = self._lines[place]
        descr = line.function if line.is_call else line.descr
        return Cause(line.name, descr, self._about(place, line))

    def _about(self, place: int, line: Line) -> str:
        if line.is_guard:
            return self._about_guard(place, line)
        if found := line.access:
            again = self._again(place, line)
            what = f"{'into' if found.is_store else 'from'} {self._what(found.place[0])}"
            return f"{what}, {again}" if again else what
        if line.name.startswith("new"):
            return self._first_use(place, line)
        return f"of {' and '.join(dict.fromkeys(map(self._what, line.args[line.is_call :])))}" if line.args else ""

    def _about_guard(self, place: int, line: Line) -> str:
        if not line.args:
            calls = (one for one in reversed(self._lines[:place]) if one.is_call or one.name.endswith("_ovf"))
            last = next(calls, None)
            return "" if last is None else f"behind {last.function if last.is_call else last.name}"
        asked = any(one.is_guard and one.args[:1] == line.args[:1] for one in self._lines[:place])
        return f"of {self._what(line.args[0])}{', asked before' * asked}"

    def _what(self, value: str) -> str:
        """A value in words."""
        line = self._made.get(value)
        if line is None:
            return "an input" if is_variable(value) else "a constant"
        if line.name.startswith("new"):
            return "a new object"
        if found := line.access:
            return f"{found.memory}"
        return f"what {line.function} gives" if line.is_call else line.name

    def _again(self, place: int, line: Line) -> str:
        """The line between an access and the last one to the same place that may have changed it, in words."""
        access, written = line.access, ""
        for one in reversed(self._lines[:place]):
            found = one.access
            if access and found and found.memory == access.memory:
                if found.place == access.place:
                    return f"again behind {written}" if written else "again"
                written = written or ("a store to another one" if found.is_store else "")
            elif one.may_write:
                written = written or one.function
        return ""

    def _first_use(self, place: int, line: Line) -> str:
        """Where a new object is first given away."""
        for one in self._lines[place + 1 :]:
            found = one.access
            if found and found.is_store and found.value == line.result:
                return f"stored to {found.memory} of {self._what(found.place[0])}"
            if line.result in one.args and not found and not one.is_guard:
                return f"given to {one.function if one.is_call else one.name}"
        return ""
