"""Mutations of operations: other rows, other senses, and operations that come twice, elsewhere or not at all."""

from __future__ import annotations

from fuzz.edits.rows import negations, with_flag
from fuzz.mutate.scene import Scene
from fuzz.mutate.settle import dropped, without_flag
from fuzz.mutate.sketch import Line, Sketch, joined, results_of, substituted, units, used_by
from fuzz.mutate.subject import Subject, sites
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, DescrKind, Kind, Op, Type
from optimizer.ir.run.interpreter import run
from optimizer.ir.trace import Exit, Operation, Var
from optimizer.ir.types.trace_layout import layout_of


def other_operation(subject: Subject) -> Sketch | None:
    """An operation by another row that takes and gives the same; an overflow check comes, or goes."""
    sketch = subject.sketch
    index = subject.pick(subject.lines_with(lambda op: subject.alike(op.op) or op.op.wrapping or with_flag(op.op)))
    if index is None:
        return None
    operation = sketch.lines[index].operation
    checked = with_flag(operation.op)
    if checked is not None and subject.chance(30):
        guard = Operation(subject.flag_guard, (), None, Exit(()))
        return sketch.with_operation(index, replace(operation, op=checked)).with_inserted(index + 1, guard)
    if operation.op.wrapping is not None and subject.chance(30):
        guards = subject.lines_with(lambda op: op.op.reads_flag)
        guard_at = next(place for place in guards if place > index)
        lines = [line for place, line in enumerate(sketch.lines) if place != guard_at]
        return sketch.with_lines(lines).with_operation(index, without_flag(operation))
    row = subject.pick(subject.relatives(operation.op) if subject.chance(60) else subject.alike(operation.op))
    return None if row is None else sketch.with_operation(index, replace(operation, op=row))


def other_descr(subject: Subject) -> Sketch | None:
    """An operation on the heap names other memory, which the trace names elsewhere or which is declared."""
    sketch = subject.sketch
    index = subject.pick(subject.lines_with(lambda op: op.descr is not None))
    if index is None:
        return None
    operation = sketch.lines[index].operation
    kind = operation.op.memory and operation.op.memory.descr
    known = [
        line.operation.descr
        for line in sketch.lines
        if line.operation.op.memory is not None and line.operation.op.memory.descr is kind
    ]
    declared = sketch.declarations
    match kind:
        case DescrKind.FIELD:
            known += [f"{struct.name}.{field.name}" for struct in declared.structs for field in struct.fields]
        case DescrKind.RAW_ITEM:
            known += [f"<Array{sign} {size}>" for size in (1, 2, 4, 8) if 8 * size <= sketch.word for sign in "US"]
        case DescrKind.STRUCT:
            known += [struct.name for struct in declared.structs]
        case DescrKind.CALL:
            known += [call.name for call in declared.calls]
    descr = subject.pick([descr for descr in known if descr not in (None, operation.descr)])
    return None if descr is None else sketch.with_operation(index, replace(operation, descr=descr))


def other_sense(subject: Subject) -> Sketch | None:
    """A guard demands the opposite of what it did, and on the example it is so.

    Its test becomes one with the other outcome; where there is none, the guard is on the negation.
    """
    sketch, word = subject.sketch, subject.sketch.word
    index = subject.pick(subject.lines_with(lambda op: op.op.is_guard and op.op.args == (Type.INT,)))
    if index is None:
        return None
    guard = sketch.lines[index].operation
    opposite = subject.pick(subject.alike(guard.op))
    known = subject.number(guard.args[0])
    if opposite is None or known not in (0, 1):
        return None
    flipped = sketch.with_operation(index, replace(guard, op=opposite))
    tests = subject.lines_with(lambda op: op.result is not None and op.result == guard.args[0] and op.op.is_pure)
    if tests and subject.chance(75):
        test = sketch.lines[tests[0]].operation
        outcomes = [row for row in subject.alike(test.op) if _computes(row, test, subject) == 1 - known]
        row = subject.pick(outcomes)
        if row is not None:
            return flipped.with_operation(tests[0], replace(test, op=row))
    row = subject.pick(negations(word))
    if row is None:
        return None
    negated = subject.names.fresh(Type.INT)
    lines = flipped.with_operation(index, replace(guard, op=opposite, args=(negated,)))
    return lines.with_inserted(index, Operation(row, guard.args, negated))


def _computes(row: Op, like: Operation, subject: Subject) -> int | None:
    """What the row computes on the example, with those arguments."""
    from optimizer.ir.domains.concrete import concrete

    args = [subject.number(arg) for arg in like.args]
    d = concrete(subject.sketch.word)
    if row.meaning is None or None in args or (row.defined is not None and not row.defined(d, *args)):
        return None
    result: int = row.meaning(d, *args)
    return result


# Twice, elsewhere, not at all.


def duplicated(subject: Subject) -> Sketch | None:
    """An operation comes once more, further down; some of what used the first one's result uses the second one's."""
    parts = units(subject.sketch.lines)
    if len(parts) < 2:
        return None
    source = subject.random.randrange(len(parts) - 1)
    target = min(source + 1 + subject.random.randrange(4), len(parts) - 1)
    if subject.chance(20):
        target = subject.random.randrange(source + 1, len(parts))
    copies = []
    for line in parts[source]:
        names = subject.named_apart(line.operation)
        copies.append(replace(line, operation=substituted(line.operation, names)))
    sketch = subject.sketch.with_lines(joined([*parts[:target], tuple(copies), *parts[target:]]))
    for copy in copies:
        if copy.operation.result is not None:
            sketch = subject.shown(sketch, copy.operation.result)
    return sketch


def repeated(subject: Subject) -> Sketch | None:
    """What an operation computes is computed again, or what a relative of it does, perhaps with the arguments turned
    around."""
    sketch = subject.sketch
    source = subject.pick(subject.lines_with(lambda op: (op.op.is_pure or op.op.has_floats) and op.args))
    if source is None:
        return None
    operation = sketch.lines[source].operation
    row, checked = operation.op, with_flag(operation.op)
    if row.wrapping is not None:
        row = row if subject.chance(30) else OPS[row.wrapping]
    elif checked is not None and subject.chance(40):
        row = checked
    elif row.is_pure and subject.chance(30):
        row = subject.choose([*subject.relatives(row), row])
    args = operation.args[::-1] if subject.chance(60 if row.commutative else 15) else operation.args
    result = subject.names.fresh(row.result)
    at = subject.random.randrange(source + 1, len(sketch.lines))
    at = _outside_units(sketch, at)
    operations = [Operation(row, args, result)]
    if row.overflows is not None:
        operations.append(Operation(subject.flag_guard, (), None, Exit(())))
    return subject.shown(sketch.with_inserted(at, *operations), result)


def _outside_units(sketch: Sketch, index: int) -> int:
    """That line, or the first one behind it that does not stand between an overflow operation and its guard."""
    place = 0
    for unit in units(sketch.lines):
        if place >= index:
            break
        place += len(unit)
    return min(place, len(sketch.lines) - 1)


def moved(subject: Subject) -> Sketch | None:
    """An operation goes elsewhere, no further than what it uses and what uses it lets it."""
    parts = units(subject.sketch.lines)
    if len(parts) < 3:
        return None
    source = subject.random.randrange(len(parts) - 1)
    defined, used = _names(parts[source])
    above = below = source
    while above > 0 and used.isdisjoint(_names(parts[above - 1])[0]):
        above -= 1
    while below < len(parts) - 2 and defined.isdisjoint(_names(parts[below + 1])[1]):
        below += 1
    target = subject.random.randint(above, below)
    if target == source:
        return None
    rest = [*parts[:source], *parts[source + 1 :]]
    return subject.sketch.with_lines(joined([*rest[:target], parts[source], *rest[target:]]))


def _names(unit: tuple[Line, ...]) -> tuple[set[Var], set[Var]]:
    """What a unit defines, and what it uses."""
    defined = {var for line in unit for var in results_of(line.operation)}
    return defined, {var for line in unit for var in used_by(line.operation)}


def without_one(subject: Subject) -> Sketch | None:
    """An operation goes; something else stands for what it defines."""
    sketch = subject.sketch
    if len(sketch.lines) < 2:
        return None
    index = subject.random.randrange(len(sketch.lines) - 1)
    trace, state = sketch.trace, sketch.state
    done = run(trace, state.inputs, state.world, heap=state.heap)
    scene = Scene(layout_of(trace), done, sketch.visible(index))
    return dropped(sketch, index, scene, subject.random)


def without_failargs(subject: Subject) -> Sketch | None:
    """A guard hands over a dead slot in the place of a value."""
    sketch = subject.sketch
    site = subject.pick([site for site, _, value in sites(sketch) if site.failarg and value is not None])
    return None if site is None else site.replaced(sketch, None)


def other_kind_of_end(subject: Subject) -> Sketch | None:
    """A jump finishes, or the other way round."""
    end = subject.sketch.lines[-1].operation
    row = subject.pick(subject.alike(end.op))
    assert end.op.kind is Kind.END
    return None if row is None else subject.sketch.with_operation(len(subject.sketch.lines) - 1, replace(end, op=row))
