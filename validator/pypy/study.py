"""Knowledge of whole logs: what their pairs say of fields and calls, and a single one does not; each pair translated.

Logs are read twice, since what one pair tells of a field may forbid an assumption in an earlier one, and in another log
of the same PyPy. What is told by its address, as parents are, is of one log. The rest can be kept in a file, and then
is one log more, of which no pair is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import Kind, LogPair, Unpaired
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.pypy.field_types import FieldTypes
from validator.pypy.inferred.classes import Apart
from validator.pypy.inferred.constants.alike import Alike
from validator.pypy.inferred.constants.contents import Content, Contents
from validator.pypy.inferred.constants.folded import Folded
from validator.pypy.inferred.constants.indices import Numbers, numbers_in
from validator.pypy.inferred.constants.lengths import Lengths
from validator.pypy.inferred.constants.storages import OF_ONE_STEP
from validator.pypy.inferred.constants.strategies import Strategies
from validator.pypy.inferred.constants.zeros import Zeros
from validator.pypy.inferred.effects import Effect, leaves
from validator.pypy.inferred.evidence import Evidence
from validator.pypy.inferred.fields import NEVER_CHANGES, Fields, Lone
from validator.pypy.inferred.references import References
from validator.pypy.inferred.sameness import Sameness, sameness_in
from validator.pypy.inferred.strings import SAME_STRINGS
from validator.pypy.inferred.watched import WATCHED
from validator.pypy.inferred.witnesses import witness
from validator.pypy.kept import Kept, damaged
from validator.pypy.printed.calls.copies import COPIED
from validator.pypy.printed.calls.functions import FORCED, FOREIGN, RPYTHON
from validator.pypy.printed.calls.lookups import LOOKED_UP
from validator.pypy.printed.descrs import Descrs
from validator.pypy.printed.float_bytes import FLOAT_BYTES
from validator.pypy.printed.frames import Prologues
from validator.pypy.printed.kinds.lists import OF_ONE_KIND, with_lists
from validator.pypy.printed.kinds.tables import OF_ONE_STRATEGY, with_tables
from validator.pypy.printed.kinds.variables import OF_NOBODY_ELSE, with_variables
from validator.pypy.printed.lines import Printed, read_printed
from validator.pypy.printed.parents import Parents
from validator.pypy.printed.patterns import OF_ONE_PATTERN
from validator.pypy.printed.rows import rows_of
from validator.pypy.printed.signals import SIGNALS
from validator.pypy.printed.straight import UNUSED, NotStraight, Sides, sides_of
from validator.pypy.printed.targets import Targets
from validator.pypy.translate import BY_NAME, HASHES, INSTANCES, SAME_CONSTANTS

_CERTAIN = (
    *(
        SAME_CONSTANTS,
        WATCHED,
        SAME_STRINGS,
        INSTANCES,
        BY_NAME,
        HASHES,
        RPYTHON,
        FORCED,
        FOREIGN,
        COPIED,
        UNUSED,
        FLOAT_BYTES,
    ),
    *(OF_NOBODY_ELSE, OF_ONE_STRATEGY, OF_ONE_KIND, OF_ONE_PATTERN, OF_ONE_STEP, SIGNALS, LOOKED_UP),
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
    is used for what the other one holds, since they stand at one place, or since guards find it that were recorded of
    other values, of which classes new objects are, and what bridges hand to labels; and the `types` of reference
    fields, the `arrays` and `lists` whose types have a number, constant arrays that are one since they are looked up
    `alike`, and the classes of the `strategies` of lists."""

    effects: frozenset[Effect] = frozenset()
    apart: Mapping[str, str] = field(default_factory=dict)
    lone: frozenset[str] = frozenset()
    contents: frozenset[Content] = frozenset()
    zeros: frozenset[str] = frozenset()
    lengths: frozenset[str] = frozenset()
    folded: frozenset[str] = frozenset()
    cells: Numbers = field(default_factory=dict)
    forwards: bool = False
    types: Mapping[str, str] = field(default_factory=dict)
    arrays: Mapping[int, str] = field(default_factory=dict)
    lists: Mapping[str, str] = field(default_factory=dict)
    alike: frozenset[str] = frozenset()
    strategies: Strategies = field(default_factory=Strategies)


@dataclass(frozen=True, slots=True, eq=False)  # it is one key of what is found out once
class Knowledge:
    """Statements on a log: on its fields, and what is inferred; the names of effects that would not be inferred
    without `elsewhere`, what is kept in files; and the orders in which most `prologues` load the fields of a frame, and
    those that are known of frames `of_python`."""

    fields: Fields
    inferred: Inferred
    parents: Parents
    targets: Targets
    elsewhere: frozenset[str] = frozenset()
    prologues: frozenset[tuple[str, ...]] = frozenset()
    of_python: frozenset[tuple[str, ...]] = frozenset()

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
    _prologues: Prologues = field(default_factory=Prologues)
    _strategies: Strategies = field(default_factory=Strategies)
    _logs: list[tuple[Fields, Parents, Targets, Numbers, Strategies]] = field(default_factory=list)
    _kept: list[Kept] = field(default_factory=list)

    def add(self, items: Iterable[LogPair | Unpaired], file: str) -> None:
        """Takes in all pairs of the next log, `file`, and what others of its traces contradict."""
        parents, targets = Parents(), Targets()
        self._fields, self._cells, self._strategies = self._fields.with_next_log(), {}, Strategies()
        self._descrs.next_log()
        for item in items:
            parents.add(item)
            targets.add(item, file)
            if isinstance(item, LogPair):
                self._add(item, file)
            else:
                self._contradict(item.section, file)
        parents.close()
        targets.close()
        self._logs.append((self._fields, parents, targets, self._cells, self._strategies))

    def _add(self, pair: LogPair, file: str) -> None:
        try:
            sides = sides_of(pair, file)
        except (NotStraight, InputError):
            self._contradict(pair.recorded, file)
            self._contradict(pair.optimized, file)
            return
        self._descrs.add(file, sides.before.lines)
        self._prologues.add(sides.prologue)
        sides, _ = with_tables(sides)
        sides, _ = with_lists(sides, sides)
        self._types.add(sides)
        self._strategies.add(sides.before)
        sides = sides if self._fields.share else with_variables(sides, None)[0]
        rows, one = rows_of(sides), witness(len(self._logs), pair.number, pair.point)
        sameness, row = Sameness(rows), rows.pairs[-1]
        self._fields.add(sides.before.lines, sameness)
        self._apart.add(one, sides, sameness)
        self._alike.add(one, sides, sameness)
        self._evidence.add(one, row, sameness)
        self._references.add(sides.before.lines)
        self._contents.add(one, row, sameness)
        self._zeros.add(one, row, sameness)
        self._lengths.add(one, sides)
        self._folded.add(one, sides, rows, sameness)
        self._add_cells(sides)
        if fewer := self._lone.add(one, sides, is_bridge=pair.kind is Kind.BRIDGE):
            self._of_lone.add(one, row, Sameness(rows, lone=fewer))

    def _contradict(self, section: Section, file: str) -> None:
        """Takes in what a trace by itself contradicts: of a pair that cannot be translated, or without one."""
        try:
            printed = read_printed(section, file)
        except InputError:
            return
        nothing = Printed((), ())
        sides = Sides(printed, nothing) if section.is_recorded else Sides(nothing, printed)
        self._fields.add(sides.before.lines, sameness_in(sides.before))
        self._types.add(sides)
        self._strategies.add(sides.before)
        self._add_cells(sides)
        for part in (self._evidence, self._apart, self._lone, self._lengths):
            part.contradict(sides)

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
    def _parts(self) -> dict[str, Evidence | Apart | Lone | Fields | Prologues]:
        """The statements by the names that they have in a file."""
        return {
            "call": self._evidence,
            "call on constant": self._of_lone,
            "class": self._apart,
            "constant": self._lone,
            "field": self._fields,
            "prologue": self._prologues,
        }

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
        fields, parents, targets, cells, strategies = self._logs[log]
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
            lists=self._types.lists(),
            alike=self._alike.assumed(log),
            strategies=strategies,
        )
        elsewhere = frozenset(map(str, effects - own))
        return Knowledge(
            fields, inferred, parents, targets, elsewhere, self._prologues.usual(), self._prologues.of_python()
        )

    def _effects(self, log: int, lone: Set[str], *, is_own: bool) -> frozenset[Effect]:
        of_lone = self._of_lone.assumed(log, is_own=is_own)
        effects = {*(effect for effect in of_lone if effect.memory in lone), *self._references.effects()}
        effects |= self._evidence.assumed(log, is_own=is_own)
        return self._evidence.without_contradicted(effects) | {*self._references.of_frames()}


def study(items: Iterable[LogPair | Unpaired], file: str, *known: Kept) -> Knowledge:
    """Knowledge from all pairs of the log `file`, and from what is known beside it."""
    alone = Study()
    alone.add(items, file)
    for kept in known:
        alone.take(kept)
    return alone.knowledge(0)
