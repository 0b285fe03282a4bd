"""Knowledge of a whole log: what its pairs say of fields and calls, and a single one does not; each pair translated.

A log is read twice, since what one pair tells of a field may forbid an assumption in an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from optimizer.ir.dialects.pypy_pairs import LogPair, Unpaired
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.pypy.effects import Effect, Evidence, leaves
from validator.pypy.facts import Facts, facts_of
from validator.pypy.fields import Fields
from validator.pypy.grants import with_guards_that_hold
from validator.pypy.lines import read_printed
from validator.pypy.parents import Parents, correspond, path_to
from validator.pypy.rows import rows_of, with_target
from validator.pypy.sameness import Sameness
from validator.pypy.straight import NotStraight, Sides, straight
from validator.pypy.targets import Targets
from validator.pypy.translate import Translated, translate


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Statements of a whole log: on its fields, and the effects that its calls are taken not to have."""

    fields: Fields
    effects: frozenset[Effect]
    parents: Parents
    targets: Targets

    def given(self, items: Iterable[LogPair | Unpaired]) -> Iterator[LogPair | Unpaired]:
        """The pairs of the log once more, in order, with the earlier ones that they refer to."""
        return self.parents.given(self.targets.given(items))

    def leaves(self, function: str, memory: str) -> bool:
        """Is it known that the function leaves this memory as it is?"""
        return self.fields.never_changes(memory) or leaves(function, memory, self.effects, self.fields)

    def certain(self) -> Knowledge:
        """The part of it that is not inferred."""
        return replace(self, effects=frozenset())


def study(items: Iterable[LogPair | Unpaired], file: str) -> Knowledge:
    """Knowledge from all pairs of the log `file`. Pairs that cannot be translated say nothing."""
    fields, evidence, parents, targets = Fields(), Evidence(), Parents(), Targets()
    for pair in items:
        parents.add(pair)
        targets.add(pair)
        if isinstance(pair, Unpaired):
            continue
        try:
            sides = _sides(pair, file)
        except (NotStraight, InputError):
            continue
        fields.add(sides.before.lines, Sameness(rows_of(sides)))
        evidence.add(pair.number, sides)
    return Knowledge(fields, evidence.assumed(), parents, targets)


def translated(pair: LogPair, file: str, knowledge: Knowledge, *, generous: bool = False) -> Translated:
    """The pair in the trace language, with its assumptions; a `generous` one grants the optimizer all that it may have
    known, and the log does not say. Raises NotStraight and InputError."""
    sides = _whole(pair, file)
    facts = Facts()
    path = path_to(pair, file)
    if path is not None and correspond(path.handed, sides.before.inputs):
        facts = facts_of(path, sides.before, knowledge.effects, knowledge.fields, generous=generous)
        sides = replace(sides, before=sides.before.with_lines((*facts.lines, *sides.before.lines)))
    text = _text(sides, knowledge, generous=generous)
    if generous:
        text = _text(with_guards_that_hold(sides, text.origins), knowledge, generous=True)
    rests_on = {parent.number for parent in pair.parents if facts.lines}
    if pair.target is not None:
        rests_on.add(pair.target.number)
    assumes = tuple(sorted({*text.assumes, *facts.assumes}))
    return replace(text, assumes=assumes, rests_on=tuple(sorted(rests_on)))


def _text(sides: Sides, knowledge: Knowledge, *, generous: bool) -> Translated:
    rows = rows_of(sides)
    sameness = Sameness(rows, knowledge.leaves)
    return translate(sides, rows, sameness, knowledge.effects, knowledge.fields, generous=generous)


def _whole(pair: LogPair, file: str) -> Sides:
    """The pair with the loop that it jumps to, if that is a peeled one."""
    sides = _sides(pair, file)
    if pair.is_target_lost:
        raise NotStraight("a jump to a label of which the log does not say whether it is an inner one")
    return sides if pair.target is None else with_target(sides, _sides(pair.target, file), pair.target.number)


def _sides(pair: LogPair, file: str) -> Sides:
    return straight(read_printed(pair.recorded, file), read_printed(pair.optimized, file))
