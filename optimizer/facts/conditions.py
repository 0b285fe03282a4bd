"""The conditions that rows of the heap put on references, as trees that can be looked at.

A row's `requires` and `passes`, and the meaning of one without effect, are evaluated over the domains here: the result
is a tree of conditions on the operation's arguments. What is known of references decides a tree, and learns from one
that holds, so that no operation is known by its name.

    guard_nonnull_class(p1, ConstClass(Node))       passes    HasClass(p1, "Node")
    guard_isnull(p1)                                passes    Same(p1, NULL)
    i3 = ptr_ne(p1, p2)                             gives     Bit(Not(Same(p1, p2)))
    i4 = arraylen_gc(p1)                            gives     Length(p1)
    getfield_gc_i(p1, descr=Node.value)             requires  IsA(p1, "Node")
    call_r(f, p0, i1, 5, descr=strslice)            requires  Both(AtMost(0, i1), AtMost(i1, 5)), and IsA(p0, "str")
    p5 = guard_exception(ConstClass(Error))         behind it HasClass(p5, "Error")

What else is said of machine ints, and of what memory holds, is None here: not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from optimizer.ir.immutable import immutable
from optimizer.ir.rows.heap_rows import CHANGES, FITS, INDEX, LENGTH, WRITTEN
from optimizer.ir.rows.ops import Meaning, Memory, Op
from optimizer.ir.rows.row import FACT, PURE
from optimizer.ir.trace import ConstClass, ConstInt, ConstRef, Operation, Value
from optimizer.ir.types.layout import Field, Resolved

NULL = ConstRef("NULL")


@immutable
class Same:
    one: Value
    other: Value


@immutable
class IsA:
    """The object is of the declared struct or a subclass, or of the declared array."""

    value: Value
    owner: str


@immutable
class HasVtable:
    value: Value


@immutable
class HasClass:
    value: Value
    vtable: str


@immutable
class HasSubclass:
    value: Value
    vtable: str


@immutable
class IsArray:
    value: Value


@immutable
class HasGcType:
    value: Value
    number: Value


@immutable
class EqualInts:
    one: Value
    other: Value


@immutable
class AtMost:
    """The first integer is at most the second, signed."""

    one: Value
    other: Value


@immutable
class IsValid:
    """The code is: nobody has invalidated it."""


@immutable
class Not:
    of: Condition


@immutable
class Both:
    one: Condition
    other: Condition


Condition = (
    Same
    | IsA
    | HasVtable
    | HasClass
    | HasSubclass
    | IsArray
    | HasGcType
    | EqualInts
    | AtMost
    | IsValid
    | Not
    | Both
    | bool
    | None
)
"""None is a condition of which nothing is said here."""


@immutable
class Bit:
    """1 where the condition holds, else 0."""

    of: Condition


@immutable
class Length:
    """The length of an array."""

    value: Value


Meant = Bit | Length | Value | None
"""The result of an operation without effect, as a condition, a length or a value; None of any other."""


class Silent:
    """A domain whose primitives say nothing, but for those that it has."""

    def __getattr__(self, primitive: str) -> Callable[..., None]:
        setattr(self, primitive, _nothing)  # which is found from now on
        return _nothing


def _nothing(*_: object) -> None:
    """The result of a primitive that the domain does not have."""


class _Words(Silent):
    both, bit, const = Both, Bit, ConstInt

    def truth(self, value: bool) -> Condition:
        return value

    def not_(self, condition: Condition) -> Condition:
        return None if condition is None else Not(condition)

    def eq(self, one: Any, other: Any) -> Condition:
        if one is None or other is None or isinstance(one, Length) or isinstance(other, Length):
            return None
        return EqualInts(one, other)

    def sle(self, one: Any, other: Any) -> Condition:
        if one is None or other is None or isinstance(one, Length) or isinstance(other, Length):
            return None
        return AtMost(one, other)


class _Heap(Silent):
    same, isa, has_vtable = Same, IsA, HasVtable
    has_class, has_subclass, has_length = HasClass, HasSubclass, IsArray
    length, is_valid, has_gc_type = Length, IsValid, HasGcType

    def null(self) -> ConstRef:
        return NULL

    def is_null(self, value: Value) -> Condition:
        return Same(value, NULL)


class _Caught(_Heap):
    """Knows the pending exception as the value that a guard hands over."""

    def __init__(self, exception: Value) -> None:
        self._exception = exception

    def is_pending(self, vtable: str) -> Condition:
        return HasClass(self._exception, vtable)


class _Watching(_Heap):
    """Remembers which field is watched."""

    watched: tuple[Value, Field] | None = None

    def watch(self, value: Value, slot: Field) -> None:
        self.watched = value, slot


_WORDS, _HEAP = _Words(), _Heap()


_OF_NUMBERS = frozenset({INDEX, WRITTEN, FITS, CHANGES, LENGTH})
"""Requirements that say nothing of references."""


def requirements(operation: Operation, descr: Resolved | None) -> list[Condition]:
    """The conditions on references under which an operation is defined."""
    telling = _telling(operation.op)
    memory = operation.memory if telling else None
    if memory is None:
        return []
    args = _arguments(operation, memory)
    return [holds(_WORDS, _HEAP, descr, *args) for holds in telling]


@cache
def _telling(row: Op) -> tuple[Meaning, ...]:
    """The requirements of a row that may say something of references."""
    requires = () if row.memory is None else row.memory.requires
    return tuple(one[0] for one in requires if one not in _OF_NUMBERS)


def behind(guard: Operation) -> Condition:
    """The condition on references that holds behind a guard, the exception that it hands over included."""
    return passing(guard, _HEAP if guard.result is None else _Caught(guard.result))


def passing(guard: Operation, heap: _Heap = _HEAP) -> Condition:
    """The condition on references under which a guard passes; None of a guard that does not look at references."""
    memory = guard.memory
    if memory is None or memory.passes is None:
        return None
    condition: Condition = memory.passes(_WORDS, heap, None, *_arguments(guard, memory))
    return condition


def meant(operation: Operation) -> Meant:
    """The result of an operation without effect; None of others, and of those on machine ints."""
    memory = operation.memory
    if operation.op.kind is not PURE or memory is None or memory.meaning is None:
        return None
    meaning: Meant = memory.meaning(_WORDS, _HEAP, None, *_arguments(operation, memory))
    return meaning


def watching(operation: Operation, descr: Resolved | None) -> tuple[Value, Field] | None:
    """The field that an operation watches, if it does."""
    memory = operation.memory
    if memory is None or memory.meaning is None or operation.op.kind is not FACT:
        return None
    heap = _Watching()
    memory.meaning(_WORDS, heap, descr, *_arguments(operation, memory))
    return heap.watched


def _arguments(operation: Operation, memory: Memory) -> Sequence[Any]:
    if memory.class_arg is None:
        return operation.args
    args: list[Any] = list(operation.args)
    named = operation.args[memory.class_arg]
    args[memory.class_arg] = named.name if isinstance(named, ConstClass) else str(named)
    return args
