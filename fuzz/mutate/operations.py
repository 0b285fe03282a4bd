"""Mutations of operations: other rows, other senses, and operations that come twice, elsewhere or not at all."""

from __future__ import annotations

from fuzz.draw.choices import NotDrawable
from fuzz.edits.edit import Become, Insert, Move, Remove, flag_pairs
from fuzz.edits.rows import negations, with_flag
from fuzz.edits.walk import inner, renamed, results, used_by, visible
from fuzz.mutate.scene import Scene, computed
from fuzz.mutate.settle import dropped
from fuzz.mutate.sketch import Sketch, units
from fuzz.mutate.subject import Subject
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, DescrKind, Op, Type
from optimizer.ir.run.interpreter import run
from optimizer.ir.trace import Exit, Operation, Value, Var
from optimizer.ir.types.trace_layout import layout_of


def other_operation(subject: Subject) -> Sketch:
    """An operation by another row that takes and gives the same; an overflow check comes, or goes."""
    sketch = subject.sketch
    op = subject.operation(lambda op: subject.alike(op.op) or op.op.wrapping or with_flag(op.op))
    checked = with_flag(op.op)
    if checked is not None and subject.chance(30):
        operations = (replace(op, op=checked), Operation(subject.flag_guard, (), None, Exit(())))
        return sketch.on(Insert(op.line, operations), Remove(frozenset([op.line])))
    if op.op.wrapping is not None and subject.chance(30):
        guard = next(guard for telling, guard in flag_pairs(sketch.trace) if telling is op)
        return sketch.on(Remove(frozenset([guard.line])))
    row = subject.choose(subject.relatives(op.op) if subject.chance(60) else subject.alike(op.op))
    return sketch.on(Become(op.line, replace(op, op=row)))


def other_descr(subject: Subject) -> Sketch:
    """An operation on the heap names other memory, which the trace names elsewhere or which is declared."""
    sketch = subject.sketch
    op = subject.operation(lambda op: op.descr is not None)
    kind = op.op.memory and op.op.memory.descr
    named = [one.descr for one in sketch.trace.ops if one.op.memory is not None and one.op.memory.descr is kind]
    declared = sketch.trace.declarations
    match kind:
        case DescrKind.FIELD:
            named += [f"{struct.name}.{field.name}" for struct in declared.structs for field in struct.fields]
        case DescrKind.RAW_ITEM:
            named += [f"<Array{sign} {size}>" for size in (1, 2, 4, 8) if 8 * size <= sketch.word for sign in "US"]
        case DescrKind.STRUCT:
            named += [struct.name for struct in declared.structs]
        case DescrKind.CALL:
            named += [call.name for call in declared.calls]
    descr = subject.choose([name for name in named if name not in (None, op.descr)])
    return sketch.on(Become(op.line, replace(op, descr=descr)))


def other_sense(subject: Subject) -> Sketch:
    """A guard demands the opposite of what it did, and on the example it is so.

    Its test becomes one with the other outcome; where there is none, the guard is on the negation.
    """
    sketch = subject.sketch
    guard = subject.operation(lambda op: op.op.is_guard and op.op.args == (Type.INT,))
    opposite, truth = subject.choose(subject.alike(guard.op)), subject.number(guard.args[0])
    if truth not in (0, 1):
        raise NotDrawable
    test = next((op for op in sketch.trace.ops if op.result == guard.args[0] and op.op.is_pure), None)
    if test is not None and subject.chance(75):
        numbers = [subject.number(arg) for arg in test.args]
        fitting = [row for row in subject.alike(test.op) if computed(row, numbers, sketch.word) == 1 - truth]
        if fitting:
            other = replace(test, op=subject.choose(fitting))
            return sketch.on(Become(guard.line, replace(guard, op=opposite)), Become(test.line, other))
    negated = subject.names.fresh(Type.INT)
    negation = Operation(subject.choose(negations(sketch.word)), guard.args, negated)
    return sketch.on(Insert(guard.line, (negation,)), Become(guard.line, replace(guard, op=opposite, args=(negated,))))


# Twice, elsewhere, not at all.


def duplicated(subject: Subject) -> Sketch:
    """An operation comes once more, further down; some of what used the first one's result uses the second one's."""
    parts = units(subject.trace.ops)
    source = subject.choose(range(len(parts) - 1))
    target = min(source + 1 + subject.random.randrange(4), len(parts) - 1)
    if subject.chance(20):
        target = subject.random.randrange(source + 1, len(parts))
    copies = []
    for op in parts[source]:
        names: dict[Var, Value] = {var: subject.names.fresh(var.type) for var in results((op, *inner(op)))}
        copies.append(renamed(op, names))
    events = map(subject.sketch.event, parts[source])
    sketch = subject.sketch.with_copies(parts[target][0].line, copies, events)
    for var in results(copies):
        sketch = subject.shown(sketch, var)
    return sketch


def repeated(subject: Subject) -> Sketch:
    """An operation computed again, or a relative of it, perhaps with the arguments turned around."""
    trace = subject.trace
    op = subject.operation(lambda op: (op.op.is_pure or op.op.has_floats) and op.args)
    args = op.args[::-1] if subject.chance(60 if op.op.commutative else 15) else op.args
    again = [Operation(_again(subject, op.op), args, subject.names.fresh(op.op.result))]
    if again[0].op.overflows is not None:
        again.append(Operation(subject.flag_guard, (), None, Exit(())))
    behind = [unit[0].line for unit in units(trace.ops) if trace.ops.index(unit[0]) > trace.ops.index(op)]
    sketch = subject.sketch.on(Insert(subject.choose(behind), tuple(again)))
    return subject.shown(sketch, *results(again))


def _again(subject: Subject, row: Op) -> Op:
    checked = with_flag(row)
    if row.wrapping is not None:
        return row if subject.chance(30) else OPS[row.wrapping]
    if checked is not None and subject.chance(40):
        return checked
    return subject.choose([*subject.relatives(row), row]) if row.is_pure and subject.chance(30) else row


def moved(subject: Subject) -> Sketch:
    """An operation goes elsewhere, no further than what it uses and what uses it lets it."""
    parts = units(subject.trace.ops)
    source = subject.choose(range(len(parts) - 1))
    defined, used = _names(parts[source])
    above = below = source
    while above > 0 and used.isdisjoint(_names(parts[above - 1])[0]):
        above -= 1
    while below < len(parts) - 2 and defined.isdisjoint(_names(parts[below + 1])[1]):
        below += 1
    target = subject.choose([place for place in range(above, below + 2) if place not in (source, source + 1)])
    return subject.sketch.on(Move(frozenset(op.line for op in parts[source]), parts[target][0].line))


def _names(unit: tuple[Operation, ...]) -> tuple[set[Var], set[Var]]:
    """The variables that a unit defines, and those that it uses."""
    defined = {var for op in unit for var in results((op, *inner(op)))}
    return defined, {var for op in unit for var in used_by(op)}


def without_one(subject: Subject) -> Sketch:
    """An operation goes; something else stands for what it defines."""
    trace, state = subject.trace, subject.sketch.state
    op = subject.choose(trace.ops[:-1])
    done = run(trace, state.inputs, state.world, heap=state.heap)
    return dropped(subject.sketch, op, Scene(layout_of(trace), done, visible(trace, op.line)), subject.random)


def other_kind_of_end(subject: Subject) -> Sketch:
    """A jump finishes, or the other way round."""
    end = subject.trace.end
    return subject.sketch.on(Become(end.line, replace(end, op=subject.choose(subject.alike(end.op)))))
