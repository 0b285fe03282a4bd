"""The beginning of one trace and the end of another make one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from fuzz.edits.walk import renamed, results, used_by
from fuzz.mutate.sketch import Event, Sketch, sketch_of, units
from fuzz.mutate.subject import Subject
from optimizer.ir.immutable import replace
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, Datum, Object, Ref
from optimizer.ir.run.runs import Given, Scripted
from optimizer.ir.text.string_text import constant_name
from optimizer.ir.trace import Operation, Trace, Value, Var, all_operations
from optimizer.ir.types.declared import Declarations


def spliced(subject: Subject) -> Sketch | None:
    """The beginning of the trace, then the end of the other one; or, now and then, all of both.

    The end's inputs are joined to the trace's; for what its own beginning would have defined, variables of the trace
    stand, or further inputs. None where the words differ, or declarations contradict each other.
    """
    front = subject.sketch
    back = sketch_of(subject.other, above=max(op.line for op in all_operations(front.trace)))
    declarations = merged(front.trace.declarations, back.trace.declarations)
    if front.word != back.word or declarations is None:
        return None
    kept = units(front.trace.ops)[:-1]
    added = units(back.trace.ops)
    if not subject.chance(15):
        kept = kept[: subject.random.randint(0, len(kept))]
        added = added[subject.random.randint(0, len(added) - 1) :]
    heap, refs = _joined_heaps(front.heap, back.heap)
    beginning, end = [op for unit in kept for op in unit], [op for unit in added for op in unit]
    inputs, data, names = _names(subject, [*front.trace.inputs, *results(beginning)], back, end, refs)
    ops = (*beginning, *(renamed(op, names) for op in end))
    return Sketch(
        Trace((*front.trace.inputs, *inputs), ops, front.word, declarations),
        (*front.data, *data),
        {**front.events, **{line: _event(event, refs) for line, event in back.events.items()}},
        heap,
        replace(
            front.world,
            gc_types=tuple({**dict(back.world.gc_types), **dict(front.world.gc_types)}.items()),
            functions=(*front.world.functions, *_functions(back, refs)),
        ),
    )


def merged(one: Declarations, other: Declarations) -> Declarations | None:
    """What both declare; None where they declare a name in different ways."""
    if one.cleared != other.cleared:
        return None
    joined_up: dict[str, Any] = {}
    for field in fields(Declarations)[:-1]:
        known = {entry.name: entry for entry in getattr(one, field.name)}
        for entry in getattr(other, field.name):
            if known.setdefault(entry.name, entry) != entry:
                return None
        joined_up[field.name] = tuple(known.values())
    kinds = [{entry.name for entry in joined_up[kind]} for kind in ("structs", "arrays", "calls", "descrs")]
    if sum(map(len, kinds)) != len(set().union(*kinds)):
        return None
    return Declarations(**joined_up)


def _names(
    subject: Subject, there: Sequence[Var], back: Sketch, added: Sequence[Operation], refs: Mapping[Ref, Ref]
) -> tuple[list[Var], list[Datum], dict[Var, Value]]:
    """New inputs and their values, and the new names for all variables of the added operations."""
    defined = results(all_operations(back.trace.of(added)))
    names: dict[Var, Value] = {var: subject.names.fresh(var.type) for var in defined}
    inputs: list[Var] = []
    data: list[Datum] = []
    given = dict(zip(back.trace.inputs, back.data, strict=True))
    for var in [used for op in added for used in used_by(op)]:
        if var in names:
            continue
        among = [one for one in there if one.type is var.type]
        datum = given.get(var, subject.other.values.get(var.name))
        is_old = datum is not None and (not isinstance(datum, Ref) or datum in refs or datum == NULL)
        if among and (not is_old or subject.chance(60)):
            names[var] = subject.random.choice(among)
            continue
        new = names[var] = subject.names.fresh(var.type)
        inputs.append(new)
        data.append(NULL if isinstance(datum, Ref) or datum is None else datum)
        if is_old and isinstance(datum, Ref):
            data[-1] = refs.get(datum, NULL)
    return inputs, data, names


def _event(event: Event, refs: Mapping[Ref, Ref]) -> Event:
    """The event with other names of objects."""

    def other(value: Any) -> Any:
        return refs.get(value, value) if isinstance(value, Ref) else value

    writes = (replace(write, target=other(write.target), value=other(write.value)) for write in event.writes)
    return Event(other(event.gives), tuple(writes), other(event.raises), event.happens)


def _functions(sketch: Sketch, refs: Mapping[Ref, Ref]) -> Iterator[Given]:
    """What functions give, with other names of objects."""
    for given in sketch.world.functions:
        both: list[Scripted] = [
            refs.get(one, one) if isinstance(one, Ref) else one for one in (given.result, given.raises)
        ]
        yield Given(*both)


def _joined_heaps(one: Heap | None, other: Heap | None) -> tuple[Heap | None, dict[Ref, Ref]]:
    """A heap of the objects of both, and the names in it of the other one's objects.

    An opaque constant of both is one object, what the first one says of it.
    """
    if other is None or one is None:
        only = one if other is None else other
        return only, {} if other is None else {ref: ref for ref in other.objects}
    heap = one.copy()
    refs: dict[Ref, Ref] = {}
    for ref in other.objects:
        shared = None if constant_name(ref.name) is None else heap.named(ref.name)
        refs[ref] = shared or _unused(heap, ref, refs)
        if shared is None:
            heap.objects[refs[ref]] = other.objects[ref]
    for ref, new in refs.items():
        if heap.objects.get(new) is other.objects[ref]:
            heap.objects[new] = _with_refs(other.objects[ref], refs)
    heap.names.update({name: refs.get(ref, ref) for name, ref in other.names.items() if name not in heap.names})
    return heap, refs


def _unused(heap: Heap, ref: Ref, taken: Mapping[Ref, Ref]) -> Ref:
    """A name that no object has; the object's own, if it is free."""
    count, candidate = 0, ref
    while candidate in heap.objects or candidate in taken.values():
        candidate, count = Ref(f"q{count}"), count + 1
    return candidate


def _with_refs(described: Object, refs: Mapping[Ref, Ref]) -> Object:
    cells = {
        cell: refs.get(value, value) if isinstance(value, Ref) else value for cell, value in described.cells.items()
    }
    return replace(described, cells=cells)
