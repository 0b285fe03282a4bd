"""The kinds of calls, and what they may do: the descr says of which one a call is, not the name of the operation.

- An *event*, seen by the world: every call that is nothing of the following.
- A *function*: its descr is declared elidable. What it gives, and what it raises, is a function of the function's
  address and of the arguments, as long as it finds in the memory that it is declared to read what it is meant to find.
- *Invariant*: its descr is declared loop invariant. The first one of a function is an event; further ones give what
  that one gave, and raise what it raised.
- A known *meaning*: the oopspec of its descr names an operation, and it cannot raise. It computes what that does.

- A known operation on *memory*: the oopspec names a function on strings (see `optimizer.ir.types.known_calls`).
- A *reading* of what belongs to the thread: its oopspec is `threadlocalref_get`, and it is declared as neither elidable
  nor loop invariant, and cannot raise. It is a function until the next event that may write everything, which may give
  the slot another value: how many of these there have been is one more argument.

A descr that is not declared is elidable where the recorded trace has it at `call_pure_*` only (and at what records
results of these), loop invariant where it has it at `call_loopinvariant_*` only. Such a call may raise.
"""

from __future__ import annotations

from collections.abc import Collection

from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.float_rows import SQRT
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import CALL, EVENT, FACT, FLOAT, INT, LOAD, NEW, POSITION, PURE, REF, SCAN, VOID, Op, Role
from optimizer.ir.trace import Operation, Trace, Value
from optimizer.ir.types.declared import Call
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.memory_types import MemoryKind, kind_of

MEANINGS: dict[str, Op] = {
    "int_py_div": OPS["int_py_div"],
    "int_py_mod": OPS["int_py_mod"],
    "int_udiv": OPS["uint_floordiv"],
    "math_sqrt": SQRT,
}
"""The operations that oopspecs stand for. The last one has no name of its own in traces."""


@immutable
class Effects:
    """The keys of the memory that an event may read and write; None is everything.

    `named` is the memory that is written beside everything: no other event changes strings or what is immutable.
    """

    reads: frozenset[str] | None = None
    writes: frozenset[str] | None = None
    can_invalidate: bool = True
    can_raise: bool = True
    named: frozenset[str] = frozenset()

    def may_write(self, slot: Field) -> bool:
        """May it change that memory? Strings and what is immutable, only if they are named."""
        if self.writes is None:
            return not slot.is_steady or slot.key in self.named
        return _names(slot.key, self.writes)

    def may_see(self, slot: Field) -> bool:
        """May it read or write that memory? At such an event it must be as it was recorded."""
        return self.may_see_key(slot.key)

    def may_see_key(self, key: str) -> bool:
        return self.sees_everything or _names(key, self.reads or ()) or _names(key, self.writes or ())

    @property
    def sees_everything(self) -> bool:
        return self.reads is None or self.writes is None

    @property
    def sees_nothing(self) -> bool:
        """Does no memory matter to it?"""
        return not (self.sees_everything or self.reads or self.writes)


def _names(key: str, keys: Collection[str]) -> bool:
    """Is the memory among those? With any memory of objects, their bytes are."""
    return key in keys or (kind_of(key) is MemoryKind.VIEW and any(kind_of(one) is not MemoryKind.RAW for one in keys))


EVERYTHING = Effects()
"""The effects of an operation without a declared descr, and of every `escape`."""

NOTHING = Effects(frozenset(), frozenset(), can_invalidate=False, can_raise=False)
"""The effects of an event that has none."""


def effects_of(call: Call | None, layout: Layout) -> Effects:
    """The effects of what is declared so, or of an event that nobody declares."""
    if call is None:
        return EVERYTHING
    writes = layout.memory_keys(call.writes)
    named = layout.memory_keys(name for name in call.writes if name != "*") if writes is None else None
    return Effects(layout.memory_keys(call.reads), writes, call.can_invalidate, call.can_raise, named or frozenset())


_READING = "threadlocalref_get"

_SHOWN_AS = {INT: "call_i", REF: "call_r", FLOAT: "call_f", VOID: "call_n"}
_MADE_BY = ("call_pure_", "call_loopinvariant_", "cond_call")
"""The beginnings of the names of operations that make the calls of others."""

EVENT_ROLES, _FUNCTIONS = (Role.EVENT, Role.INVARIANT), (Role.FUNCTION, Role.MEANING)
"""The roles of events, the first ones of their functions if these are loop invariant; and of functions."""


@immutable
class CallSite:
    """A call at its place. `args` are the function, where the row has one, and what it is called with.

    If it `is_conditional` it is made only where `Memory.happens` holds. `meaning` is the operation that it stands
    for, if it does; `declared` its declaration. Events that may be the same have the same `name`. A function that is
    `passing` may give something else behind an event that may write everything.
    """

    role: Role
    effects: Effects
    args: tuple[Value, ...]
    name: str
    is_conditional: bool = False
    meaning: Op | None = None
    declared: Call | None = None
    passing: bool = False


def call_of(operation: Operation, layout: Layout) -> CallSite | None:
    """The call or other event at its place; None of any other operation. Raises Unsupported where it is nothing
    known."""
    if operation.op.kind is not EVENT and not operation.op.is_call:
        return None
    known = layout.known_calls.get(id(operation))
    if known is None:  # each is asked about several times
        known = layout.known_calls[id(operation)] = operation, _call_of(operation, layout)
    return known[1]


def _call_of(operation: Operation, layout: Layout) -> CallSite:
    memory, row, args = operation.op.memory, operation.op, operation.args
    if memory is None or memory.descr is not CALL:
        is_inert = memory is not None and memory.inert
        return CallSite(Role.EVENT, NOTHING if is_inert else EVERYTHING, args, row.name)
    declared = None if operation.descr is None else layout.call(operation.descr)
    known = meant(operation, layout)
    if known.op.kind in (SCAN, NEW):
        slot = layout.descr_of(known)
        assert isinstance(slot, Field)
        effects = replace(NOTHING, reads=frozenset((slot.key,)))
        return CallSite(Role.MEMORY, effects, args, row.name, False, known.op, declared)
    role, is_conditional = _role(declared, layout, operation), memory.happens is not None
    if role not in EVENT_ROLES or is_conditional:
        args = args[memory.function :]
    meaning = MEANINGS[declared.oopspec or ""] if role is Role.MEANING and declared else None
    if row.kind is FACT:
        if role not in _FUNCTIONS or not args:
            raise Unsupported(f"{row.name} of what is not elidable", operation.line)
        return CallSite(Role.RECORD, NOTHING, args, row.name, False, meaning, declared)
    if role is Role.INVARIANT and not args:
        raise Unsupported(f"{row.name} of a loop-invariant function that is not there", operation.line)
    effects, name = effects_of(declared, layout), row.name
    is_elidable = declared is not None and declared.elidable
    if role in _FUNCTIONS:
        reads = effects.reads if role is Role.FUNCTION and is_elidable else frozenset()
        effects = replace(NOTHING, reads=reads, can_raise=effects.can_raise)
    if name.startswith(_MADE_BY):
        name = _SHOWN_AS[row.result]
    passing = role is Role.FUNCTION and declared is not None and not is_elidable
    return CallSite(role, effects, args, name, is_conditional, meaning, declared, passing)


def _role(declared: Call | None, layout: Layout, operation: Operation) -> Role:
    if declared is None:
        return layout.role(operation.descr)
    meaning, memory = MEANINGS.get(declared.oopspec or ""), operation.op.memory
    if meaning is not None and not declared.can_raise and declared.result == meaning.result.value:
        assert memory is not None
        if tuple(arg.type for arg in operation.args[memory.function + 1 :]) == meaning.args:
            return Role.MEANING
    if declared.elidable or _is_reading(declared, operation):
        return Role.FUNCTION
    return Role.INVARIANT if declared.loop_invariant else Role.EVENT


def _is_reading(declared: Call, operation: Operation) -> bool:
    row, memory = operation.op, operation.op.memory
    is_plain = row.kind is EVENT and memory is not None and memory.happens is None and memory.function == 0
    gives = row.result is not VOID and not declared.can_raise and not declared.loop_invariant
    return declared.oopspec == _READING and is_plain and gives


def may_be_raised_before(trace: Trace) -> bool:
    """May an exception be pending where the trace starts? Only if it begins with an operation that is given it, behind
    what computes, loads or states something."""
    first = next((one for one in trace.ops if one.op.kind not in (POSITION, FACT, PURE, LOAD)), None)
    memory = None if first is None else first.op.memory
    return first is not None and memory is not None and memory.pending and first.op.result is not VOID
