"""The facts that hold at the place that a walk over a trace has come to.

Three things about values, all learned from the operations that it has come past: which are equal, which operation
defines each, and between which bounds it lies. Values are looked up by their representative, which `find` gives. Then
what is known of references, of the contents of memory, and whether the code is valid. Where an operation is never
defined, nobody gets behind it; what is learned there holds of nobody, and the walk just goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from optimizer.facts import aliasing
from optimizer.facts.bounds_inference import BoundsInference
from optimizer.facts.cells import Cell, cell_of, copy_of, is_cleared, stored_value
from optimizer.facts.conditions import (
    AtMost,
    Bit,
    Both,
    Condition,
    EqualInts,
    IsA,
    IsValid,
    Length,
    Not,
    Same,
    behind,
    meant,
    requirements,
    watching,
)
from optimizer.facts.memory import Memory
from optimizer.facts.narrowing import narrow
from optimizer.facts.raw_contents import RawContents
from optimizer.facts.references import About, References
from optimizer.ir.domains.bounds import bounds_domain
from optimizer.ir.rows.ops import Role, Type
from optimizer.ir.rows.row import COPY, EVENT, FACT, GUARD, INT, LOAD, NEW, RAW_LOAD, RAW_STORE, STORE
from optimizer.ir.trace import ConstInt, Operation, Value, Var
from optimizer.ir.types.calls import EVENT_ROLES, call_of
from optimizer.ir.types.known_calls import meant as known_call
from optimizer.ir.types.layout import Array, Field, Layout, RawItem, Struct
from optimizer.ir.types.memory_cells import range_of, takes_object

V = TypeVar("V", bound=Value | None)

_REFRESHED = 2
"""So many definitions before that of a value are looked at again with it."""


def _no_names(_type: Type) -> Var:
    raise AssertionError("there are no names where nothing is put out")


class Facts:
    """`layout` is that of the trace. With `decide_values`, a variable with one possible value is that constant.

    `fresh` gives names that nobody has. `now` is the time, which a definition advances; `slots` are the slots of memory
    that have been met, by their keys.
    """

    def __init__(self, layout: Layout, *, decide_values: bool) -> None:
        self.layout = layout
        self.word = word = layout.word
        self.now = 0
        self.fresh: Callable[[Type], Var] = _no_names
        self.slots: dict[str, Field] = {}
        self.is_valid = False
        self.references = References(layout, self.find, self._age)
        self.memory = Memory(self)
        self.raw = RawContents(self)
        self.bounds = BoundsInference(word, self._decide) if decide_values else BoundsInference(word)
        self._equal_to: dict[Var, Value] = {}
        self._equated = self._equal_to.keys()
        self._definitions: dict[Var, Operation] = {}
        self._ages: dict[Var, int] = {}
        self._latest_cell: tuple[Operation, Cell] | None = None

    def find(self, value: Value) -> Value:
        """The representative of all values that equal `value`: a constant, or the variable defined first."""
        if not isinstance(value, Var):
            return value
        nearer = self._equal_to.get(value)
        if nearer is None:
            return value
        if not isinstance(nearer, Var) or nearer not in self._equal_to:
            return nearer
        passed: list[Var] = []
        while nearer is not None:
            assert isinstance(value, Var)
            passed.append(value)
            value = nearer
            nearer = self._equal_to.get(value) if isinstance(value, Var) else None
        for var in passed:
            self._equal_to[var] = value
        return value

    def find_all(self, values: tuple[V, ...]) -> tuple[V | Value, ...]:
        """The representatives of these."""
        known = self._equal_to
        if self._equated.isdisjoint(values):
            return values
        return tuple([self.find(value) if value in known else value for value in values])

    @property
    def equalities(self) -> int:
        """The number of equalities that are known: as long as it is the same, so are representatives."""
        return len(self._equal_to)

    def _decide(self, var: Var, value: int) -> None:
        """The bounds leave that value only."""
        if var not in self._equal_to:
            self._equal_to[var] = ConstInt(value)

    def equate(self, var: Var, value: Value) -> None:
        """Notes that from here on `var` is `value`, which was there before it or is a constant."""
        self._equal_to[var] = value

    def unite(self, a: Value, b: Value) -> None:
        """Notes that from here on `a` and `b` are equal."""
        a, b = self.find(a), self.find(b)
        if isinstance(a, Var) and (not isinstance(b, Var) or self._age(b) < self._age(a)):
            a, b = b, a
        if isinstance(b, Var) and a != b:
            self.equate(b, a)
            self.references.merge(b, a)

    def _age(self, value: Value) -> int:
        return self._ages.get(value, 0) if isinstance(value, Var) else 0

    def definition(self, value: Value) -> Operation | None:
        """The emitted operation whose result is `value`; None of inputs and constants."""
        return self._definitions.get(value) if isinstance(value, Var) else None

    def overflowed(self, value: Value) -> bool | None:
        """Did the overflow operation that defines `value` overflow? None where nobody has looked."""
        return self.bounds.overflowed(value) if isinstance(value, Var) else None

    def cell(self, operation: Operation) -> Cell:
        """The cell that a load reads or a store changes, by representatives, as its arguments are."""
        latest = self._latest_cell
        if latest is None or latest[0] is not operation:  # each is asked about several times in a row
            cell = cell_of(operation, self.layout)
            self.slots.setdefault(cell.slot.key, cell.slot)
            latest = self._latest_cell = operation, cell
        return latest[1]

    def normal(self, cell: Cell) -> Cell:
        """The cell by the slot that declares it, and by representatives."""
        slot = self.slots.setdefault(cell.slot.key, cell.slot)
        owner, index = self.find(cell.object), None if cell.index is None else self.find(cell.index)
        if slot is cell.slot and owner is cell.object and index is cell.index:
            return cell
        return Cell(slot, owner, index)

    def refresh(self, value: Value, depth: int = _REFRESHED) -> None:
        """Bound `value` anew by its definition, about whose arguments more may have been learned since."""
        definition = self.definition(value)
        if definition is None or not definition.op.is_pure:
            return
        if depth:
            for arg in definition.args:
                self.refresh(arg, depth - 1)
        told = narrow(definition.op, self.word, self.bounds.all_bounds(definition.args))
        if told is not None and told.result is not None:
            self.bounds.assume(value, told.result)
        self.bounds.contradiction = False

    def learn(self, operation: Operation, *, delayed: bool = False) -> bool:
        """Learns the facts that hold behind `operation`. False if it is a guard that no run passes.

        `delayed`: it has not been emitted yet, but everything from here on is as if it had been.
        """
        row, result = operation.op, operation.result
        passed = True
        if row.kind is GUARD:
            passed = self._learn_guard(operation)
        elif row.kind is EVENT:
            self._learn_call(operation)
        elif row.memory is not None:
            self._learn_of_heap(operation, delayed)
        if result is not None:
            self.now += 1
            self._definitions[result] = operation
            self._ages[result] = self.now
        if row.is_pure:
            self.bounds.define(operation)
        elif row.has_floats and row.result is INT:
            self._bound_of_floats(operation)
        self.bounds.contradiction = False
        return passed

    # The heap.

    def _learn_of_heap(self, operation: Operation, delayed: bool) -> None:
        kind = operation.op.kind
        if kind is LOAD or kind is STORE:
            self._learn_access(operation, delayed)
            return
        if kind is NEW:
            self._learn_allocation(operation)
            return
        self._learn_requirements(operation)
        if kind is COPY:
            self.memory.copy(copy_of(operation, self.layout))
        elif kind is RAW_LOAD or kind is RAW_STORE:
            self._learn_raw(operation)
        else:
            self._learn_meaning(operation)
            if operation.memory is not None and operation.memory.shows:  # who has the address may find the object
                self.memory.escape(self.find(operation.args[0]))

    def _learn_call(self, operation: Operation) -> None:
        known = known_call(operation, self.layout)
        if known.op.kind is COPY:
            self._learn_requirements(known)
            for arg in known.args:
                self.memory.escape(arg)
            self.memory.copy(copy_of(known, self.layout))
            return
        call = call_of(operation, self.layout)
        if call is not None and call.role in EVENT_ROLES:
            self.is_valid = self.is_valid and not call.effects.can_invalidate
            self.memory.event(call.effects, operation.args)
            self.raw.event(call.effects)
        else:
            for arg in operation.args:
                self.memory.escape(arg)
        if call is not None and call.role is Role.MEMORY:
            self._learn_known_call(known)

    def _learn_known_call(self, meant: Operation) -> None:
        """Learns the facts that hold behind a function on strings."""
        self._learn_requirements(meant)
        result, slot = meant.result, self.layout.descr_of(meant)
        assert isinstance(slot, Field)
        if result is not None and meant.op.kind is NEW:
            assert slot.owner is not None
            self.memory.allocate(result, self.layout.array(slot.owner), None)
            about = self.references.learn_object(result)
            about.is_array, about.isa = True, slot.owner
        elif result is not None:
            self._bound(result, 0, 1)

    def _learn_requirements(self, operation: Operation) -> None:
        descr = self.layout.descr_of(operation)
        for condition in requirements(operation, descr):
            self.assume(condition)
        watched = watching(operation, descr) if operation.op.kind is FACT else None
        if watched is not None:
            self.memory.watch(Cell(watched[1], watched[0]))

    def _learn_access(self, operation: Operation, delayed: bool) -> None:
        cell = self.cell(operation)
        about, owner = self.references.about(cell.object), cell.slot.owner
        if not about.nonnull or (owner is not None and about.isa != owner):  # else it requires no more of references
            for condition in requirements(operation, cell.slot):
                self.assume(condition)
        index = cell.index
        if index is not None and not (isinstance(index, ConstInt) and index.value < about.least_length):
            self._learn_index(self.references.learn_about(cell.object), index)
        if operation.result is None:
            self.memory.store(cell, stored_value(operation), delayed=delayed)
        else:
            self._learn_load(cell, operation.result)

    def _learn_index(self, about: About, index: Value) -> None:
        """An item has been accessed: its index is not negative, and less than the length."""
        largest = bounds_domain(self.word).half - 1
        if not isinstance(index, ConstInt) and (about.length is not None or self.bounds.bounds(index).low < 0):
            most = largest if about.length is None else self.bounds.bounds(about.length).high
            self._bound(index, 0, most - 1)
        longer = index.value + 1 if isinstance(index, ConstInt) else self.bounds.bounds(index).low + 1
        if longer > about.least_length:
            about.least_length = longer
            if about.length is not None:
                self._bound(about.length, longer, largest)

    def _learn_load(self, cell: Cell, result: Var) -> None:
        self.memory.load(cell, result)
        self._bound(result, cell.slot.low, cell.slot.high)

    def _learn_raw(self, operation: Operation) -> None:
        slot = self.layout.descr_of(operation)
        low, high = range_of(slot, self.word) if isinstance(slot, (RawItem, Field)) else (None, None)
        if operation.result is not None:
            self._bound(operation.result, low, high)
        if takes_object(operation):
            self.memory.access_bytes(operation)
        else:
            self.raw.learn(operation)

    def _learn_allocation(self, operation: Operation) -> None:
        var, allocated = operation.result, self.layout.descr_of(operation)
        assert var is not None
        assert isinstance(allocated, (Struct, Array))
        self.memory.allocate(var, allocated, is_cleared(operation, allocated))
        about = self.references.learn_object(var)
        about.is_array = isinstance(allocated, Array)
        about.isa = allocated.name if allocated.declared else None
        if isinstance(allocated, Struct):
            about.vtable = allocated.vtable
        else:
            about.length = operation.args[0]

    def _learn_meaning(self, operation: Operation) -> None:
        match meant(operation):
            case Bit():
                assert operation.result is not None
                self._bound(operation.result, 0, 1)
            case Length(value):
                assert operation.result is not None
                about = self.references.learn_about(value)
                self._bound(operation.result, about.least_length, bounds_domain(self.word).half - 1)
                about.length = about.length or operation.result

    def _bound(self, value: Value, low: int | None, high: int | None) -> None:
        bounds = None if low is None or high is None else bounds_domain(self.word).between(low, high)
        if bounds is not None:
            self.bounds.assume(value, bounds)

    def assume(self, condition: Condition) -> None:
        """Learn that a condition on references holds here."""
        if condition is None or condition is True:
            return
        if isinstance(condition, IsA):
            self.references.assume(condition)
        elif isinstance(condition, Both):
            self.assume(condition.one)
            self.assume(condition.other)
        elif isinstance(condition, Not) and isinstance(condition.of, Not):
            self.assume(condition.of.of)
        elif isinstance(condition, Same):
            if not aliasing.distinct(self, condition.one, condition.other):
                self.unite(condition.one, condition.other)
        elif isinstance(condition, EqualInts):
            self._learn_equal(condition.one, condition.other)
        elif isinstance(condition, AtMost):
            self._bound(condition.other, self.bounds.bounds(condition.one).low, bounds_domain(self.word).half - 1)
            self._bound(condition.one, -bounds_domain(self.word).half, self.bounds.bounds(condition.other).high)
        elif isinstance(condition, IsValid):
            self.is_valid = True
            self.memory.recall()
        else:
            self.references.assume(condition)

    # Guards.

    def _learn_guard(self, guard: Operation) -> bool:
        row = guard.op
        if guard.memory is not None:
            self._learn_requirements(guard)
            self.assume(behind(guard))
            return True
        assert row.passes is not None
        if row.reads_flag:
            self.bounds.assume_guard(guard)
            passed = True
        else:
            undefined = row.defined is not None and self.bounds.truth(row.defined, guard.args) is False
            passed = self.bounds.assume_guard(guard) or undefined
            if guard.args:
                self._learn_test(guard.args[0])
        self.bounds.contradiction = False
        return passed

    def _learn_equal(self, one: Value, other: Value) -> None:
        """Learns of two integers that are equal, and of what they are computed from."""
        for value, known in ((one, other), (other, one)):
            self.bounds.assume(value, self.bounds.bounds(known))
            self._learn_test(value)
        self.unite(one, other)

    def _learn_test(self, value: Value) -> None:
        """Learns of references from a test of them whose outcome is known."""
        test = self.definition(value)
        told = None if test is None else meant(test)
        if isinstance(told, Bit):
            outcome = self.bounds.bounds(value)
            if outcome.is_constant:
                self.assume(told.of if outcome.low == 1 else Not(told.of))

    def _bound_of_floats(self, operation: Operation) -> None:
        """Bounds a word that is computed of floats by what its row says whatever these are."""
        assert operation.result is not None
        assert operation.op.meaning is not None
        bounds = operation.op.meaning(bounds_domain(self.word), *(None for _ in operation.args))
        self.bounds.assume(operation.result, bounds)
