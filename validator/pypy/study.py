"""Knowledge of a whole log: what its pairs say of fields and calls, and a single one does not; each pair translated.

A log is read twice, since what one pair tells of a field may forbid an assumption in an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from optimizer.ir.dialects.pypy_pairs import LogPair, Unpaired
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.pypy.effects import Effect, Evidence, leaves
from validator.pypy.facts import Facts, facts_of
from validator.pypy.fields import Fields
from validator.pypy.grants import unsaid, with_guards_that_hold
from validator.pypy.lines import read_printed
from validator.pypy.parents import Parents, correspond, path_to
from validator.pypy.sameness import Sameness
from validator.pypy.straight import NotStraight, Sides, straight
from validator.pypy.translate import Translated, translate


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Statements of a whole log: on its fields, and the effects that its calls are taken not to have."""

    fields: Fields
    effects: frozenset[Effect]
    parents: Parents

    def leaves(self, function: str, memory: str) -> bool:
        """Is it known that the function leaves this memory as it is?"""
        return self.fields.never_changes(memory) or leaves(function, memory, self.effects, self.fields)

    def certain(self) -> Knowledge:
        """The part of it that is not inferred."""
        return replace(self, effects=frozenset())


def study(items: Iterable[LogPair | Unpaired], file: str) -> Knowledge:
    """Knowledge from all pairs of the log `file`. Pairs that cannot be translated say nothing."""
    fields, evidence, parents = Fields(), Evidence(), Parents()
    for pair in items:
        parents.add(pair)
        if isinstance(pair, Unpaired):
            continue
        try:
            sides = _sides(pair, file)
        except (NotStraight, InputError):
            continue
        fields.add(sides.before.lines, Sameness(sides))
        evidence.add(pair.number, sides)
    return Knowledge(fields, evidence.assumed(), parents)


def translated(pair: LogPair, file: str, knowledge: Knowledge, *, generous: bool = False) -> Translated:
    """The pair in the trace language, with its assumptions; a `generous` one grants the optimizer all that it may have
    known, and the log does not say. Raises NotStraight and InputError."""
    sides = _sides(pair, file)
    facts = Facts()
    path = path_to(pair, file)
    if path is not None and correspond(path.handed, sides.before.inputs):
        facts = facts_of(path, sides.before, knowledge.effects, knowledge.fields, generous=generous)
        sides = Sides(sides.before.with_lines((*facts.lines, *sides.before.lines)), sides.after)
    text = translate(sides, Sameness(sides, knowledge.leaves), knowledge.effects, knowledge.fields, generous=generous)
    if generous:
        sides = with_guards_that_hold(sides, text.origins)
        sameness = Sameness(sides, knowledge.leaves)
        text = translate(sides, sameness, knowledge.effects, knowledge.fields, generous=True)
    if not facts.lines:
        return text
    assumes = tuple(sorted({*text.assumes, *facts.assumes}))
    return replace(text, assumes=assumes, rests_on=tuple(parent.number for parent in pair.parents))


def unsaid_of(pair: LogPair, file: str, knowledge: Knowledge) -> tuple[str, ...]:
    """Statements that the log does not hold, and on which values of the optimized trace may depend."""
    sides = _sides(pair, file)
    return unsaid(sides, Sameness(sides, knowledge.leaves), pair.kind)


def _sides(pair: LogPair, file: str) -> Sides:
    return straight(read_printed(pair.recorded, file), read_printed(pair.optimized, file))
