"""Duplicates: cases of a corpus that say nothing that another one does not say.

A pair is said twice where two cases have the same traces, but for the names of variables, and the same options. A case
without a verdict on a pair is there for its recorded trace alone: it says nothing new where another case, on which the
optimizer is run as well, has the same one. A program says what another case of the same one says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fuzz.cases.store import Case
from fuzz.edits.walk import renumbered
from optimizer.ir.faults import InputError
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The case `name` says nothing that the case `same_as` does not say."""

    name: str
    same_as: str


def duplicates(cases: Sequence[Case]) -> tuple[Duplicate, ...]:
    """The cases that can go, by name. Of two that say the same, the one goes that a campaign found rather than the one
    that somebody wrote."""
    kept: dict[tuple[str, ...], str] = {}
    found: list[Duplicate] = []
    for case in sorted(cases, key=_rank):
        said = _said(case)
        if said[0] in kept:
            found.append(Duplicate(case.name, kept[said[0]]))
        else:
            kept = dict.fromkeys(said, case.name) | kept
    return tuple(sorted(found, key=lambda one: one.name))


def _rank(case: Case) -> tuple[bool, bool, bool, bool, str]:
    return not case.expect, not case.optimizer, case.seed is not None, not case.about, case.name


def _said(case: Case) -> list[tuple[str, ...]]:
    """The statements of the case, the strongest first."""
    if case.program:
        return [("program", case.program, case.jit)]
    before, after = canonical_pair(case)
    options = (case.options.guards.value, case.options.failargs.value)
    recorded = ("recorded", before, *options)
    if not case.expect:
        return [recorded]
    pair = ("pair", before, after or "", *options)
    return [pair, recorded] if case.optimizer else [pair]


def canonical_pair(case: Case) -> tuple[str, str | None]:
    """Both texts as they are printed, with variables that are numbered; what is no trace is left as it is."""
    return printed_pair(case, renumbered)


def printed_pair(case: Case, changed: Callable[[Trace], Trace] = lambda trace: trace) -> tuple[str, str | None]:
    """Both texts as they are printed, so that each can be read alone; what is no trace is left as it is."""
    try:
        before = parse(case.before)
    except InputError:
        return case.before, case.after
    recorded = format_trace(changed(before))
    try:
        return recorded, case.after and format_trace(changed(parse(case.after, word=before.word)))
    except InputError:
        return recorded, case.after
