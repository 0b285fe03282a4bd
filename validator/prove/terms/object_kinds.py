"""The parts of terms about objects: numbers of classes, what leaves stand for, and the kinds of terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from optimizer.ir.domains.term import Term, cone
from optimizer.ir.rows.row import Type
from optimizer.ir.types.layout import Array, Field, Layout, Struct

ClassRange = tuple[int, int]
"""Classes are numbered so that those of a struct and its subclasses are all numbers from a first to a last one."""

_Children = dict[str | None, list[str]]
"""The classes right below each, None being above all."""

NO_CLASS: ClassRange = (0, 0)
"""The class of NULL."""

STRUCTS: ClassRange = (1, (1 << 30) - 1)
ARRAYS: ClassRange = (1 << 30, (1 << 31) - 1)
_UNDECLARED = 1 << 10
"""The number of undeclared subclasses of a struct that are told apart."""

OBJECTS: ClassRange = (STRUCTS[0], ARRAYS[1])
ANY_CLASS: ClassRange = (NO_CLASS[0], ARRAYS[1])


class Hashed(NamedTuple):
    """The items of an object that were hashed, by their index."""

    slot: Field
    object: Term
    item: Callable[[Term], Term]


class Initial(NamedTuple):
    """The content of the memory `key` when the epoch began, behind `epoch` events. Narrow memory has bounds."""

    key: str
    epoch: int
    type: Type
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """An object that a trace allocates. `class_` is a class term; `length` that of an array."""

    type: Struct | Array
    class_: Term
    length: Term | None
    cleared: bool


class Unknown(NamedTuple):
    """A reference of which nothing is known but its age."""

    name: str
    epoch: int


class Function(NamedTuple):
    """A function by the types of what it gives and takes: the first argument is its address."""

    result: Type
    args: tuple[Type, ...]


class ClassName(NamedTuple):
    """A class that is not declared, of structs or of arrays."""

    name: str
    is_array: bool


APPLIED = frozenset({"applied", "applied_ref", "applied_float", "raised_ref"})
"""The kinds of terms that are what functions give of their arguments, or raise."""

_REFERENCES = frozenset({"null", "alloc", "constant", "pointer", "load_ref", "applied_ref", "raised_ref", "choose"})

OPAQUE_FLOATS = frozenset(
    {"float_add", "float_sub", "float_mul", "float_div", "float_sqrt", "float_of_int", "float_of_single"},
)
"""The kinds of floats that a solver takes for functions of which it knows nothing, where it is not asked exactly."""

FLOATS = OPAQUE_FLOATS | {
    "float_var",
    "float_const",
    "load_float",
    "applied_float",
    "float_ite",
    "float_neg",
    "float_abs",
    "float_of_bytes",
}
"""The kinds of terms that are floats."""

FLOAT_CONDITIONS = frozenset({"float_same", "float_eq", "float_lt"})

OPAQUE_WORDS = frozenset({"float_to_int", "float_to_single"})
"""The words computed of floats of which the same holds as of opaque floats."""

OPAQUE = OPAQUE_FLOATS | OPAQUE_WORDS

WORDS_OF_FLOATS = OPAQUE_WORDS | {"float_to_bytes"}

OF_OBJECTS = (
    _REFERENCES
    | {"class_id", "class_name", "class_of", "class_in", "class_same", "class_below", "same"}
    | FLOATS
    | FLOAT_CONDITIONS
)
"""The kinds of terms that are references, classes, floats, or conditions on these."""

LEAVES = frozenset({"var", "float_var", "alloc", "constant", "pointer", "class_name"})
"""The kinds of terms without arguments that conditions can have in common."""


CONDITIONS = frozenset(
    {
        "truth",
        "not_",
        "both",
        "either",
        "same",
        "class_in",
        "class_same",
        "class_below",
        "eq",
        "slt",
        "ult",
        "add_overflows",
        "sub_overflows",
        "mul_overflows",
        *FLOAT_CONDITIONS,
    }
)
"""The kinds of terms that are conditions."""


def is_reference(term: Term) -> bool:
    return term.kind in _REFERENCES


def is_float(term: Term) -> bool:
    return term.kind in FLOATS


def are_opaque(conditions: Iterable[Term]) -> bool:
    """Is there arithmetic on floats in them?"""
    return any(term.kind in OPAQUE for term in cone(conditions))


def validity_name(invalidations: int) -> str:
    """The variable that is 0 where the last of so many events that can invalidate has not done so."""
    return f"invalid{invalidations}"


def address_name(class_: str) -> str:
    """The variable that is the address of the class or function of that name."""
    return f"ConstClass({class_})"


def class_of_address(term: Term) -> str | None:
    """The name of the class or function whose address the term is; None of other terms."""
    is_address = term.kind == "var" and term.value.startswith("ConstClass(")
    return term.value[len("ConstClass(") : -1] if is_address else None


PENDING = "pending"
"""The name of the reference that is pending as an exception at the start."""


def forced_name(events: int) -> str:
    """The variable that is not 0 where the last of so many events has forced the frame."""
    return f"forced{events}"


def future_name(events: int) -> str:
    """The variable that is 0 where, behind so many events, the condition of `guard_future_condition` holds."""
    return f"future{events}"


def choices(p: Term) -> list[Term]:
    """The references that `p` is made of by choosing, each once, before what they are part of; itself at last."""
    if p.kind != "choose":
        return [p]
    seen: set[Term] = set()
    order: list[Term] = []
    stack = [(p, False)]
    while stack:
        one, is_expanded = stack.pop()
        if is_expanded or one.kind != "choose":
            if is_expanded or one not in seen:
                order.append(one)
            seen.add(one)
        elif one not in seen:
            seen.add(one)
            stack += [(one, True), (one.args[1], False), (one.args[2], False)]
    return order


def number_classes(layout: Layout) -> dict[str, ClassRange]:
    """Numbers for the declared classes. Behind the known subclasses of each there is room for others."""
    children: _Children = {}
    for struct in layout.declarations.structs:
        children.setdefault(struct.parent, []).append(struct.name)
    ranges: dict[str, ClassRange] = {}
    last = STRUCTS[0] - 1
    waiting: list[tuple[str, int | None]] = [(name, None) for name in reversed(children.get(None, ()))]
    while waiting:
        name, first = waiting.pop()
        if first is None:  # its subclasses are numbered behind it, and then there is room for others
            last += 1
            waiting.append((name, last))
            waiting += [(child, None) for child in reversed(children.get(name, ()))]
        else:
            last += _UNDECLARED
            ranges[name] = first, last
    for place, name in enumerate(layout.arrays):
        ranges[name] = ARRAYS[0] + place, ARRAYS[0] + place
    return ranges
