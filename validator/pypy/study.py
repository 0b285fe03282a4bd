"""Knowledge of a whole log: what its pairs say of fields and calls, and a single one does not; each pair translated.

A log is read twice, since what one pair tells of a field may forbid an assumption in an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from optimizer.ir.dialects.pypy_pairs import LogPair
from optimizer.ir.faults import InputError
from validator.pypy.effects import Effect, Evidence, leaves
from validator.pypy.fields import Fields
from validator.pypy.grants import unsaid, with_guards_that_hold
from validator.pypy.lines import read_printed
from validator.pypy.sameness import Sameness
from validator.pypy.straight import NotStraight, Sides, straight
from validator.pypy.translate import Translated, translate


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Statements of a whole log: on its fields, and the effects that its calls are taken not to have."""

    fields: Fields
    effects: frozenset[Effect]

    def leaves(self, function: str, memory: str) -> bool:
        """Is it known that the function leaves this memory as it is?"""
        return self.fields.never_changes(memory) or leaves(function, memory, self.effects, self.fields)

    def certain(self) -> Knowledge:
        """The part of it that is not inferred."""
        return Knowledge(self.fields, frozenset())


def study(pairs: Iterable[LogPair], file: str) -> Knowledge:
    """Knowledge from all pairs of the log `file`. Pairs that cannot be translated say nothing."""
    fields, evidence = Fields(), Evidence()
    for pair in pairs:
        try:
            sides = _sides(pair, file)
        except (NotStraight, InputError):
            continue
        fields.add(sides.before.lines, Sameness(sides))
        evidence.add(pair.number, sides)
    return Knowledge(fields, evidence.assumed())


def translated(pair: LogPair, file: str, knowledge: Knowledge, *, generous: bool = False) -> Translated:
    """The pair in the trace language, with its assumptions; a `generous` one grants the optimizer all that it may have
    known, and the log does not say. Raises NotStraight and InputError."""
    sides = _sides(pair, file)
    sameness = Sameness(sides, knowledge.leaves)
    text = translate(sides, sameness, knowledge.effects, knowledge.fields, generous=generous)
    if not generous or not text.origins:
        return text
    granted = with_guards_that_hold(sides, text.origins[0])
    return translate(granted, Sameness(granted, knowledge.leaves), knowledge.effects, knowledge.fields, generous=True)


def unsaid_of(pair: LogPair, file: str, knowledge: Knowledge) -> tuple[str, ...]:
    """Statements that the log does not hold, and on which values of the optimized trace may depend."""
    sides = _sides(pair, file)
    return unsaid(sides, Sameness(sides, knowledge.leaves), pair.kind)


def _sides(pair: LogPair, file: str) -> Sides:
    return straight(read_printed(pair.recorded, file), read_printed(pair.optimized, file))
