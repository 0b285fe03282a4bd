"""Changes to what operations are given: earlier values, and simpler constants."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fuzz.edits.edit import Put, Substitute
from fuzz.edits.walk import each, operands, results
from fuzz.reduce.candidate import Candidate, constant_cost
from fuzz.reduce.drop import without
from fuzz.reduce.structure import Change
from optimizer.ir.floats import ZERO, Float
from optimizer.ir.immutable import replace
from optimizer.ir.operands import constant_of
from optimizer.ir.rows.domain import wrap
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.trace import ConstFloat, ConstInt, ConstRef, Operation, Trace, Value, Var, all_operations
from validator.search.float_samples import simpler_floats

_EARLIER = 4
"""The number of earlier values that are tried, besides operands, operands of operands and inputs."""


def forward(candidate: Candidate) -> Iterator[Change]:
    """An operation goes, and an earlier value stands for its result, or the number that it is."""
    for op in reversed(candidate.before.ops):
        if op.result is not None and op.line in candidate.shared_lines:
            for value in earlier(candidate.before, op.args, op.line, op.result.type):
                yield partial(without, lines=frozenset([op.line]), values={op.result: value})
                if candidate.takes_constants and value.type is Type.INT:
                    yield partial(_with_shifted, line=op.line, old=op.result, new=value)
            if candidate.takes_constants and op.result.type is not Type.REF:
                yield partial(_with_its_number, line=op.line, old=op.result)


def _with_shifted(candidate: Candidate, line: int, old: Var, new: Var) -> Candidate | None:
    """Constants beside the result become as far from what stands for it as they were from the result."""
    one, other = candidate.value(old), candidate.value(new)
    if not isinstance(one, int) or not isinstance(other, int) or one == other:
        return None

    def shifted(arg: Value) -> Value:
        return ConstInt(wrap(arg.value + other - one, candidate.before.word)) if isinstance(arg, ConstInt) else arg

    def changed(op: Operation) -> Operation:
        return replace(op, args=tuple(map(shifted, op.args))) if old in op.args and op.op.args is not None else op

    traces = [each(trace, changed) for trace in candidate.traces]
    if tuple(traces) == candidate.traces:
        return None
    return without(candidate.with_traces(traces), frozenset([line]), {old: new})


def _with_its_number(candidate: Candidate, line: int, old: Var) -> Candidate | None:
    number = candidate.value(old)
    return None if isinstance(number, Ref) else without(candidate, frozenset([line]), {old: constant_of(number)})


def earlier(trace: Trace, args: tuple[Value, ...], line: int, type_: Type) -> Iterator[Var]:
    """Values of a type that stand in front of the operation in that line: its operands and theirs, those in front,
    inputs."""
    definitions: dict[Value, Operation] = {}
    for op in all_operations(trace):
        if op.line == line:
            break
        definitions |= dict.fromkeys(results([op]), op)
    waiting, seen = list(args), set[Value]()
    while waiting:
        value = waiting.pop(0)
        if value in seen:
            continue
        seen.add(value)
        if value.type is type_ and isinstance(value, Var):
            yield value
        if value in definitions:
            waiting += definitions[value].args
    defined = [value for value in definitions if value.type is type_ and value not in seen and isinstance(value, Var)]
    yield from defined[: -_EARLIER - 1 : -1]
    yield from (var for var in trace.inputs if var.type is type_ and var not in seen)


def simplify_operands(candidate: Candidate) -> Iterator[Change]:
    """Earlier values and constants for variables and opaque constants, dead slots for what guards hand over."""
    for trace in candidate.traces:
        for op in reversed([op for op in all_operations(trace) if op.line in candidate.shared_lines]):
            for place, value in enumerate(operands(op)):
                if value is not None and not _is_class(op, place):
                    dead: tuple[Value | None, ...] = (None,) if place >= len(op.args) else ()
                    for other in (*dead, *_simpler_values(candidate, trace, op, value)):
                        yield Put(op.line, place, value, other)


def _is_class(op: Operation, place: int) -> bool:
    """Is the operand the class that is asked for, in place of which no number stands?"""
    return op.op.memory is not None and op.op.memory.class_arg == place


_PLAIN: dict[Type, tuple[Value, ...]] = {
    Type.INT: (ConstInt(0), ConstInt(1)),
    Type.FLOAT: (ConstFloat(ZERO), ConstFloat(Float.of(1.0))),
    Type.REF: (ConstRef(NULL.name),),
    Type.VOID: (),
}
"""The simplest constants."""


def _simpler_values(candidate: Candidate, trace: Trace, op: Operation, value: Value) -> Iterator[Value]:
    if isinstance(value, ConstInt | ConstFloat):
        return
    if candidate.takes_constants:
        yield from _PLAIN[value.type]
    if value == ConstRef(NULL.name):
        return
    definition = next((one for one in all_operations(trace) if one.result == value), None)
    args = definition.args if definition is not None else ()
    yield from (other for other in earlier(trace, args, op.line, value.type) if other != value)


# Constants.


def simplify_constants(candidate: Candidate) -> Iterator[Change]:
    """The changes of each float in all its places; of each number in all its places, then in each of them."""
    places: dict[ConstInt | ConstFloat, dict[tuple[int, int], None]] = {}
    for trace in candidate.traces:
        for op in all_operations(trace):
            for place, value in enumerate(operands(op)):
                if isinstance(value, ConstInt | ConstFloat):
                    places.setdefault(value, {})[op.line, place] = None
    for number in sorted(value.value for value in places if isinstance(value, ConstFloat)):
        yield from (Substitute({ConstFloat(number): ConstFloat(one)}) for one in simpler_floats(number))
    simpler = {
        value: [ConstInt(one) for one in simpler_numbers(value.value, candidate.before.word)]
        for value in places
        if isinstance(value, ConstInt)
    }
    for value, others in simpler.items():
        yield from (Substitute({value: other}) for other in others)
    for value, others in simpler.items():
        for line, place in places[value] if len(places[value]) > 1 else ():
            yield from (Put(line, place, value, other) for other in others)


def simpler_numbers(number: int, word: int) -> Iterator[int]:
    """Numbers of the word that cost less, cheapest first."""
    limit = 1 << (word - 1)
    power = 1 << max(abs(number).bit_length() - 1, 0)
    near = {sign * (size + by) for size in (power, 2 * power) for sign in (1, -1) for by in (-1, 0, 1)}
    small = set(range(-3, 9)) | {number - 1, number + 1, number // 2, -number}
    among = {one for one in near | small | {16, 64, 256, limit - 1, -limit} if -limit <= one < limit}
    yield from sorted(
        (one for one in among if constant_cost(one) < constant_cost(number)),
        key=lambda one: (constant_cost(one), one < 0),
    )
