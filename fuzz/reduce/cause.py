"""The cause that a wrong pair keeps while it is made smaller: its change, and the lines that make the change wrong.

A load that is left out is wrong because of the store in front of it: without that store the change is right. Such
lines, which both traces have and without which the pair is proved, are decisive. Of candidates that show the failure,
only those are taken whose change is of the same nature, and which are right without each of the decisive lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from fuzz.reduce.candidate import Candidate
from fuzz.reduce.change import Place, parts_of, regions_of
from fuzz.reduce.drop import without
from fuzz.reduce.nature import Nature
from fuzz.reduce.structure import halves
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Kind
from optimizer.ir.trace import all_operations

IsRight = Callable[[Candidate], bool]


def isolated(candidate: Candidate, shown: Callable[[Candidate], Candidate | None], is_right: IsRight) -> Candidate:
    """The pair without those parts of its change that the failure does not need; `shown` gives what still shows it."""
    for undo in _innocent_parts(candidate, is_right):
        left = undo(candidate)
        candidate = (None if left is None else shown(left)) or candidate
    return candidate


def _innocent_parts(candidate: Candidate, is_right: IsRight) -> Iterator[Callable[[Candidate], Candidate | None]]:
    """Parts of a change that may be undone while it stays the same fault: what is right alone, and what has nothing to
    do with the rest."""
    change = candidate.change
    assert change is not None
    parts = parts_of(change)
    regions = regions_of(change, parts)
    for first, last in halves(len(regions)):
        if last - first < len(regions):
            yield partial(_undone, places=frozenset[Place]().union(*regions[first:last]))
    for first, last in halves(len(parts)):
        others = frozenset[Place]().union(*parts[:first], *parts[last:])
        if others and is_right(replace(candidate, after=change.undone(others))):
            yield partial(_undone, places=frozenset[Place]().union(*parts[first:last]))


def _undone(candidate: Candidate, places: frozenset[Place]) -> Candidate | None:
    assert candidate.change is not None
    after = candidate.change.undone(places)
    return None if after == candidate.after else replace(candidate, after=after)


@dataclass(frozen=True, slots=True)
class Cause:
    """Without one of the `decisive` lines, the pair is right."""

    nature: Nature
    decisive: tuple[int, ...] = ()


def cause_of(candidate: Candidate, is_right: IsRight) -> Cause:
    """The cause for which the pair is wrong."""
    assert candidate.change is not None
    decisive = (line for line in reversed(_effects(candidate)) if _is_decisive(candidate, line, is_right))
    return Cause(candidate.change.nature, tuple(decisive))


def is_cause(cause: Cause, candidate: Candidate, is_right: IsRight) -> bool:
    """Is the pair still wrong because of that?"""
    assert candidate.change is not None
    return candidate.change.nature == cause.nature and all(
        _is_decisive(candidate, line, is_right) for line in cause.decisive
    )


def _is_decisive(candidate: Candidate, line: int, is_right: IsRight) -> bool:
    left = without(candidate, {line} & candidate.shared_lines)
    return left is not None and is_right(left)


def _effects(candidate: Candidate) -> list[int]:
    """The lines of both whose loss may make a difference less: what only computes a value becomes any value."""
    return [
        op.line
        for op in all_operations(candidate.before)
        if op.line in candidate.shared_lines and op.op.kind not in (Kind.PURE, Kind.END)
    ]
