"""A recorded loop and its peeled form, or bridges to them: straight parts, and what the proofs have to know of them."""

from __future__ import annotations

from optimizer.ir.check import has_front_label, inner_label
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.loops import Part, Peeled, goes_back, part_of, taken_apart
from optimizer.ir.rows.ops import Kind, Type
from optimizer.ir.rows.row import EVENT, FACT, FIELD, LOAD, NEW, STORE, Role
from optimizer.ir.trace import Operation, Trace, exit_of
from optimizer.ir.types.call_questions import effects_at
from optimizer.ir.types.calls import call_of
from optimizer.ir.types.declared import NO_DECLARATIONS, Call, Declarations, KnownObject
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.trace_layout import layout_of
from validator.prove.align import given_origins
from validator.prove.jump_targets import front_label
from validator.prove.stand_ins import asks_about_constants

READS = (LOAD, Kind.SCAN, Kind.RAW_LOAD)


@immutable
class Loop:
    """A recorded loop and its peeled form. `first` are the parts that run before the recorded loop goes round again and
    the other one comes to its label: the first iteration of both, or of a bridge the recorded and the optimized one.
    `declared` holds where that begins, `lasting` in each iteration.
    """

    recorded: Part
    peeled: Peeled
    first: tuple[Part, Part]
    layout: Layout
    word: int
    declared: Declarations
    lasting: Declarations

    @property
    def is_bridge(self) -> bool:
        return self.first[0] is not self.recorded


def loop_of(before: Trace, after: Trace) -> Loop:
    """The loop that `after` has peeled, which has an inner label. Raises InputError and Unsupported."""
    label = inner_label(after)
    assert label is not None
    if not goes_back(before):
        what = "a recorded trace that does not go back to its start, where the optimized one goes back to a label"
        raise Unsupported(what, before.end.line, "before")
    layout = layout_of(before, after)
    given_origins(before, after)  # which must be there
    own = before.declarations if before.declarations != NO_DECLARATIONS else after.declarations
    declared = replace(own, calls=(*own.calls, *_roles(before, layout)))
    lasting = replace(_with_identity(before, declared, layout), consts=_lasting(own, layout))
    recorded, peeled = part_of(before), taken_apart(after, label)
    return Loop(recorded, peeled, (recorded, peeled.preamble), layout, before.word, declared, lasting)


def bridge_to(loop: tuple[Trace, Trace], before: Trace, after: Trace) -> Loop:
    """The loop, entered by a bridge: `before` is as recorded and jumps to its start, `after` is optimized and jumps to
    its inner label. Raises InputError and Unsupported."""
    entered = loop_of(*loop)
    layout_of(before, after, *loop)  # all have the same declarations, or none
    inputs, taken = entered.recorded.inputs, entered.peeled.body.inputs
    for trace, wanted, which in ((before, inputs, "before"), (after, taken, "after")):
        types = [var.type for var in wanted]
        if not trace.end.op.jumps or [arg.type for arg in trace.end.args] != types or trace.word != entered.word:
            wanted_types = ", ".join(type_.value for type_ in types)
            message = f"a bridge jumps to its loop with values for ({wanted_types}), and {trace.end.op.name} does not"
            raise InputError(message, file=which, line=trace.end.line)
    if after.end.descr != loop[1].end.descr:
        raise InputError(f"the bridge jumps to {after.end.descr}, and the label is {loop[1].end.descr}", file="after")
    start = front_label(loop[0]) or front_label(loop[1])
    if None not in (before.end.descr, start) and before.end.descr != start:
        raise InputError(f"the bridge jumps to {before.end.descr}, and the loop starts at {start}", file="before")
    for trace, which in ((before, "before"), (after, "after")):
        if has_front_label(trace) and trace.end.descr in (None, front_label(trace)):
            raise InputError("a bridge jumps to its loop, and not back to its own start", file=which)
    recorded = replace(loop[0], ops=(*before.ops[:-1], *loop[0].ops))
    layout = layout_of(recorded, replace(loop[1], ops=(*after.ops[:-1], *loop[1].ops)))
    first = part_of(before), part_of(after)
    if may_leave_exception(first[0], layout) and not may_leave_exception(entered.recorded, layout):
        raise Unsupported("a bridge that may end with an exception pending, to a loop that does not", file="before")
    every = [one.declarations for one in (before, after, *loop) if one.declarations != NO_DECLARATIONS]
    own = every[0] if every else NO_DECLARATIONS
    declared = replace(own, calls=(*own.calls, *_roles(recorded, layout)))
    return replace(
        entered, first=first, layout=layout, declared=declared, lasting=_with_identity(recorded, declared, layout)
    )


def _roles(before: Trace, layout: Layout) -> list[Call]:
    """Declarations of the calls that the recorded trace alone says to be functions, or loop invariant: in a row with a
    part of the optimized one, which says it no more, it would not say so either."""
    told: dict[str, Call] = {}
    for operation in [one for one in before.ops if one.op.is_call]:
        name, given = operation.descr, operation.args[0].type if operation.op.kind is FACT else operation.op.result
        role, result = layout.role(name), given.value
        if name is None or layout.call(name) is not None:
            continue
        if role is Role.FUNCTION:
            told[name] = Call(name, result, elidable=True, can_raise=True, reads=(), writes=())
        elif role is Role.INVARIANT:
            told[name] = Call(name, result, loop_invariant=True, can_raise=True, can_invalidate=True)
    return list(told.values())


def _with_identity(recorded: Trace, declared: Declarations, layout: Layout) -> Declarations:
    """The declarations, by which somebody may ask which object a string or an instance is where the recorded trace
    does: of an object of an earlier iteration no straight pair shows that it is new."""
    if not asks_about_constants(recorded, layout):
        return declared
    structs = tuple([replace(struct, identity=True) for struct in declared.structs])
    return replace(declared, string_identity=True, structs=structs)


def _lasting(declared: Declarations, layout: Layout) -> tuple[KnownObject, ...]:
    """The declared constants without what is said of quasi-immutable fields: it holds where the loop is entered, and
    may no more where it has gone round."""
    lasting = []
    for const in declared.consts:
        known = layout.constant(const.name)
        passing = {slot.name for slot, _ in known.fields if slot.quasi_immutable} if known else set()
        lasting.append(replace(const, fields=tuple([one for one in const.fields if one[0] not in passing])))
    return tuple(lasting)


def may_leave_exception(part: Part, layout: Layout) -> bool:
    """May an exception be pending where the part ends, though none is where it begins?"""
    pending = False
    for operation in part.ops:
        row, call = operation.op, call_of(operation, layout)
        if call is not None and call.effects.can_raise:
            pending = True
        elif row.memory is not None and row.memory.pending and row.result is not Type.INT:
            pending = not row.is_guard and row.result is Type.VOID
    return pending


def is_declared(call: Operation, layout: Layout) -> bool:
    """Do declarations say what the function of a call does? Else it is what the recorded trace alone says."""
    return call.descr is not None and layout.call(call.descr) is not None


def promising_nothing(part: Part) -> Part:
    """The part without what only a recorded trace can say: that the runtime watches a field."""
    watches = [one for one in part.ops if one.op.kind is FACT and one.op.memory and one.op.memory.descr is FIELD]
    return replace(part, ops=tuple([one for one in part.ops if one not in watches]))


def check_reads(recorded: Part, preamble: Part, layout: Layout) -> None:
    """Raises Unsupported where the preamble reads an immutable field that an event of the loop may write: on the
    recorded side of a proof its read would forbid that, which only one of the recorded loop does."""
    events = [effects_at(one, layout) for one in recorded.ops if one.op.kind is EVENT]
    for load in [one for one in preamble.ops if one.op.kind in READS]:
        slot = layout.descr_of(load)
        if isinstance(slot, Field) and slot.immutable and any(effects.may_write(slot) for effects in events):
            raise Unsupported(f"a read of {slot.key}, immutable, where events of the loop write it", load.line, "after")


def makes_strings(part: Part, layout: Layout) -> bool:
    """Does it call a function that gives a string of which nobody says whether it is a new object?"""
    return any(known is not one and known.op.kind is NEW for one in part.ops for known in [meant(one, layout)])


def check_stores(part: Part, layout: Layout) -> None:
    """Raises Unsupported where the part stores to an immutable field or item of an object that it has not allocated, be
    it where a guard fails: if an earlier iteration has read that, the store has no meaning, and nobody says so."""
    every = [*part.ops, *(one for guard in part.guards for one in exit_of(guard).block)]
    allocated = {one.result for one in every if one.op.kind is NEW}
    for store in [one for one in every if one.op.kind is STORE and one.args[0] not in allocated]:
        slot = layout.descr_of(store)
        if isinstance(slot, Field) and slot.immutable:
            raise Unsupported(f"a store to {slot.key}, immutable, of what an iteration has not allocated", store.line)
