"""The toy dialect of the articles on the toy optimizer, and of the paper on allocation removal.

    v0 = getarg(0)
    v1 = add(v0, 17)
    v2 = load(v1, 0)
    escape(v2)

Here is the table of its operations; `optimizer.ir.dialects.toy_reader` reads it, `optimizer.ir.dialects.toy_printer`
writes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, Type


class Role(Enum):
    """The role of an argument or of the result in a toy operation."""

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

    `args` is None for any number of values. `descr` is that of the operation, where the toy does not name one. Slots
    of `numbered` operations are written as numbers, those of others as names; either is read.
    """

    name: str
    args: tuple[Role, ...] | None
    result: Role
    typed: bool = False
    descr: str | None = None
    numbered: bool = False


def _int(name: str, arity: int = 2) -> ToyOp:
    return ToyOp(name, (Role.INT,) * arity, Role.INT)


_GET = ToyOp("getfield_gc", (Role.OBJECT, Role.SLOT_NAME), Role.SLOT, typed=True)
_SET = ToyOp("setfield_gc", (Role.OBJECT, Role.SLOT_NAME, Role.SLOT), Role.NOTHING)
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
    "dummy": _ESCAPE,
    "load": replace(_GET, numbered=True),
    "store": replace(_SET, numbered=True),
    "get": _GET,
    "set": _SET,
    "alloc": ToyOp("new", (), Role.OBJECT, descr="object"),
    "new": ToyOp("new_with_vtable", (Role.STRUCT,), Role.OBJECT),
    "guard_class": ToyOp("guard_class", (Role.OBJECT, Role.CLASS), Role.NOTHING),
}
"""The toy operations by name. Those that have the name of an operation of ours are toys among toys only."""

GETARG = "getarg"

TYPE_LETTERS = {Type.INT: "i", Type.REF: "r", Type.FLOAT: "f", Type.VOID: "n"}
"""The last letter in the name of a `typed` operation."""

SLOT_SUFFIXES = {Type.INT: "", Type.REF: "_ref", Type.FLOAT: "_float"}
"""The suffix of a slot's descr, so that slots of different types are different memory."""


def is_toy_name(name: str) -> bool:
    """Is this the name of an operation that only the toy has?"""
    return name == GETARG or (name in TOY_OPS and name not in OPS)


_NAME = re.compile(r"^\s*(?:\w+\s*=\s*)?(\w+)\s*\(", re.MULTILINE)


def is_toy(text: str) -> bool:
    """Is this a text in the toy dialect?"""
    return any(map(is_toy_name, _NAME.findall(text)))
