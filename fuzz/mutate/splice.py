"""The beginning of one trace and the end of another make one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count, filterfalse

from fuzz.draw.generator import GeneratedTrace
from fuzz.edits.walk import renamed, results, used_by
from fuzz.mutate.sketch import Sketch, sketch_of, units
from fuzz.mutate.subject import Subject
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, Datum, Ref
from optimizer.ir.text.declarations import merge
from optimizer.ir.text.string_text import constant_name
from optimizer.ir.trace import Operation, Trace, Value, Var, all_operations
from optimizer.ir.types.declaration_rules import find_problems
from optimizer.ir.types.declared import Declarations
from validator.search.sites import renamed as with_other_names


def spliced(subject: Subject) -> Sketch | None:
    """The beginning of the trace, then the end of the other one; or, now and then, all of both.

    The end's inputs are joined to the trace's; for what its own beginning would have defined, variables of the trace
    stand, or further inputs. None where the words differ, or declarations contradict each other.
    """
    front, other = subject.sketch, _with_names_apart(subject.other, subject.sketch.heap)
    back = sketch_of(other, above=max(op.line for op in all_operations(front.trace)))
    declarations = merged(front.trace.declarations, back.trace.declarations)
    if front.word != back.word or declarations is None:
        return None
    kept = units(front.trace.ops)[:-1]
    added = units(back.trace.ops)
    if not subject.chance(15):
        kept = kept[: subject.random.randint(0, len(kept))]
        added = added[subject.random.randint(0, len(added) - 1) :]
    beginning, end = [op for unit in kept for op in unit], [op for unit in added for op in unit]
    inputs, names = _names(subject, [*front.trace.inputs, *results(beginning)], other, end)
    ops = (*beginning, *(renamed(op, names) for op in end))
    world = replace(
        front.world,
        gc_types=tuple({**dict(back.world.gc_types), **dict(front.world.gc_types)}.items()),
        functions=(*front.world.functions, *back.world.functions),
    )
    return Sketch(
        Trace((*front.trace.inputs, *inputs), ops, front.word, declarations),
        (*front.data, *inputs.values()),
        {**front.events, **back.events},
        _joined(front.heap, back.heap),
        world,
    )


def merged(one: Declarations, other: Declarations) -> Declarations | None:
    """The declarations of both together; None where they declare a name in different ways."""
    if one.flags != other.flags:
        return None
    try:
        both = merge(one, other)
    except InputError:
        return None
    return None if any(find_problems(both)) else both


def _names(
    subject: Subject, there: Sequence[Var], other: GeneratedTrace, added: Sequence[Operation]
) -> tuple[dict[Var, Datum], dict[Var, Value]]:
    """New inputs with their values, and the new names for all variables of the added operations."""
    defined = results(all_operations(other.trace.of(added)))
    names: dict[Var, Value] = {var: subject.names.fresh(var.type) for var in defined}
    inputs: dict[Var, Datum] = {}
    old = {NULL} if other.state.heap is None else {NULL, *other.state.heap.objects}
    given = dict(zip(other.trace.inputs, other.state.inputs, strict=True))
    for var in [used for op in added for used in used_by(op)]:
        if var in names:
            continue
        among = [one for one in there if one.type is var.type]
        datum = given.get(var, other.values.get(var.name))
        is_old = datum is not None and (not isinstance(datum, Ref) or datum in old)
        if among and (not is_old or subject.chance(60)):
            names[var] = subject.random.choice(among)
            continue
        new = names[var] = subject.names.fresh(var.type)
        inputs[new] = datum if datum is not None and is_old else NULL
    return inputs, names


def _with_names_apart(other: GeneratedTrace, heap: Heap | None) -> GeneratedTrace:
    """The trace, whose objects have names that none of the heap has; but an opaque constant of both is one object."""
    if heap is None or other.state.heap is None:
        return other
    refs: dict[Ref, Ref] = {}
    for ref in other.state.heap.objects:
        shared = None if constant_name(ref.name) is None else heap.named(ref.name)
        free = filterfalse(heap.objects.__contains__, chain([ref], (Ref(f"q{number}") for number in count())))
        refs[ref] = shared or next(one for one in free if one not in refs.values())
    values = {name: refs.get(held, held) if isinstance(held, Ref) else held for name, held in other.values.items()}
    return replace(other, state=with_other_names(other.state, refs), values=values)


def _joined(one: Heap | None, other: Heap | None) -> Heap | None:
    """A heap of the objects of both; of those that are one, what the first heap says of it."""
    if one is None or other is None:
        return one or other
    heap = one.copy()
    heap.objects = {**one.objects, **{ref: held for ref, held in other.objects.items() if ref not in one.objects}}
    heap.names = {**other.names, **one.names}
    return heap
