"""The contents of memory, as far as a walk knows them at its place.

Contents are known from loads and stores, those of a fresh object from its allocation on. They are forgotten at a
store to what may be the same cell, and at an event that may write them. Contents of local objects (see
`optimizer.facts.references`) are kept apart, because no event and no other reference can change them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from optimizer.facts.aliasing import apart, distinct
from optimizer.facts.cells import MOST_CELLS, Cell, Copy, default_content, stored_value
from optimizer.facts.conditions import NULL
from optimizer.facts.references import Fresh, constant_name
from optimizer.ir.operands import constant_of, constant_text
from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.trace import ConstInt, ConstRef, Operation, Value, Var
from optimizer.ir.types.calls import Effects
from optimizer.ir.types.layout import Array, Struct

if TYPE_CHECKING:
    from optimizer.facts.facts import Facts


@dataclass(slots=True)
class _Local:
    """The contents of a local object, at constant and at other indices. `cleared` is None where it has been filled with
    what is not known. What was written at an index that is not known
    may have changed any item: those slots are `blurred`."""

    allocated: Struct | Array
    cleared: bool | None
    constant: dict[str, dict[Value | None, Value]] = field(default_factory=dict)
    variable: dict[str, dict[Value, Value]] = field(default_factory=dict)
    blurred: set[str] = field(default_factory=set)

    def blur(self, key: str) -> None:
        """Forgets all that is known of the slot of that key."""
        self.constant.pop(key, None)
        self.variable.pop(key, None)
        self.blurred.add(key)


@dataclass(slots=True)
class _Untouched:
    """An object that others may have found since it was allocated. All that its allocation has put there is there
    still, but for what may have been `changed`: constant indices, by the keys of slots, None for a field; _ANY for all
    of them."""

    allocated: Struct | Array
    cleared: bool
    changed: dict[str, set[Value | None]]

    def content(self, cell: Cell) -> Value | None:
        changed = self.changed.get(cell.slot.key)
        if changed and (isinstance(cell.index, Var) or cell.index in changed or _ANY in changed):
            return None
        return default_content(cell, self.allocated, self.cleared)

    def change(self, key: str, index: Value | None) -> None:
        self.changed.setdefault(key, set()).add(_ANY if isinstance(index, Var) else index)


_ANY = NULL
"""The index in place of those that are not constant; no index is NULL."""

Table = dict[tuple[Value, Value | None], Value]
"""Contents of cells of one slot, by their objects and indices."""


class _Contents:
    """Contents of cells, by their slots, and by their indices as far as these are constant: such cells never meet those
    of another constant index."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[Value | None, Table]] = {}

    def get(self, cell: Cell) -> Value | None:
        tables = self._tables.get(cell.slot.key)
        if not tables:
            return None
        index = cell.index
        table = tables.get(_ANY if isinstance(index, Var) else index)
        return table.get((cell.object, index)) if table else None

    def at_equal_index(self, facts: Facts, cell: Cell) -> Value | None:
        """The content at an index that has turned out to be that of the cell."""
        tables = self._tables.get(cell.slot.key)
        table = tables.get(_ANY) if tables else None
        if not table:
            return None
        find, to = facts.find, (cell.object, cell.index)
        return next((value for (at, index), value in table.items() if index and (find(at), find(index)) == to), None)

    def put(self, cell: Cell, value: Value) -> None:
        index, tables = cell.index, self._tables.setdefault(cell.slot.key, {})
        table = tables.setdefault(_ANY if isinstance(index, Var) else index, {})
        table[cell.object, index] = value
        if len(table) > MOST_CELLS:
            del table[next(iter(table))]

    def of(self, key: str) -> Iterable[Table]:
        """All tables of the slot of that key."""
        return self._tables.get(key, {}).values()

    def forget_meeting(self, facts: Facts, cell: Cell) -> None:
        """Forgets all that may be the content of that cell."""
        tables = self._tables.get(cell.slot.key)
        if not tables:
            return
        at, index = cell.object, cell.index
        near = tables.values() if isinstance(index, Var) else (tables.get(index), tables.get(_ANY))
        for table in filter(None, near):
            for known in list(table):
                is_apart = index is not None and known[1] is not None and apart(facts, known[1], index)
                if not is_apart and not distinct(facts, known[0], at):
                    del table[known]

    def all(self) -> Iterator[Table]:
        return chain.from_iterable(tables.values() for tables in self._tables.values())

    def slots(self) -> KeysView[str]:
        """The keys of the slots of which something is known, or has been."""
        return self._tables.keys()

    def forget(self, keys: Iterable[str]) -> None:
        """Forgets all that is known of these slots."""
        for key in keys:
            self._tables.pop(key, None)


class Memory:
    """The contents that are known. They are told by values, to be looked up by their representatives."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._local: dict[Value, _Local] = {}
        self._untouched: dict[Value, _Untouched] = {}
        self._shared = _Contents()
        self._lasting = _Contents()  # of immutable cells
        self._rewritten: set[str] = set()  # keys that the trace or a declared write may have changed in constants
        self._world_has_written = False
        self._bytes_changed = False
        self._watched: dict[str, dict[Cell, None]] = {}  # what does not change while the code is valid
        self._suspended = _Contents()  # what watched cells hold wherever the code is valid

    # Asking.

    def content(self, cell: Cell) -> Value | None:
        """The content of the cell, which is told by representatives; None if it is unknown."""
        local = self._local.get(cell.object)
        if local is not None:
            value = self._local_content(local, cell)
        else:
            value = self._table(cell).get(cell)
            if value is None and cell.index is not None:
                value = self._table(cell).at_equal_index(self._facts, cell)
            if value is None and cell.object in self._untouched:
                value = self._untouched[cell.object].content(cell)
            if value is None and (cell.slot.immutable or cell.slot.owner in HIGHEST):
                value = self._declared_content(cell)
        return None if value is None else self._facts.find(value)

    def contents_of(self, key: str, value: Value) -> Value | None:
        """The content of an immutable field of that object, which is not local."""
        held = (held for table in self._lasting.of(key) for held in table.items())
        return next((content for (at, _), content in held if at == value), None)

    def _local_content(self, local: _Local, cell: Cell) -> Value | None:
        key, index = cell.slot.key, cell.index
        if isinstance(index, Var):
            return local.variable.get(key, {}).get(index)
        value = local.constant.get(key, {}).get(index)
        if value is None and key not in local.blurred and local.cleared is not None:
            return default_content(cell, local.allocated, local.cleared)
        return value

    def _declared_content(self, cell: Cell) -> Value | None:
        """The declared content of a constant's field, as long as nobody can have changed it."""
        known = self._facts.layout.constant(constant_name(cell.object))
        if known is not None and known.items is not None and isinstance(cell.index, ConstInt):
            return ConstInt(known.items[cell.index.value]) if 0 <= cell.index.value < len(known.items) else None
        if known is None or self._bytes_changed or cell.slot.key in self._rewritten:
            return None
        if self._world_has_written and not cell.slot.immutable:
            return None
        for slot, value in known.fields:
            if slot.key == cell.slot.key:
                if not isinstance(value, str):
                    return constant_of(value)
                return NULL if value == NULL.text else ConstRef(constant_text(value))
        return None

    def _table(self, cell: Cell) -> _Contents:
        return self._lasting if cell.slot.immutable else self._shared

    # Learning.

    def allocate(self, var: Var, allocated: Struct | Array, cleared: bool | None) -> None:
        if var not in self._facts.references.fresh:
            self._facts.references.fresh[var] = Fresh()
            self._local[var] = _Local(allocated, cleared)

    def load(self, cell: Cell, value: Value) -> None:
        """A load of the cell, which is told by representatives, has given `value`."""
        if cell.object in self._local:
            fresh = self._facts.references.fresh[cell.object]
            held, fresh.holds = fresh.holds, []
            for value_held in held:
                self.escape(value_held)
        self._put(cell, value)

    def store(self, cell: Cell, value: Value, *, delayed: bool = False) -> None:
        """`value` has been stored in the cell, which is told by representatives. A delayed store lets go of nothing
        yet."""
        value = self._facts.find(value)
        references = self._facts.references
        local = self._local.get(cell.object)
        if local is not None:
            if references.is_local(value):
                references.fresh[cell.object].holds.append(value)
            self._put_local(local, cell, value, written=True)
            return
        self._forget_meeting(cell)
        if cell.slot.immutable or cell.slot.quasi_immutable:
            self._rewritten.add(cell.slot.key)
        if not delayed:
            self.escape(value)
        self._put_shared(cell, value)

    def copy(self, copy: Copy) -> None:
        """Items have been copied."""
        normal = self._facts.normal
        contents = [(to, self.content(normal(cell))) for cell, to in copy.cells()]
        whole = normal(Cell(copy.slot, copy.object))
        local = self._local.get(whole.object)
        if local is None:
            self._forget_object(self._shared.of(copy.slot.key), whole.object)
            self._touch(copy.slot.key, whole.object, _ANY)
        else:
            local.blur(copy.slot.key)
        for cell, content in contents:
            if content is not None:
                self._put(normal(cell), content)

    def access_bytes(self, operation: Operation) -> None:
        """An object has been read or changed by its bytes. They hold what its fields and items hold, or any of it."""
        memory, changed = operation.memory, self._facts.find(operation.args[0])
        assert memory is not None
        self.escape(changed)
        if memory.stores is None:
            return
        self.escape(self._facts.find(stored_value(operation)))
        self._bytes_changed = True
        self._untouched.clear()
        self._forget_object(chain(self._shared.all(), self._lasting.all(), self._suspended.all()), changed)

    def _forget_object(self, tables: Iterable[Table], value: Value) -> None:
        for table in tables:
            for known in [known for known in table if not distinct(self._facts, known[0], value)]:
                del table[known]

    def _put(self, cell: Cell, value: Value) -> None:
        local = self._local.get(cell.object)
        if local is None:
            self._put_shared(cell, value)
        else:
            self._put_local(local, cell, value, written=False)

    def _put_shared(self, cell: Cell, value: Value) -> None:
        self._table(cell).put(cell, value)
        if cell.slot.immutable and cell.index is None:
            self._facts.references.learn_about(cell.object).immutables.add(cell.slot.key)

    def _put_local(self, local: _Local, cell: Cell, value: Value, written: bool) -> None:
        key = cell.slot.key
        if isinstance(cell.index, Var):
            if written:
                local.blur(key)
            local.variable.setdefault(key, {})[cell.index] = value
        else:
            if written:
                local.variable.pop(key, None)
            local.constant.setdefault(key, {})[cell.index] = value

    def _forget_meeting(self, cell: Cell) -> None:
        self._table(cell).forget_meeting(self._facts, cell)
        self._suspended.forget_meeting(self._facts, cell)
        self._touch(cell.slot.key, cell.object, cell.index)

    def _touch(self, key: str, value: Value, index: Value | None) -> None:
        """Notes that the slot of that key may have been changed at that index of the object."""
        for var, untouched in self._untouched.items():
            changed = untouched.changed.get(key, ())
            if index not in changed and _ANY not in changed and not distinct(self._facts, var, value):
                untouched.change(key, index)

    def event(self, effects: Effects, args: tuple[Value, ...]) -> None:
        """An event has happened. Where the code is known to be valid behind it, it has left alone what is watched."""
        for arg in args:
            self.escape(arg)
        for cell in self._watched_in(self._shared):
            value = self._shared.get(cell)
            if value is not None:
                self._suspended.put(cell, value)
        if effects.writes is None:
            self._world_has_written = True
            slots = self._facts.slots
            self._shared.forget([key for key in self._shared.slots() if effects.may_write(slots[key])])
            self._untouched.clear()
        else:
            self._shared.forget(effects.writes)
            self._lasting.forget(effects.writes)
            self._rewritten |= effects.writes
            for untouched in self._untouched.values():
                for key in effects.writes:
                    untouched.change(key, _ANY)
        if self._facts.is_valid:
            self.recall()

    def escape(self, value: Value) -> None:
        """Lets the object escape: from now on others may find it, and all that it holds."""
        pending = [value]
        while pending:
            here = pending.pop()
            if not self._facts.references.is_local(here):
                continue
            fresh = self._facts.references.fresh[here]
            fresh.escaped_at = self._facts.now
            pending.extend(fresh.holds)
            fresh.holds = []
            self._publish(here, self._local.pop(here))

    def _publish(self, value: Value, local: _Local) -> None:
        if local.cleared is not None:
            untouched = self._untouched[value] = _Untouched(local.allocated, local.cleared, {})
            for key, known in local.constant.items():
                untouched.changed[key] = {*known}
            for key in local.blurred:
                untouched.change(key, _ANY)
            if len(self._untouched) > MOST_CELLS:
                del self._untouched[next(iter(self._untouched))]
        for contents in (local.constant, local.variable):
            for key, cells in contents.items():
                for index, content in cells.items():
                    self._put(Cell(self._facts.slots[key], value, index), content)

    # Quasi-immutable fields.

    def watch(self, cell: Cell) -> None:
        cell = self._facts.normal(cell)
        self._watched.setdefault(cell.slot.key, {})[cell] = None
        declared = self._declared_content(cell)
        if declared is not None:
            self._suspended.put(cell, declared)
        if self._facts.is_valid:
            self.recall()

    def recall(self) -> None:
        """The code is valid, and so has been since the start: what is watched holds what it held."""
        for cell in self._watched_in(self._suspended):
            value = self._suspended.get(cell)
            if value is not None and self._table(cell).get(cell) is None:
                self._table(cell).put(cell, value)

    def _watched_in(self, contents: _Contents) -> Iterator[Cell]:
        """The watched cells of slots of which contents are known there."""
        there = contents.slots()
        return (self._facts.normal(cell) for key, cells in self._watched.items() if key in there for cell in cells)
