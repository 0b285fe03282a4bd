"""The shape of a row of the operation table, and the words that it is written in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from typing import Any

from optimizer.ir.rows.domain import Domain

# A meaning is generic in the domain's word and condition types, which Python's lambdas cannot say.
Meaning = Callable[..., Any]

Requirement = tuple[Meaning, str]
"""A condition under which an operation is defined, and what is wrong where it does not hold."""


class _Names(Enum):
    __hash__ = object.__hash__  # that of enums is slow


class Type(_Names):
    """The type of a value; `VOID` is that of an operation without result, `ANY` of an argument that a descr types, and
    `PLACE` of one that is an address or an object."""

    INT = "int"
    REF = "ref"
    FLOAT = "float"
    VOID = "void"
    ANY = "any"
    PLACE = "place"


class Kind(_Names):
    """The effect of an operation on the run of a trace."""

    PURE = "pure"  # computes its result from its arguments
    GUARD = "guard"  # may leave the trace
    EVENT = "event"  # is seen by the world, and may not return; a call may be none (see `optimizer.ir.types.calls`)
    POSITION = "position"  # marks a place, without meaning
    END = "end"  # ends the trace
    LOAD = "load"  # reads the heap
    STORE = "store"  # changes the heap
    NEW = "new"  # allocates an object
    COPY = "copy"  # changes a range of items to what another range holds
    SCAN = "scan"  # reads a whole object
    RAW_LOAD = "raw load"  # reads raw memory
    RAW_STORE = "raw store"  # changes raw memory
    FACT = "fact"  # says what holds
    EXCEPTION = "exception"  # reads or changes the pending exception
    OTHER = "other"  # not modelled


class DescrKind(_Names):
    """The thing that the descr of an operation on the heap stands for."""

    FIELD = "field"
    ITEM = "item"  # the items of an array
    INTERIOR = "interior"  # a field of the structs in an array
    STRUCT = "struct"
    ARRAY = "array"
    CALL = "call"  # what an event may do; need not be there, nor be declared
    RAW_ITEM = "raw item"  # bytes of raw memory
    RAW_SIZE = "raw size"  # the same, where the last argument is their number and a descr says nothing
    RAW_FIELD = "raw field"  # a field of a raw struct


class Role(_Names):
    """The semantics of a call."""

    EVENT = "event"
    FUNCTION = "function"  # elidable: a function of the function's address and the arguments
    INVARIANT = "invariant"  # an event where it is the first one of that function, which then gives the same again
    MEMORY = "memory"  # an operation on memory that is known: the call does what that does
    MEANING = "meaning"  # an operation that is known: the call computes what that does
    RECORD = "record"  # no call: says what a function gives


# The same by short names: a member takes 150 instructions to look up in its enum, and 10 by the name of a module.
INT, REF, FLOAT, VOID, ANY, PLACE = Type.INT, Type.REF, Type.FLOAT, Type.VOID, Type.ANY, Type.PLACE
PURE, GUARD, EVENT, POSITION, END, FACT = Kind.PURE, Kind.GUARD, Kind.EVENT, Kind.POSITION, Kind.END, Kind.FACT
LOAD, STORE, NEW, COPY, SCAN = Kind.LOAD, Kind.STORE, Kind.NEW, Kind.COPY, Kind.SCAN
RAW_LOAD, RAW_STORE = Kind.RAW_LOAD, Kind.RAW_STORE
FIELD, ITEM, INTERIOR = DescrKind.FIELD, DescrKind.ITEM, DescrKind.INTERIOR
STRUCT, ARRAY, CALL = DescrKind.STRUCT, DescrKind.ARRAY, DescrKind.CALL
RAW_ITEM, RAW_SIZE, RAW_FIELD = DescrKind.RAW_ITEM, DescrKind.RAW_SIZE, DescrKind.RAW_FIELD


@dataclass(frozen=True, slots=True)
class Memory:
    """The meaning of a row on a heap: functions of (d, h, what the descr stands for, *args).

    `h` is a `HeapDomain`; a load reads it, a store or an allocation changes it. Without a `descr` the third argument
    is None. References are pointers of `h`, and the argument of index `class_arg` is the name of a class.
    `meaning` gives the result if there is one, `passes` says whether a guard goes on; the `meaning` of a guard is what
    happens where it does. The operation is defined where all of `requires` hold; each comes with what is wrong where
    it does not. `loads` says that the result is what the descr's memory holds, `stores` which argument is put there.
    `shows`: who has the result may find the first argument.
    `on` names a built-in type of arrays, for rows that are about it and take no descr.

    Of calls: `role` is what one is whose descr is not declared, if all uses of that descr say the same; `function` is
    the index of the argument that is called; with `happens`, it is called only where that holds of the first argument,
    which is the result elsewhere if there is one. An `inert` event reads, writes and raises nothing.
    `pending` is what looks at the pending exception, or changes it.
    """

    descr: DescrKind | None = None
    meaning: Meaning | None = None
    passes: Meaning | None = None
    requires: tuple[Requirement, ...] = ()
    class_arg: int | None = None
    loads: bool = False
    stores: int | None = None
    on: str | None = None
    role: Role = Role.EVENT
    function: int = 0
    happens: Meaning | None = None
    inert: bool = False
    pending: bool = False
    shows: bool = False

    def defined(self, d: Domain[Any, Any], h: Any, descr: Any, *args: Any) -> Any:
        """The condition under which the operation is defined."""
        true = d.truth(True)
        conditions = (holds(d, h, descr, *args) for holds, _ in self.requires)
        return reduce(d.both, [one for one in conditions if one is not true] or [true])


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """A row of the table, which is one object and equal to itself alone.

    `args` are the types of the arguments, None for any number of any type. `meaning(d, *args)` is the result, a word;
    `defined(d, *args)` the condition under which there is one (None: always); `overflows(d, *args)` the flag that the
    guard behind the operation reads; `passes(d, *args)` the condition under which a guard goes on, where an overflow
    guard's argument is that flag; one that `gives_up` never goes on, and stands where a trace is too long. `wrapping`
    names the operation that computes the same without the flag. `constant_args` are the indices of arguments that must
    be constants. `raw` operations take free text; an end `jumps` or finishes. An `is_entry` position is one where
    others may enter. What is `of_table` is the object of that number in a table of constants that all traces share: it
    is read as the operation for constants. `same_type` says that the arguments may also be all references, where
    `memory` is the meaning, or all floats, where `passes_floats` says when a guard goes on.

    What follows from these stands in the last ones. The row is `modelled` if machine ints are all that it is about, and
    `has_meaning` over these, floats or a heap; it `is_call` if its descr says what it is (see
    `optimizer.ir.types.calls`), `is_pure` if it computes a machine int from machine ints; it `has_floats` if it is a
    pure operation on floats, or one that gives a float. `in_exit_block`: it is pure, an allocation or a store.
    """

    name: str
    args: tuple[Type, ...] | None
    result: Type
    kind: Kind
    meaning: Meaning | None = None
    defined: Meaning | None = None
    overflows: Meaning | None = None
    passes: Meaning | None = None
    passes_floats: Meaning | None = None
    reads_flag: bool = False
    wrapping: str | None = None
    commutative: bool = False
    constant_args: tuple[int, ...] = ()
    min_word: int = 4
    memory: Memory | None = None
    raw: bool = False
    is_entry: bool = False
    of_table: bool = False
    same_type: bool = False
    gives_up: bool = False
    jumps: bool = False
    undefined_when: str = ""

    modelled: bool = field(init=False)
    has_meaning: bool = field(init=False)
    is_guard: bool = field(init=False)
    is_call: bool = field(init=False)
    is_pure: bool = field(init=False)
    has_floats: bool = field(init=False)
    in_exit_block: bool = field(init=False)

    def __post_init__(self) -> None:
        is_pure, memory = self.kind is PURE, self.memory
        takes_more = memory is not None or FLOAT in (self.result, *(self.args or ()))
        modelled = self.same_type or not (takes_more or self.kind is Kind.OTHER)
        follows = {
            "modelled": modelled,
            "has_meaning": modelled or self.meaning is not None or memory is not None,
            "is_guard": self.kind is GUARD,
            "is_call": memory is not None and memory.descr is CALL,
            "is_pure": is_pure and modelled,
            "has_floats": is_pure and not modelled and self.meaning is not None,
            "in_exit_block": self.kind in (NEW, STORE, COPY, RAW_STORE)
            or (is_pure and self.overflows is None and (memory is None or memory.descr is None)),
        }
        for name, value in follows.items():
            object.__setattr__(self, name, value)
