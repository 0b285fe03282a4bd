"""Changes to what operations are given: earlier values, and simpler constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from fuzz.reduce.candidate import Candidate, constant_cost
from fuzz.reduce.drop import without
from fuzz.reduce.lines import plain_value, with_values
from fuzz.reduce.structure import Change, with_traces
from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.rows.domain import wrap
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.trace import (
    ConstFloat,
    ConstInt,
    ConstRef,
    Exit,
    Operation,
    Trace,
    Value,
    Var,
    all_operations,
    constant_of,
)
from validator.search.float_samples import simpler_floats

_EARLIER = 4
"""So many earlier values are tried, besides operands, operands of operands and inputs."""


def forward(candidate: Candidate) -> Iterator[Change]:
    """An operation goes, and an earlier value stands for its result, or the number that it is."""
    for one, two in reversed(candidate.change.shared if candidate.change is not None else ()):
        for place in range(min(len(one.args), len(two.args))):
            yield partial(_with_operand, line=one.line, place=place)
    for op in reversed(candidate.before.ops):
        if op.result is not None and op.line in candidate.shared_lines:
            for value in earlier(candidate.before, op.args, op.line, op.result.type):
                yield partial(without, lines=frozenset([op.line]), values={op.result: value})
                if candidate.takes_constants and value.type is Type.INT:
                    yield partial(_with_shifted, line=op.line, old=op.result, new=value)
            if candidate.takes_constants and op.result.type is not Type.REF:
                yield partial(_with_its_number, line=op.line, old=op.result)


def _with_operand(candidate: Candidate, line: int, place: int) -> Candidate | None:
    """On each side an operand of its own stands for the result."""
    traces = []
    for trace in candidate.traces:
        op = next((op for op in trace.ops if op.line == line), None)
        if op is None or op.result is None or place >= len(op.args) or op.args[place].type is not op.result.type:
            return None
        values = {op.result: op.args[place]}
        ops = tuple(with_values(one, values) for one in trace.ops if one.line != line)
        traces.append(replace(trace, ops=ops))
    return with_traces(candidate, traces)


def _with_shifted(candidate: Candidate, line: int, old: Var, new: Var) -> Candidate | None:
    """Constants beside the result become as far from what stands for it as they were from the result."""
    one, other = candidate.value(old), candidate.value(new)
    if not isinstance(one, int) or not isinstance(other, int) or one == other:
        return None

    def shifted(arg: Value) -> Value:
        return ConstInt(wrap(arg.value + other - one, candidate.before.word)) if isinstance(arg, ConstInt) else arg

    def changed(op: Operation) -> Operation:
        return replace(op, args=tuple(map(shifted, op.args))) if old in op.args and op.op.args is not None else op

    moved = _everywhere(candidate, changed)
    return None if moved is None else without(moved, frozenset([line]), {old: new})


def _with_its_number(candidate: Candidate, line: int, old: Var) -> Candidate | None:
    number = candidate.value(old)
    return None if isinstance(number, Ref) else without(candidate, frozenset([line]), {old: constant_of(number)})


def earlier(trace: Trace, args: tuple[Value, ...], line: int, type_: Type) -> Iterator[Var]:
    """Values of a type that stand in front of the operation in that line: its operands and theirs, those in front,
    inputs."""
    definitions: dict[Var, Operation] = {}
    for op in all_operations(trace):
        if op.line == line:
            break
        if op.result is not None:
            definitions[op.result] = op
    waiting, seen = list(args), set()
    while waiting:
        value = waiting.pop(0)
        if value in seen:
            continue
        seen.add(value)
        if value.type is type_ and isinstance(value, Var):
            yield value
        if value in definitions:
            waiting += definitions[value].args
    defined = [value for value in definitions if value.type is type_ and value not in seen]
    yield from defined[: -_EARLIER - 1 : -1]
    yield from (var for var in trace.inputs if var.type is type_ and var not in seen)


def simplify_operands(candidate: Candidate) -> Iterator[Change]:
    """Earlier values and constants for variables and opaque constants."""
    for trace in candidate.traces:
        for op in reversed([op for op in all_operations(trace) if op.line in candidate.shared_lines]):
            for place, arg in enumerate(op.args):
                for value in _simpler_values(candidate, trace, op, arg):
                    yield partial(_with_arg, line=op.line, place=place, old=arg, new=value)
            for place, failarg in enumerate((op.exit.failargs or ()) if op.exit is not None else ()):
                if failarg is not None:
                    for other in (None, *_simpler_values(candidate, trace, op, failarg)):
                        yield partial(_with_failarg, line=op.line, place=place, old=failarg, new=other)


def _simpler_values(candidate: Candidate, trace: Trace, op: Operation, value: Value) -> Iterator[Value]:
    if isinstance(value, ConstInt | ConstFloat):
        return
    if candidate.takes_constants:
        yield plain_value(value.type)
    if candidate.takes_constants and value.type is Type.INT:
        yield ConstInt(1)
    if candidate.takes_constants and value.type is Type.FLOAT:
        yield ConstFloat(Float.of(1.0))
    if isinstance(value, ConstRef) and value.text == NULL.name:
        return
    definition = next((one for one in all_operations(trace) if one.result == value), None)
    args = definition.args if definition is not None else ()
    yield from (other for other in earlier(trace, args, op.line, value.type) if other != value)


def _with_arg(candidate: Candidate, line: int, place: int, old: Value, new: Value) -> Candidate | None:
    def changed(op: Operation) -> Operation:
        if op.line == line and place < len(op.args) and op.args[place] == old:
            return replace(op, args=(*op.args[:place], new, *op.args[place + 1 :]))
        return op

    return _everywhere(candidate, changed)


def _with_failarg(candidate: Candidate, line: int, place: int, old: Value, new: Value | None) -> Candidate | None:
    def changed(op: Operation) -> Operation:
        failargs = (op.exit.failargs or ()) if op.exit is not None else ()
        if op.line != line or place >= len(failargs) or failargs[place] != old:
            return op
        assert op.exit is not None
        failargs = (*failargs[:place], new, *failargs[place + 1 :])
        return replace(op, exit=Exit(failargs, op.exit.origin, op.exit.block))

    return _everywhere(candidate, changed)


def _everywhere(candidate: Candidate, change: object) -> Candidate | None:
    """The candidate with each operation changed, in exit blocks too; None where nothing changes."""
    assert callable(change)

    def changed(op: Operation) -> Operation:
        if op.exit is not None and op.exit.block:
            op = replace(op, exit=replace(op.exit, block=tuple(map(changed, op.exit.block))))
        done: Operation = change(op)
        return done

    traces = [replace(trace, ops=tuple(map(changed, trace.ops))) for trace in candidate.traces]
    return None if tuple(traces) == candidate.traces else with_traces(candidate, traces)


# Constants.


def simplify_constants(candidate: Candidate) -> Iterator[Change]:
    """Each number in all its places, then in each of them."""
    places: dict[int, list[tuple[int, int]]] = {}
    for trace in candidate.traces:
        for op in all_operations(trace):
            values = (*op.args, *((op.exit.failargs or ()) if op.exit is not None else ()))
            for place, value in enumerate(values):
                if isinstance(value, ConstInt):
                    places.setdefault(value.value, []).append((op.line, place))
    yield from _simplify_floats(candidate)
    for number in places:
        for simpler in simpler_numbers(number, candidate.before.word):
            yield partial(_with_number, numbers={number: simpler})
    for number, uses in places.items():
        for line, place in dict.fromkeys(uses) if len(uses) > 1 else ():
            for simpler in simpler_numbers(number, candidate.before.word):
                yield partial(_with_number_at, line=line, place=place, old=number, new=simpler)


def _simplify_floats(candidate: Candidate) -> Iterator[Change]:
    """Each float in all its places."""
    constants = {
        arg.value
        for trace in candidate.traces
        for op in all_operations(trace)
        for arg in (*op.args, *((op.exit.failargs or ()) if op.exit is not None else ()))
        if isinstance(arg, ConstFloat)
    }
    for number in sorted(constants):
        for simpler in simpler_floats(number):
            yield partial(_with_float, old=number, new=simpler)


def _with_float(candidate: Candidate, old: Float, new: Float) -> Candidate | None:
    def other(value: Value) -> Value:
        return ConstFloat(new) if value == ConstFloat(old) else value

    def changed(op: Operation) -> Operation:
        exit_ = op.exit
        if exit_ is not None and exit_.failargs is not None:
            exit_ = replace(exit_, failargs=tuple(None if one is None else other(one) for one in exit_.failargs))
        return replace(op, args=tuple(map(other, op.args)), exit=exit_)

    return _everywhere(candidate, changed)


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


def _with_number(candidate: Candidate, numbers: Mapping[int, int]) -> Candidate | None:
    def other(value: Value | None) -> Value | None:
        return ConstInt(numbers[value.value]) if isinstance(value, ConstInt) and value.value in numbers else value

    def changed(op: Operation) -> Operation:
        args = tuple(one for one in map(other, op.args) if one is not None)
        exit_ = op.exit
        if exit_ is not None and exit_.failargs is not None:
            exit_ = replace(exit_, failargs=tuple(map(other, exit_.failargs)))
        return replace(op, args=args, exit=exit_)

    return _everywhere(candidate, changed)


def _with_number_at(candidate: Candidate, line: int, place: int, old: int, new: int) -> Candidate | None:
    changed = _with_arg(candidate, line, place, ConstInt(old), ConstInt(new))
    return changed or _with_failarg(candidate, line, place, ConstInt(old), ConstInt(new))
