"""Traces written in the toy dialect (see `optimizer.ir.dialects.toy`)."""

from __future__ import annotations

import re

from optimizer.ir.dialects.reading import parse
from optimizer.ir.dialects.toy import GETARG, SLOT_SUFFIXES, TOY_OPS, TYPE_LETTERS, Role, ToyOp, is_toy
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.rows.ops import Kind, Type
from optimizer.ir.text.trace_printer import format_operation
from optimizer.ir.trace import ConstClass, Exit, Operation, Trace, Value, Var, all_operations

_BACK: dict[str, list[tuple[str, ToyOp]]] = {}
for _name, _op in TOY_OPS.items():
    for _letter in TYPE_LETTERS.values() if _op.typed else [""]:
        _BACK.setdefault(f"{_op.name}_{_letter}" if _letter else _op.name, []).append((_name, _op))


def format_toy(trace: Trace) -> str:
    """The trace in the toy dialect, its variables numbered.

    Operations that the toy lacks keep their names. Raises Unsupported for what would not be read back as the same: the
    toy has no declarations, words of 64 bits only, and values whose types show in their uses.
    """
    _refuse(trace)
    names: dict[Var, Var] = {}
    lines: list[str] = []
    for index, var in enumerate(trace.inputs):
        names[var] = Var(f"v{index}", var.type)
        lines.append(f"v{index} = {GETARG}({index})\n")
    for operation in trace.ops:
        if operation.op.kind is Kind.END and not operation.op.jumps and not operation.args:
            continue
        lines.append(_format(_rename(operation, names)) + "\n")
    text = "".join(lines)
    if not is_toy(text):
        raise Unsupported("a trace without inputs and toy operations in the toy dialect", trace.header_line)
    _check(trace, text)
    return text


def _refuse(trace: Trace) -> None:
    if trace.word != 64 or trace.declarations != type(trace.declarations)():
        raise Unsupported("declarations, and words of other than 64 bits, in the toy dialect")
    used = {value for operation in all_operations(trace) for value in _values(operation)}
    for operation in all_operations(trace):
        gives_any = any(op.result is Role.ANY for _, op in _BACK.get(operation.op.name, ()))
        escapes = gives_any and operation.result is not None
        if not operation.op.has_meaning or operation.op.has_floats or (escapes and operation.result not in used):
            raise Unsupported(f"{operation.op.name} in the toy dialect", operation.line)
        if operation.exit is not None and operation.exit.block:
            raise Unsupported("an exit block in the toy dialect", operation.line)


def _check(trace: Trace, text: str) -> None:
    """Checks that the text is read with the same types, that is, as the same operations on the same slots."""
    try:
        read = parse(text)
    except InputError as fault:
        raise Unsupported(f"the trace in the toy dialect ({fault.message})", trace.header_line) from None
    if [var.type for var in trace.inputs] != [var.type for var in read.inputs]:
        raise Unsupported("an input whose type does not show in its uses in the toy dialect", trace.header_line)
    for operation, other in zip(trace.ops, read.ops, strict=False):
        if (operation.op, operation.descr) != (other.op, other.descr):
            raise Unsupported(f"{operation.op.name} in the toy dialect", operation.line)


def _values(operation: Operation) -> list[Value | None]:
    live = operation.exit.failargs if operation.exit is not None else None
    return [*operation.args, *(live or ())]


def _rename(operation: Operation, names: dict[Var, Var]) -> Operation:
    def new(value: Value) -> Value:
        return names[value] if isinstance(value, Var) else value

    args = tuple(new(value) for value in operation.args)
    exit_ = operation.exit
    if exit_ is not None and exit_.failargs is not None:
        live = tuple(None if value is None else new(value) for value in exit_.failargs)
        exit_ = Exit(live, exit_.origin)
    result = None
    if operation.result is not None:
        result = names[operation.result] = Var(f"v{len(names)}", operation.result.type)
    return Operation(operation.op, args, result, exit_, operation.descr)


def _format(operation: Operation) -> str:
    """The operation under the name that it has in the toy dialect."""
    text = format_operation(operation)
    for name, op in _BACK.get(operation.op.name, ()):
        words = _words(operation, op)
        if words is not None:
            shown = [*map(str, operation.args)]
            shown += [f"descr={operation.descr}"] if operation.descr is not None else []
            if operation.exit is not None and operation.exit.origin is not None:
                words.append(f"origin={operation.exit.origin}")
                shown.append(words[-1])
            return text.replace(f"{operation.op.name}({', '.join(shown)})", f"{name}({', '.join(words)})", 1)
    return text


def _words(operation: Operation, op: ToyOp) -> list[str] | None:
    """The arguments as the toy operation takes them; None where it does not fit."""
    if op.args is None:
        return [str(value) for value in operation.args] if operation.descr is None else None
    if op.descr is not None and op.descr != operation.descr:
        return None
    args = iter(operation.args)
    words: list[str] = []
    for role in op.args:
        match role:
            case Role.STRUCT:
                words.append(str(operation.descr))
            case Role.SLOT_NAME:
                slot = _slot(operation)
                number = re.fullmatch("slot([0-9]+)", slot)
                if (number is not None) != op.numbered:
                    return None
                words.append(slot if number is None else number[1])
            case Role.CLASS:
                value = next(args)
                if not isinstance(value, ConstClass):
                    return None
                words.append(value.name)
            case _:
                words.append(str(next(args)))
    return words


def _slot(operation: Operation) -> str:
    """The name of the slot, which in a descr tells its type."""
    held = operation.result.type if operation.result is not None else operation.args[-1].type
    return str(operation.descr).removesuffix(SLOT_SUFFIXES[Type(held)])
