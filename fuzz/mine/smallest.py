"""The smallest trace on which an optimizer misses the same chance, and its shape: the same for all that differ in names
and numbers alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

from fuzz.campaign.examine import Optimized, Optimizer, malformed
from fuzz.edits.edit import Bare, Remove
from fuzz.edits.walk import LETTERS, is_well_formed, operands, renamed, used_by, variables, with_names
from fuzz.mine.chances import Chance, cost, is_proved, live
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import INT
from optimizer.ir.rules.language import Rule, RuleError, rule
from optimizer.ir.text.trace_printer import format_operation, format_trace
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var
from optimizer.ir.types.declared import NO_DECLARATIONS

_NUMBER = re.compile(r"(?<![\w.#-])-?[0-9]+\b(?!\.)")
_PLAIN = ("0", "1", "-1")
_NAMES = "xyzuvwabcdefghijk"


def left_by(optimizer: Optimizer, trace: Trace) -> Trace | None:
    """The trace that the optimizer makes; None where it fails, whatever the reason: that is a campaign's business."""
    try:
        result = optimizer(trace)
    except Exception:
        return None
    left = result.trace if isinstance(result, Optimized) else result
    return left if isinstance(left, Trace) and malformed(trace, left) is None else None


Change = Callable[[Trace], Trace]


def smallest(chance: Chance, optimizer: Optimizer, limit_s: float, clock: Callable[[], float]) -> Chance:
    """The chance on the smallest trace on which the optimizer still misses it, by changes that are tried in order, in
    about so many seconds."""
    end, is_smaller = clock() + limit_s, True
    while is_smaller:
        is_smaller = False
        for change in _changes(chance):
            if clock() >= end:
                return chance
            smaller = Chance(_with_inputs(change(chance.trace), chance), chance.instead)
            if smaller.trace != chance.trace and is_missed(smaller, optimizer):
                chance, is_smaller = smaller, True
    return chance


def _changes(chance: Chance) -> Iterator[Change]:
    """An end behind the operation, guards that hand over nothing, fewer operations, whose results are inputs then, and
    fewer values at the end."""
    trace, op = chance.trace, chance.operation
    yield partial(_ended, line=op.line)
    yield Bare(None, all_of_it=True).on
    for one in reversed(trace.ops[:-1]):
        if one is not op:
            yield Remove(frozenset({one.line})).on
    for value in dict.fromkeys(trace.end.args):
        yield partial(_without_value, value=value)
    yield lambda trace: replace(trace, declarations=NO_DECLARATIONS)


def is_missed(chance: Chance, optimizer: Optimizer) -> bool:
    """Is it a chance on its trace, which leads the optimizer further than it gets without it?"""
    if not is_well_formed(chance.trace) or all(op.line != chance.instead.line for op in chance.trace.ops):
        return False
    left, best = left_by(optimizer, chance.trace), left_by(optimizer, chance.better)
    if left is None or best is None or cost(live(best)) >= cost(live(left)):
        return False  # stores in exit blocks count: the optimizer is compared with itself
    return is_proved(chance.trace, chance.better)


def _ended(trace: Trace, line: int) -> Trace:
    place = next(place for place, op in enumerate(trace.ops) if op.line == line)
    op = trace.ops[place]
    flag = trace.ops[place + 1 : place + 2] if op.op.overflows is not None else ()
    return trace.of((*trace.ops[: place + 1], *flag, _finish(trace, () if op.result is None else (op.result,))))


def _without_value(trace: Trace, value: Value) -> Trace:
    return trace.of((*trace.ops[:-1], _finish(trace, tuple(arg for arg in trace.end.args if arg != value))))


def _finish(trace: Trace, args: tuple[Value, ...]) -> Operation:
    return Operation(OPS["finish"], args, line=trace.end.line)


def _with_inputs(trace: Trace, chance: Chance) -> Trace:
    """The trace whose inputs are what it uses and does not compute."""
    put = chance.instead.put
    wanted: list[Value | None] = [*operands(put)] if isinstance(put, Operation) else [put]
    used = dict.fromkeys(chain((var for op in trace.ops for var in used_by(op)), wanted))
    made = {op.result for op in trace.ops} | {one.result for op in trace.ops if op.exit for one in op.exit.block}
    known = (*chance.trace.inputs, *(var for var in used if isinstance(var, Var) and var not in chance.trace.inputs))
    return replace(trace, inputs=tuple(var for var in known if var in used and var not in made))


def told(chance: Chance) -> tuple[tuple[str, ...], str]:
    """The lines of the trace with plain names, and one of its operations with what may stand in its place."""
    trace = chance.trace
    names: dict[Var, Var] = {
        var: Var(f"{LETTERS[var.type]}{number}", var.type) for number, var in enumerate(variables(trace))
    }
    values: dict[Value, Value] = dict(names.items())
    plain = with_names(trace, names)
    operation = format_operation(plain.ops[trace.ops.index(chance.operation)])
    match chance.instead.put:
        case None:
            better = "never fails" if chance.operation.op.is_guard else "is not needed"
        case Operation() as computed:
            better = f"is {format_operation(replace(renamed(computed, names), result=None))}"
        case ConstInt() | Var() as value:
            better = f"is {values.get(value, value)}"
        case value:
            better = f"is {value}"
    return (*format_trace(plain).splitlines(),), f"{operation}  # {better}"


def shape(chance: Chance) -> str:
    """The text of a chance without its numbers, but for 0, 1 and -1."""
    lines, better = told(chance)
    seen: dict[str, str] = {}

    def lettered(found: re.Match[str]) -> str:
        number = found[0]
        return number if number in _PLAIN else seen.setdefault(number, f"C{len(seen)}")

    return _NUMBER.sub(lettered, "\n".join((*lines, better)))


def rule_of(chance: Chance) -> Rule | None:
    """The chance as a rule of the optimizer's table; None where it is none on integers alone."""
    trace, op = chance.trace, chance.operation
    made = {one.result: one for one in trace.ops[:-1]}
    if any(not one.op.is_pure or one.op.overflows is not None for one in made.values()) or op.result is None:
        return None
    if any(var.type is not INT for var in trace.inputs) or len(trace.inputs) > len(_NAMES):
        return None
    names = dict(zip(trace.inputs, _NAMES, strict=False))

    def text(value: Value, last: Operation | None = None) -> str:
        one = last or (made.get(value) if isinstance(value, Var) else None)
        if one is not None:
            return f"{one.op.name}({', '.join(map(text, one.args))})"
        return names[value] if isinstance(value, Var) else str(value)

    put = chance.instead.put
    assert put is not None
    becomes = text(op.result, put) if isinstance(put, Operation) else text(put)
    try:
        return rule("mined", f"{text(op.result)} => {becomes}")
    except RuleError:
        return None
