"""Memory that an iteration has allocated and not written, and who may read it in a later one.

Straight proofs take the memory of their inputs for written. An object that the loop has allocated may be an input of a
later iteration: of the next one, of which a proof of its own can speak, or of any that follows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.loops import Part
from optimizer.ir.rows.ops import OPS, Kind
from optimizer.ir.rows.row import ARRAY, EVENT, FIELD, LOAD, NEW, REF, STORE, Role
from optimizer.ir.text.string_text import STR, UNICODE
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var
from optimizer.ir.types.calls import EVENT_ROLES, call_of
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Array, Field, Layout, Struct
from optimizer.ir.types.memory_types import is_left_open
from validator.loops.shape import READS, Loop
from validator.prove.memory.chains import Stored, links
from validator.prove.pairing import encode_alone

_CLEARED = "new_array_clear"

_OLD = 2
"""The number of iterations that no proof tells apart from more."""


UNREAD = "no iteration reads what an earlier one has allocated and not written"
"""The assumption that `hands_on_unwritten = false` declares."""


def may_hand_on_unwritten(loop: Loop) -> bool:
    """May the first part allocate an object, and the preamble read of it what that has not written? Where it is
    declared that no iteration does, others than strings are taken to be cleared (`cleared`); none of these is."""
    return _hands_on(loop, texts_only=not loop.declared.hands_on_unwritten)


def cleared(trace: Trace) -> Trace:
    """The trace, in which what is allocated is written. That a preamble is defined on the recorded side of a proof
    would say that what it reads is; and no straight pair has shown it of what the iteration in front has allocated.
    Which number stands there does not matter to a recorded loop that reads none."""
    clear = OPS[_CLEARED]
    ops = tuple([replace(one, op=clear) if _may_be_cleared(one) else one for one in trace.ops])
    structs = tuple([replace(struct, cleared=True) for struct in trace.declarations.structs])
    return replace(trace, ops=ops, declarations=replace(trace.declarations, structs=structs, cleared=True))


def _may_be_cleared(operation: Operation) -> bool:
    """Does it allocate an array that is no string?"""
    memory = operation.op.memory
    return operation.op.kind is NEW and memory is not None and memory.descr is ARRAY and memory.on is None


def keeps_unwritten(loop: Loop) -> bool:
    """May the recorded side of a step read what is not written, so that it has to be `cleared`? Raises Unsupported
    where that would hide that the optimized side writes less of an object than the recorded loop always does."""
    if loop.declared.hands_on_unwritten or not _hands_on(loop):
        return False
    recorded, optimized = (loop.first[0], loop.recorded), (loop.first[1], loop.peeled.preamble, loop.peeled.body)
    if not any(one.op.kind is NEW for part in optimized for one in part.ops):
        return True
    always: dict[str, set[object]] = {}
    whole: set[str] = set()
    for part in dict.fromkeys(recorded):
        for alloc, written in _made(loop, part):
            type_ = alloc.value.type.name
            always[type_] = always.get(type_, written) & written
            whole |= {type_} if alloc.value.cleared else set()
    for part in dict.fromkeys(optimized):
        for alloc, written in _made(loop, part):
            type_ = alloc.value.type.name
            is_less = type_ in whole or not written >= always.get(type_, written)
            if is_less and not alloc.value.cleared:
                what = f"a {type_} of which less may be written than the recorded loop always writes"
                raise Unsupported(what, file="after")
    return True


def _made(loop: Loop, part: Part) -> Iterator[tuple[Term, set[object]]]:
    """The allocations of a part, but for strings, each with what it surely stores to the new object: fields, and items
    with their indices."""
    ended = Trace(part.inputs, (*part.ops, Operation(OPS["finish"], part.handed_on)), loop.word, loop.lasting)
    heap = encode_alone(ended, loop.layout).heap
    stored = defaultdict[Term, set[object]](set)
    for slot in heap.memory.slots.values():
        for link in links(heap.chain(slot)):
            if isinstance(link, Stored) and (link.index is None or link.index.kind == "const"):
                stored[link.object].add((slot.key, link.index and link.index.value))
    yield from ((alloc, stored[alloc]) for alloc in heap.allocations if alloc.value.type.name not in (STR, UNICODE))


def check_written(loop: Loop) -> None:
    """Raises Unsupported where the preamble or the body may read memory that an iteration in front of the last one has
    allocated and not written, if that is not declared."""
    load = _late(loop, _loads, structs=True) if loop.declared.hands_on_unwritten else None
    if load is not None:
        what = f"{load.op.name} of what an earlier iteration may have allocated and not written"
        raise Unsupported(what, load.line, "after")


def takes_for_written(loop: Loop) -> bool:
    """Does a proof of the loop rest on the declaration that nothing is read which is not written?"""
    is_declared = not loop.declared.hands_on_unwritten
    return is_declared and (_hands_on(loop) or _late(loop, _loads, structs=True) is not None)


def looks_away(loop: Loop) -> bool:
    """May a function that is declared to read nothing be given such memory?"""
    return _late(loop, _blind, structs=loop.declared.hands_on_unwritten) is not None


def _hands_on(loop: Loop, *, texts_only: bool = False) -> bool:
    made = _left_open((loop.first[0],), loop.layout, structs=not texts_only)
    made = [one for one in made if not (texts_only and _may_be_cleared(one.operation))]
    return any(_may_read(load, one, loop.layout) for load in _loads(loop.peeled.preamble, loop.layout) for one in made)


def _late(loop: Loop, among: Callable[[Part, Layout], list[Operation]], *, structs: bool) -> Operation | None:
    """The first operation `among` these that may read, of an object that is older than the last iteration, or that is
    copied from one, what is not written."""
    parts = tuple(dict.fromkeys([loop.first[0], loop.recorded]))
    made = _left_open(parts, loop.layout, structs=structs)
    if not made:
        return None
    preamble, body = loop.peeled.preamble, loop.peeled.body
    is_kept = any(_keeps(one) for part in (*parts, loop.first[1], preamble, body) for one in part.ops)
    begun = _ages_of_inputs(loop, {one.operation.result for one in made}, is_kept=is_kept)
    of_preamble = _Ages(preamble, begun, loop.layout, is_kept=is_kept)
    taken = [_older(of_preamble.of(value)) for value in preamble.handed_on]
    of_body = _Ages(body, taken, loop.layout, is_kept=is_kept)
    for part, ages in ((preamble, of_preamble), (body, of_body)):
        for load in among(part, loop.layout):
            is_old = any(ages.of(arg) >= _OLD for arg in load.args)
            if any(_may_read(load, one, loop.layout) for one in made if is_old or one.is_anywhere):
                return load
    return None


@dataclass(frozen=True, slots=True)
class _Open:
    """An operation that may leave memory unwritten: an allocation, but for the memory of the new object that is
    `written` (fields, or all items), or a copy of items that may not be written. `is_anywhere`: no two iterations may
    tell that, since these are of an earlier one, or copied into an object that was written: an older one, or a cleared
    one."""

    operation: Operation
    written: frozenset[object] = frozenset()
    is_anywhere: bool = False


def _left_open(parts: Sequence[Part], layout: Layout, *, structs: bool) -> list[_Open]:
    """The operations of these parts that may leave memory unwritten, or copy what one of them has left so."""
    made = [one for part in parts for one in _unwritten(part, layout, structs=structs)]
    return made + [one for part in parts for one in _copied(part, made, layout)]


def _copied(part: Part, made: Sequence[_Open], layout: Layout) -> list[_Open]:
    """The copies of items, be they into a new string, that may not be written where they are copied from: in an object
    of the part, by then, or in an older one, of which some are `made` so."""
    new = {one.result for one in part.ops if meant(one, layout).op.kind is NEW}
    written = {one.result for one in part.ops if one.op.name == _CLEARED}
    copied = list[_Open]()
    for at, one in enumerate(part.ops):
        copy = meant(one, layout)
        makes = copy is not one and copy.op.kind is NEW
        if not makes and copy.op.kind is not Kind.COPY:
            continue
        sources = {arg for arg in (copy.args if makes else copy.args[:1]) if isinstance(arg, Var) and arg.type is REF}
        ahead = _unwritten(replace(part, ops=part.ops[:at]), layout, structs=False)
        is_old = not sources <= new and any(_may_read(copy, source, layout) for source in made)
        is_own = any(_may_read(copy, source, layout) for source in (*ahead, *copied))
        into_written = not makes and copy.args[1] not in new - written
        if is_old or (is_own and (makes or into_written)):
            copied.append(_Open(copy, is_anywhere=is_old or into_written))
    return copied


def _unwritten(part: Part, layout: Layout, *, structs: bool) -> Iterator[_Open]:
    """The allocations of memory that is not written by that, those of `structs` only where they count. Bytes are taken
    to stay so."""
    items = _written_items(part, layout)
    for made in [one for one in part.ops if one.op.kind is NEW]:
        allocated = layout.descr_of(made)
        if made.op.name == _CLEARED or (isinstance(allocated, Struct) and (allocated.cleared or not structs)):
            continue
        if isinstance(allocated, Struct):
            stores = [one for one in part.ops if one.op.kind is STORE and one.args[0] == made.result]
            yield _Open(made, frozenset([layout.descr_of(store) for store in stores]))
        else:
            mine = [(slot, at) for (array, slot), at in items.items() if array == made.result]
            yield _Open(made, frozenset([slot for slot, at in mine if made.args[0] == ConstInt(len(at))]))


def _written_items(part: Part, layout: Layout) -> dict[tuple[Value, object], set[int]]:
    """The indices at which arrays are written, by the arrays and the memory of their items. None are told of a memory
    where items may be copied before they are written: that makes others unwritten."""
    items: dict[tuple[Value, object], set[int]] = defaultdict(set)
    untold = set[object]()
    for one in part.ops:
        known = meant(one, layout)
        slot = layout.descr_of(known)
        if known.op.kind is STORE and isinstance(known.args[1], ConstInt):
            items[known.args[0], slot].add(known.args[1].value)
        elif known.op.kind is Kind.COPY:
            source, target, *span = known.args
            start, at, count = (number.value if isinstance(number, ConstInt) else -1 for number in span)
            if min(start, count) < 0 or not items[source, slot].issuperset(range(start, start + count)):
                untold.add(slot)
            elif at >= 0:
                items[target, slot].update(range(at, at + count))
    return {key: indices for key, indices in items.items() if key[1] not in untold}


def _loads(part: Part, layout: Layout) -> list[Operation]:
    """The operations that read memory of objects, and need it written. Events do not."""
    reads = [one for one in part.ops if one.op.kind in READS or _looks(one, layout)]
    return [one for one in reads if any(arg.type is REF for arg in one.args)]


def _blind(part: Part, layout: Layout) -> list[Operation]:
    """The calls of functions that are declared to read nothing."""
    return [one for one in part.ops if _looks(one, layout) is False]


def _looks(operation: Operation, layout: Layout) -> bool | None:
    """Does the function that is called there look into memory? None where none is."""
    call = call_of(operation, layout)
    if call is None or call.role in EVENT_ROLES:
        return None
    return call.role is not Role.FUNCTION or not call.effects.sees_nothing


def _may_read(load: Operation, made: _Open, layout: Layout) -> bool:
    """May it read what is not written of that object?"""
    load = meant(load, layout)
    slot = layout.descr_of(load)
    allocated = layout.descr_of(made.operation)
    if isinstance(allocated, Field):
        return not isinstance(slot, Field) or slot == allocated
    if not isinstance(slot, Field) or not isinstance(allocated, Struct | Array):
        return True
    is_item = load.op.memory is None or load.op.memory.descr is not FIELD
    if not is_left_open(allocated, slot.key, is_item=is_item, is_ref=slot.type is REF):
        return False
    return slot not in made.written and (not is_item or slot.owner in (None, allocated.name))


def _keeps(operation: Operation) -> bool:
    """May objects get into memory by it, from where later loads take them?"""
    kind, args = operation.op.kind, operation.args
    if kind not in (STORE, EVENT, Kind.RAW_STORE):
        return False
    return any(isinstance(arg, Var) and arg.type is REF for arg in (args if kind is EVENT else args[1:]))


class _Ages:
    """How many iterations ago the objects that a part has may have been allocated by the loop: 0 where they were not,
    or by the part itself, two where that is long ago. Of its inputs that is told; what it has loaded, or an event has
    given, is any object that memory keeps."""

    def __init__(self, part: Part, inputs: Sequence[int], layout: Layout, *, is_kept: bool) -> None:
        self._ages: dict[Value, int] = dict(zip(part.inputs, inputs, strict=True))
        for operation in part.ops:
            call = call_of(operation, layout)
            is_found = operation.op.kind is LOAD or (
                operation.op.kind is EVENT and (call is None or call.role in EVENT_ROLES)
            )
            age = _OLD if is_kept or not is_found else 0
            if operation.result is not None:
                self._ages[operation.result] = 0 if operation.op.kind is NEW else age

    def of(self, value: Value) -> int:
        return self._ages.get(value, 0) if value.type is REF else 0


def _ages_of_inputs(loop: Loop, made: set[Var | None], *, is_kept: bool) -> list[int]:
    """The ages of the objects that the recorded loop may begin an iteration with."""
    begun = [0] * len(loop.recorded.inputs)
    for part in [loop.first[0], *[loop.recorded] * (_OLD * len(begun) + 1)]:
        ages = _Ages(part, begun if part is loop.recorded else [0] * len(part.inputs), loop.layout, is_kept=is_kept)
        handed_on = [1 if value in made else _older(ages.of(value)) for value in part.handed_on]
        begun = [max(one, other) for one, other in zip(begun, handed_on, strict=True)]
    return begun


def _older(age: int) -> int:
    return min(age + 1, _OLD) if age else 0
