"""Knowledge of whole logs: what their pairs say of fields and calls, and a single one does not; each pair translated.

Logs are read twice, since what one pair tells of a field may forbid an assumption in an earlier one, and in another log
of the same PyPy. What is told by its address, as parents are, is of one log. The rest can be kept in a file, and then
is one log more, of which no pair is judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import Kind, LogPair, Unpaired
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.pypy.alike import Alike, alike, of_one_array
from validator.pypy.facts import Facts, facts_of
from validator.pypy.field_types import FieldTypes, with_numbers, with_types
from validator.pypy.forwarded import FORWARDED, forwarded
from validator.pypy.inferred.classes import Apart, with_classes
from validator.pypy.inferred.constants.contents import Content, Contents
from validator.pypy.inferred.constants.folded import Folded, with_folded
from validator.pypy.inferred.constants.indices import Numbers, numbers_in, with_indices
from validator.pypy.inferred.constants.lengths import Lengths, with_lengths
from validator.pypy.inferred.constants.zeros import Zeros, with_zeros
from validator.pypy.inferred.effects import Effect, leaves
from validator.pypy.inferred.evidence import Evidence
from validator.pypy.inferred.executed import with_calls_of_constants, with_constants
from validator.pypy.inferred.fields import NEVER_CHANGES, Fields, Lone
from validator.pypy.inferred.given import with_given
from validator.pypy.inferred.grants import with_guards_that_hold, with_narrow_numbers
from validator.pypy.inferred.references import References
from validator.pypy.inferred.sameness import Node, Sameness, sameness_in
from validator.pypy.inferred.strings import SAME_STRINGS
from validator.pypy.inferred.watched import WATCHED, with_watched
from validator.pypy.inferred.witnesses import witness
from validator.pypy.kept import Kept, damaged
from validator.pypy.label_args import mistakes
from validator.pypy.lookups import LOOKED_UP, with_lookups
from validator.pypy.printed.copies import COPIED
from validator.pypy.printed.descrs import Descrs
from validator.pypy.printed.float_bytes import FLOAT_BYTES, with_float_bytes
from validator.pypy.printed.frames import check_frames
from validator.pypy.printed.lines import FOREIGN, RPYTHON, UNUSED, Printed, is_pointer, read_printed
from validator.pypy.printed.lists import OF_ONE_KIND, named_kinds, with_lists
from validator.pypy.printed.parents import Parents, Targets, correspond, path_to
from validator.pypy.printed.patterns import OF_ONE_PATTERN, with_pattern
from validator.pypy.printed.rows import Rows, by_preamble, rows_of, with_target
from validator.pypy.printed.signals import SIGNALS, with_ticks
from validator.pypy.printed.straight import NotStraight, Sides, straight
from validator.pypy.printed.tables import OF_ONE_STRATEGY, with_tables
from validator.pypy.printed.thread import with_readings
from validator.pypy.printed.variables import OF_NOBODY_ELSE, named, with_variables
from validator.pypy.translate import HASHES, INSTANCES, SAME_CONSTANTS, Translated, translate

SEEN_ELSEWHERE = " (seen in other programs)"
"""The end of an assumption that rests on what is kept in a file."""

_CERTAIN = (
    *(SAME_CONSTANTS, WATCHED, SAME_STRINGS, INSTANCES, HASHES, RPYTHON, FOREIGN, COPIED, UNUSED, FLOAT_BYTES),
    *(OF_NOBODY_ELSE, OF_ONE_STRATEGY, OF_ONE_KIND, OF_ONE_PATTERN, SIGNALS, LOOKED_UP),
)


def is_inferred(what: str) -> bool:
    """Is this an assumption that would not be made without what is inferred?"""
    return what not in _CERTAIN and not what.endswith(NEVER_CHANGES)


@dataclass(frozen=True, slots=True)
class Inferred:
    """Statements that are inferred from the work of PyPy's optimizer: the effects that calls are taken not to have, the
    classes whose objects are `apart` from constants that they are compared with, the fields that one constant alone
    has, the constants that are known characters, the places of constants that hold 0, and of those whose `lengths` are
    other ones, and the fields of constants that are `folded` to the constants in them; the numbers at which `cells` of
    functions may begin; and, if it `forwards`, which constants of a pair are one since what is stored to one of them
    is used for what the other one holds; and the `types` of reference fields, the `arrays` whose types have a number,
    and constant arrays that are one since they are looked up `alike`."""

    effects: frozenset[Effect] = frozenset()
    apart: frozenset[str] = frozenset()
    lone: frozenset[str] = frozenset()
    contents: frozenset[Content] = frozenset()
    zeros: frozenset[str] = frozenset()
    lengths: frozenset[str] = frozenset()
    folded: frozenset[str] = frozenset()
    cells: Numbers = field(default_factory=dict)
    forwards: bool = False
    types: Mapping[str, str] = field(default_factory=dict)
    arrays: Mapping[int, str] = field(default_factory=dict)
    alike: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)  # it is one key of what is found out once
class Knowledge:
    """Statements on a log: on its fields, and what is inferred; the names of what would not be inferred without
    `elsewhere`, what is kept in files; and the orders in which most `prologues` load the fields of a frame."""

    fields: Fields
    inferred: Inferred
    parents: Parents
    targets: Targets
    elsewhere: frozenset[str] = frozenset()
    prologues: frozenset[tuple[str, ...]] = frozenset()

    @property
    def effects(self) -> frozenset[Effect]:
        return self.inferred.effects

    def given(self, items: Iterable[LogPair | Unpaired]) -> Iterator[LogPair | Unpaired]:
        """The pairs of the log once more, in order, with the earlier ones that they refer to."""
        return self.parents.given(self.targets.given(items))

    def leaves(self, function: str, memory: str) -> bool:
        """Is it known that the function leaves this memory as it is?"""
        return self.fields.never_changes(memory) or leaves(function, memory, self.effects, self.fields)

    def certain(self) -> Knowledge:
        """The part of it that is not inferred."""
        return replace(self, inferred=Inferred(), fields=self.fields.certain())


@dataclass(slots=True)
class Study:
    """The study of logs of one PyPy, one after the other: what they say together, and of each its bridges."""

    _fields: Fields = field(default_factory=Fields)
    _evidence: Evidence = field(default_factory=Evidence)
    _apart: Apart = field(default_factory=Apart)
    _types: FieldTypes = field(default_factory=FieldTypes)
    _lone: Lone = field(default_factory=Lone)
    _alike: Alike = field(default_factory=Alike)
    _of_lone: Evidence = field(default_factory=Evidence)
    _references: References = field(default_factory=References)
    _contents: Contents = field(default_factory=Contents)
    _zeros: Zeros = field(default_factory=Zeros)
    _lengths: Lengths = field(default_factory=Lengths)
    _folded: Folded = field(default_factory=Folded)
    _cells: dict[str, set[int]] = field(default_factory=dict)
    _descrs: Descrs = field(default_factory=Descrs)
    _prologues: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _logs: list[tuple[Fields, Parents, Targets, Numbers]] = field(default_factory=list)
    _kept: list[Kept] = field(default_factory=list)

    def add(self, items: Iterable[LogPair | Unpaired], file: str) -> None:
        """Takes in all pairs of the next log, `file`, and what others of its traces contradict."""
        parents, targets = Parents(), Targets()
        self._fields, self._cells = self._fields.with_next_log(), {}
        self._descrs.next_log()
        for item in items:
            parents.add(item)
            targets.add(item)
            if isinstance(item, LogPair):
                self._add(item, file)
            else:
                self._contradict(item.section, file)
        parents.close()
        targets.close()
        self._logs.append((self._fields, parents, targets, self._cells))

    def _add(self, pair: LogPair, file: str) -> None:
        try:
            sides = _sides(pair, file)
        except (NotStraight, InputError):
            self._contradict(pair.recorded, file)
            self._contradict(pair.optimized, file)
            return
        self._descrs.add(file, sides.before.lines)
        self._prologues[sides.prologue] += 1
        sides, _ = with_tables(sides)
        sides, _ = with_lists(sides, sides)
        rows, one = rows_of(sides), witness(len(self._logs), pair.number, pair.point)
        sameness, row, once = Sameness(rows), rows.pairs[-1], len(sides.before.lines) - 1
        self._fields.add(sides.before.lines, sameness)
        self._apart.add(one, sides, sameness)
        self._types.add(sides)
        self._alike.add(one, sides, sameness)
        self._evidence.add(one, row, once, sameness)
        self._references.add(sides.before.lines)
        self._contents.add(one, row)
        self._zeros.add(one, row, sameness)
        self._lengths.add(one, sides)
        self._folded.add(one, sides, rows, sameness)
        self._add_cells(sides)
        if fewer := self._lone.add(one, sides, is_bridge=pair.kind is Kind.BRIDGE):
            self._of_lone.add(one, row, once, Sameness(rows, lone=fewer))

    def _contradict(self, section: Section, file: str) -> None:
        """Takes in what a trace by itself contradicts: of a pair that cannot be translated, or without one."""
        try:
            printed = read_printed(section, file)
        except InputError:
            return
        if section.is_recorded:
            self._fields.add(printed.lines, sameness_in(printed))
            self._add_cells(Sides(printed, Printed((), ())))
        for part in (self._evidence, self._apart, self._lone, self._lengths, self._types):
            part.contradict(printed, is_recorded=section.is_recorded)

    def _add_cells(self, sides: Sides) -> None:
        for function, number, _ in numbers_in(sides):
            self._cells.setdefault(function, set()).add(number)

    def take(self, kept: Kept) -> None:
        """Takes in what is kept of other logs. Raises InputError."""
        self._kept.append(kept)
        self._descrs.next_log()
        self._descrs.take(kept.name, kept.descrs)
        try:
            for part, *row in kept.rows:
                if part != "descr":
                    self._parts[part].take(tuple(row), -len(self._kept))
        except (ValueError, KeyError):
            raise damaged(kept.name) from None

    @property
    def _parts(self) -> dict[str, Evidence | Apart | Lone | Fields]:
        """The statements by the names that they have in a file."""
        of_calls = {"call": self._evidence, "call on constant": self._of_lone}
        return {**of_calls, "class": self._apart, "constant": self._lone, "field": self._fields}

    def kept(self, name: str) -> Kept:
        """All that is said and means the same in all processes."""
        rows = {(part, *row) for part, said in self._parts.items() for row in said.kept()}
        rows |= {("descr", text) for text in self._descrs.texts}
        return Kept(name, len(self._logs) + sum(kept.logs for kept in self._kept), frozenset(rows))

    def agrees(self, kept: Kept) -> bool:
        """Is this of the PyPy that has written the logs, as far as they tell?"""
        return self._descrs.agree(kept.descrs)

    def check(self) -> None:
        """Raises InputError if the logs are not of one PyPy."""
        self._descrs.check()

    def knowledge(self, log: int) -> Knowledge:
        """Knowledge of the log of that number, counted from 0."""
        fields, parents, targets, cells = self._logs[log]
        fields = fields.with_places(self._descrs.fields)
        lone = self._lone.assumed(log)
        effects, own = (self._effects(log, lone, is_own=is_own) for is_own in (False, True))
        folded = frozenset(filter(fields.never_changes, self._folded.assumed(log)))
        constants = self._contents.assumed(log), self._zeros.assumed(log), self._lengths.assumed(log), folded
        inferred = Inferred(
            *(effects, self._apart.assumed(log), lone, *constants),
            forwards=True,
            types=self._types.assumed(),
            cells=cells,
            arrays=self._types.arrays(),
            alike=self._alike.assumed(log),
        )
        elsewhere = frozenset(map(str, effects - own))
        return Knowledge(fields, inferred, parents, targets, elsewhere, _usual(self._prologues))

    def _effects(self, log: int, lone: Set[str], *, is_own: bool) -> frozenset[Effect]:
        of_lone = self._of_lone.assumed(log, is_own=is_own)
        effects = {*(effect for effect in of_lone if effect.memory in lone), *self._references.effects()}
        return self._evidence.without_contradicted(self._evidence.assumed(log, is_own=is_own) | effects)


def _usual(prologues: Counter[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    """The prologues that are more frequent than each other one that loads such a field: of a virtualizable PyPy loads
    the same fields in the same order everywhere."""
    return frozenset(
        one
        for one, times in prologues.items()
        if not any(other != one and {*other} & {*one} and times <= prologues[other] for other in prologues)
    )


def study(items: Iterable[LogPair | Unpaired], file: str, *known: Kept) -> Knowledge:
    """Knowledge from all pairs of the log `file`, and from what is known beside it."""
    alone = Study()
    alone.add(items, file)
    for kept in known:
        alone.take(kept)
    return alone.knowledge(0)


def translated(
    pair: LogPair,
    file: str,
    knowledge: Knowledge,
    *,
    strict: Translated | None = None,
    is_by_preamble: bool = False,
    is_typed: bool = False,
) -> Translated:
    """The pair in the trace language, with its assumptions. Behind the `strict` translation comes a generous one, which
    grants the optimizer all that it may have known, and the log does not say. `is_by_preamble`: that of a bridge with
    the preamble of the loop that it jumps to, in the place of what was recorded; `is_typed`: it says of which types the
    fields are that it asks for there. Raises NotStraight and InputError."""
    generous = strict is not None
    whole, sides, facts, of_values = _with_facts(pair, file, knowledge, generous)
    sides = by_preamble(sides) if is_by_preamble else sides
    sides, lookups = with_lookups(sides, knowledge.leaves)
    sides, given = with_given(sides, knowledge.effects, knowledge.leaves)
    known = knowledge.leaves, knowledge.fields.never_changes
    sides, watched = with_watched(sides, whole, *known)
    sides = with_calls_of_constants(with_constants(sides, *known))
    sides, apart = with_classes(sides, knowledge.inferred.apart)
    sides, zeros = with_zeros(sides, knowledge.inferred.zeros)
    sides, lengths = with_lengths(sides, knowledge.inferred.lengths)
    sides, indices = with_indices(sides, knowledge.inferred.cells)
    sides, types = with_types(sides, knowledge.inferred.types) if is_typed else (sides, ())
    if strict is not None:
        sides = with_narrow_numbers(with_guards_that_hold(sides, strict.origins, pair.kind))
    text = _text(sides, knowledge, generous=generous)
    text, numbers = with_numbers(sides, text, knowledge.inferred.arrays) if is_typed else (text, ())
    rests_on = {parent.number for parent in pair.parents if facts.lines}
    rests_on |= {number for number in knowledge.targets.bridges_to(rests_on) if number < pair.number}
    if pair.target is not None:
        rests_on.add(pair.target.number)
    inferred = *apart, *zeros, *lengths, *indices, *types, *numbers
    assumes = sorted({*text.assumes, *facts.assumes, *of_values, *lookups, *given, *watched, *inferred})
    told = (f"{what}{SEEN_ELSEWHERE}" if what in knowledge.elsewhere else what for what in assumes)
    guards = (line for line in sides.after.lines if line.is_guard)
    resumed = (named(knowledge.parents.resumed(pair.number, guard)) for guard in guards)
    return replace(
        text,
        assumes=tuple(told),
        rests_on=tuple(sorted(rests_on)),
        is_bridge=pair.kind is not Kind.LOOP and not text.is_loop,
        by_preamble=is_by_preamble,
        resumed=tuple(named_kinds(memories, sides.lines) for memories in resumed),
        mistakes=() if is_by_preamble else text.mistakes,
    )


@lru_cache(maxsize=1)  # a bridge to an inner label is translated twice
def _with_facts(
    pair: LogPair, file: str, knowledge: Knowledge, generous: bool
) -> tuple[Sides, Sides, Facts, tuple[str, ...]]:
    """The pair as the log has it, and with what its parents say in front, with the assumptions. Raises NotStraight and
    InputError."""
    whole = _whole(pair, file)
    if whole.prologue not in knowledge.prologues:
        raise NotStraight("what is loaded in front is in another order than in front of most traces of the log")
    check_frames(whole, frozenset().union(*knowledge.prologues))
    sides = whole.without_unused()
    unused = () if sides == whole else (UNUSED,)
    sides, of_floats = with_float_bytes(sides)
    sides, of_signals = with_ticks(sides)
    facts = Facts()
    path = path_to(pair, file)
    path = path if path is not None and correspond(path.handed, sides.before.inputs) else None
    if path is not None:
        facts = facts_of(path, sides, knowledge.effects, knowledge.fields, generous=generous)
        sides = replace(sides, before=sides.before.with_lines(facts.in_front(sides.before.lines)))
    sides, tables = with_tables(sides)
    sides, lists = with_lists(sides, whole)
    sides, pattern = with_pattern(sides)
    sides, variables = (sides, ()) if knowledge.fields.share else with_variables(sides, path)
    return whole, sides, facts, (*unused, *of_floats, *of_signals, *tables, *lists, *pattern, *variables)


def _text(sides: Sides, knowledge: Knowledge, *, generous: bool) -> Translated:
    rows = rows_of(sides)
    sameness, inferred = Sameness(rows, knowledge.leaves), knowledge.inferred
    made_one = _made_one(rows, sameness, inferred.lone)
    tables = alike(sides, inferred.alike)
    same = [(one, other) for one, *others in tables.values() for other in others]
    if made_one or same:
        sameness = Sameness(rows, knowledge.leaves, inferred.lone, same)
    more = forwarded(rows, sameness, knowledge.leaves) if inferred.forwards else []
    if more:
        same += more
        sameness = Sameness(rows, knowledge.leaves, inferred.lone, same)
    sides, folded = with_folded(sides, rows, sameness, inferred.folded)
    if folded:
        rows = rows_of(sides)
        sameness = Sameness(rows, knowledge.leaves, inferred.lone, same)
    text = translate(
        sides, rows, sameness, inferred.effects, knowledge.fields, contents=inferred.contents, generous=generous
    )
    of_one = (*map(of_one_array, tables), *((FORWARDED,) if more else ()))
    assumes = (*text.assumes, *map(_one_object, made_one), *of_one, *folded)
    return replace(text, assumes=assumes, mistakes=tuple(mistakes(sides, sameness)))


def _one_object(memory: str) -> str:
    return f"constants that have {memory} are one object"


def _made_one(rows: Rows, sameness: Sameness, lone: Set[str]) -> list[str]:
    """The `lone` fields of which nothing else tells that the constants that have them are one object."""
    holders: dict[str, set[Node]] = {}
    for trace, found in rows.accesses():
        if found.memory in lone and is_pointer(found.place[0]):
            holders.setdefault(found.memory, set()).add(sameness.of(trace, found.place[0]))
    return sorted(memory for memory, nodes in holders.items() if len(nodes) > 1)


@lru_cache(maxsize=1)  # a pair is translated up to three times
def _whole(pair: LogPair, file: str) -> Sides:
    """The pair with the loop that it jumps to, if that is a peeled one."""
    sides = _sides(pair, file)
    if pair.is_target_lost:
        raise NotStraight("a jump to an inner label that is not known, or to that of another loop")
    if pair.target is not None:
        sides = with_readings(with_target(sides, _sides(pair.target, file), pair.target.number))
    return sides


def _sides(pair: LogPair, file: str) -> Sides:
    return straight(read_printed(pair.recorded, file), read_printed(pair.optimized, file))
