"""The toy dialect of the articles on the toy optimizer, and of the paper on allocation removal.

    v0 = getarg(0)
    v1 = add(v0, 17)
    v2 = load(v1, 0)
    escape(v2)

Here is the table of its operations, and its printer; `optimizer.ir.toy_reader` reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from optimizer.ir.faults import Unsupported
from optimizer.ir.ops import OPS, Kind
from optimizer.ir.printer import format_operation
from optimizer.ir.trace import Exit, Operation, Trace, Value, Var, all_operations


class Role(Enum):
    """What an argument or the result of a toy operation is."""

    INT = auto()
    OBJECT = auto()
    ANY = auto()
    SLOT_NAME = auto()  # which slot of the object in front of it
    SLOT = auto()  # the contents of that slot
    STRUCT = auto()  # the name of an object's class, as a descr
    CLASS = auto()  # the same, as a constant
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class ToyOp:
    """A toy operation: `name` is what it becomes, with the letter of its result's type behind it if `typed`.

    `args` is None for any number of values. `descr` is that of the operation, where the toy does not name one.
    """

    name: str
    args: tuple[Role, ...] | None
    result: Role
    typed: bool = False
    descr: str | None = None


def _int(name: str, arity: int = 2) -> ToyOp:
    return ToyOp(name, (Role.INT,) * arity, Role.INT)


_LOAD = ToyOp("getfield_gc", (Role.OBJECT, Role.SLOT_NAME), Role.SLOT, typed=True)
_STORE = ToyOp("setfield_gc", (Role.OBJECT, Role.SLOT_NAME, Role.SLOT), Role.NOTHING)
_ESCAPE = ToyOp("escape", None, Role.ANY, typed=True)

TOY_OPS: dict[str, ToyOp] = {
    "add": _int("int_add"),
    "sub": _int("int_sub"),
    "mul": _int("int_mul"),
    "and_": _int("int_and"),
    "or_": _int("int_or"),
    "xor": _int("int_xor"),
    "lshift": _int("int_lshift"),
    "rshift": _int("int_rshift"),
    "neg": _int("int_neg", 1),
    "invert": _int("int_invert", 1),
    "lt": _int("int_lt"),
    "le": _int("int_le"),
    "eq": _int("int_eq"),
    "ne": _int("int_ne"),
    "gt": _int("int_gt"),
    "ge": _int("int_ge"),
    "escape": _ESCAPE,
    "print": _ESCAPE,
    "load": _LOAD,
    "store": _STORE,
    "get": _LOAD,
    "set": _STORE,
    "alloc": ToyOp("new", (), Role.OBJECT, descr="object"),
    "new": ToyOp("new_with_vtable", (Role.STRUCT,), Role.OBJECT),
    "guard_class": ToyOp("guard_class", (Role.OBJECT, Role.CLASS), Role.NOTHING),
}
"""The toy operations by name. Those that have the name of an operation of ours are toys among toys only."""

GETARG = "getarg"

_BACK = {op.name: name for name, op in reversed(TOY_OPS.items()) if op.result is Role.INT}


def is_toy_name(name: str) -> bool:
    """Is this the name of an operation that only the toy has?"""
    return name == GETARG or (name in TOY_OPS and name not in OPS)


def format_toy(trace: Trace) -> str:
    """The trace in the toy dialect, its variables numbered.

    Operations that the toy lacks keep their names. Raises Unsupported for what is not said with machine ints alone,
    in words of 64 bits.
    """
    _refuse(trace)
    names: dict[Var, Var] = {}
    lines: list[str] = []
    for index, var in enumerate(trace.inputs):
        names[var] = Var(f"v{index}")
        lines.append(f"v{index} = {GETARG}({index})\n")
    for operation in trace.ops:
        if operation.op.kind is Kind.END and not operation.op.jumps and not operation.args:
            continue
        renamed = _rename(operation, names)
        lines.append(_format(renamed) + "\n")
    return "".join(lines)


def _refuse(trace: Trace) -> None:
    if trace.word != 64 or trace.declarations != type(trace.declarations)():
        raise Unsupported("declarations, and words of other than 64 bits, in the toy dialect")
    used = {value for operation in all_operations(trace) for value in _values(operation)}
    for operation in all_operations(trace):
        escapes = operation.op.kind is Kind.EVENT and operation.result is not None
        if not operation.op.modelled or (escapes and operation.result not in used):
            raise Unsupported(f"{operation.op.name} in the toy dialect", operation.line)
        if operation.exit is not None and operation.exit.block:
            raise Unsupported("an exit block in the toy dialect", operation.line)
    if not trace.inputs and not any(operation.op.name in _BACK for operation in trace.ops):
        raise Unsupported("a trace without inputs and toy operations in the toy dialect", trace.header_line)


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
        result = names[operation.result] = Var(f"v{len(names)}")
    return Operation(operation.op, args, result, exit_, operation.descr)


def _format(operation: Operation) -> str:
    """The operation under the name that it has in the toy dialect."""
    text = format_operation(operation)
    name = operation.op.name
    toy_name = "escape" if operation.op.kind is Kind.EVENT else _BACK.get(name, name)
    return text.replace(f"{name}(", f"{toy_name}(", 1)
