"""The rows of operations on the heap: what they take, when they are defined, what they read and change.

Each is written over the *slot* that its descr stands for, a field, the items of an array, or a field of the structs in
an array (see `optimizer.ir.types.layout.Field`), or over a struct or an array.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.row import ANY, FLOAT, INT, REF, VOID, DescrKind, Kind, Meaning, Memory, Op, Requirement, Type

TYPES = {"i": INT, "r": REF, "f": FLOAT, "n": VOID}
"""The types of results, by the last letters of names."""


def memory_row(name: str, args: tuple[Type, ...] | None, result: Type, kind: Kind, memory: Memory, **more: Any) -> Op:
    return Op(name, args, result, kind, modelled=False, memory=memory, **more)


def _is_object(d: Domain[Any, Any], h: Any, descr: Any, p: Any, *_: Any) -> Any:
    return d.not_(h.is_null(p)) if descr is None or descr.owner is None else h.isa(p, descr.owner)


def _is_array(d: Domain[Any, Any], h: Any, array: Any, p: Any) -> Any:
    return h.isa(p, array.name) if array.declared else h.has_length(p)


def _in_range(d: Domain[Any, Any], h: Any, _slot: Any, p: Any, i: Any, *_: Any) -> Any:
    return d.ult(i, h.length(p))


def _fits(d: Domain[Any, Any], _h: Any, slot: Any, *args: Any) -> Any:
    if slot.low is None:
        return d.truth(True)
    return d.both(d.sle(d.const(slot.low), args[-1]), d.sle(args[-1], d.const(slot.high)))


def _may_change(d: Domain[Any, Any], h: Any, slot: Any, p: Any, *args: Any) -> Any:
    return d.not_(h.is_settled(p, slot, *args[:-1])) if slot.immutable else d.truth(True)


OBJECT: Requirement = (_is_object, "the object is NULL or not of the descr's type")
_NOT_NULL: Requirement = (_is_object, "the object is NULL")
INDEX: Requirement = (_in_range, "the index is outside [0, length)")
WRITTEN: Requirement = (
    lambda d, h, slot, p, *i: h.is_set(p, slot, *i),
    "what is read was not written since the allocation",
)
FITS: Requirement = (_fits, "the value is outside the range of the memory")
CHANGES: Requirement = (_may_change, "an immutable field or item that has been read is changed")
IS_ARRAY: Requirement = (_is_array, "the object is NULL or not an array of the descr's type")
LENGTH: Requirement = (lambda d, h, _array, n: d.sle(d.const(0), n), "the length is negative")
_HAS_VTABLE: Requirement = (lambda d, h, _none, p, *_: h.has_vtable(p), "the object is NULL or has no vtable")

SAME_OBJECT = Memory(passes=lambda d, h, _none, p, q: h.same(p, q))


def _loads(stem: str, letters: str, descr: DescrKind, indices: int) -> list[Op]:
    requires = (OBJECT, *(INDEX,) * indices, WRITTEN)
    memory = Memory(descr, lambda d, h, slot, p, *i: h.get(p, slot, *i), requires=requires, loads=True)
    args = (REF, *(INT,) * indices)
    return [memory_row(f"{stem}_{letter}", args, TYPES[letter], Kind.LOAD, memory) for letter in letters]


def _store(name: str, descr: DescrKind, meaning: Meaning, indices: int) -> Op:
    requires = (OBJECT, *(INDEX,) * indices, FITS, CHANGES)
    memory = Memory(descr, meaning, requires=requires, stores=indices + 1)
    return memory_row(name, (REF, *(INT,) * indices, ANY), VOID, Kind.STORE, memory, in_exit_block=True)


def _set_item(_d: Domain[Any, Any], h: Any, slot: Any, p: Any, i: Any, value: Any) -> None:
    h.set_item(p, slot, i, value)


def _new_array(name: str, cleared: bool) -> Op:
    memory = Memory(DescrKind.ARRAY, lambda d, h, array, n: h.new_array(array, n, cleared), requires=(LENGTH,))
    return memory_row(name, (INT,), REF, Kind.NEW, memory, in_exit_block=True)


def _new_struct(name: str) -> Op:
    memory = Memory(DescrKind.STRUCT, lambda d, h, struct: h.new_struct(struct))
    return memory_row(name, (), REF, Kind.NEW, memory, in_exit_block=True)


def _identity(name: str, equal: bool) -> Op:
    def meaning(d: Domain[Any, Any], h: Any, _none: Any, p: Any, q: Any) -> Any:
        return d.bit(h.same(p, q) if equal else d.not_(h.same(p, q)))

    memory = Memory(meaning=meaning)
    return memory_row(name, (REF, REF), INT, Kind.PURE, memory, commutative=True, in_exit_block=True)


def _object_guard(name: str, passes: Meaning, *requires: Requirement) -> Op:
    return memory_row(name, (REF,), VOID, Kind.GUARD, Memory(passes=passes, requires=requires))


def _class_guard(name: str, passes: Meaning, *requires: Requirement) -> Op:
    memory = Memory(passes=passes, requires=requires, class_arg=1)
    return memory_row(name, (REF, INT), VOID, Kind.GUARD, memory, constant_args=(1,))


def _fact(name: str, args: tuple[Type, ...], fact: Meaning, reason: str, class_arg: int | None = None) -> Op:
    memory = Memory(requires=((fact, reason),), class_arg=class_arg)
    return memory_row(name, args, VOID, Kind.FACT, memory, constant_args=tuple(range(1, len(args))))


def _watch(_d: Domain[Any, Any], h: Any, slot: Any, p: Any) -> None:
    h.watch(p, slot)


_QUASI_IMMUTABLE = Memory(DescrKind.FIELD, _watch, requires=(OBJECT,))
_NOT_INVALIDATED = Memory(passes=lambda d, h, _none: h.is_valid())
_GC_TYPE = Memory(passes=lambda d, h, _none, p, number: d.eq(h.gc_type(p), number), requires=(_NOT_NULL,))


HEAP_ROWS = [
    _identity("ptr_eq", True),
    _identity("ptr_ne", False),
    _identity("instance_ptr_eq", True),
    _identity("instance_ptr_ne", False),
    memory_row("same_as_r", (REF,), REF, Kind.PURE, Memory(meaning=lambda d, h, _none, p: p), in_exit_block=True),
    *_loads("getfield_gc", "irf", DescrKind.FIELD, 0),
    *_loads("getfield_gc_pure", "irf", DescrKind.FIELD, 0),
    *_loads("getarrayitem_gc", "irf", DescrKind.ITEM, 1),
    *_loads("getarrayitem_gc_pure", "irf", DescrKind.ITEM, 1),
    *_loads("getinteriorfield_gc", "irf", DescrKind.INTERIOR, 1),
    _store("setfield_gc", DescrKind.FIELD, lambda d, h, slot, p, value: h.set_field(p, slot, value), 0),
    _store("setarrayitem_gc", DescrKind.ITEM, _set_item, 1),
    _store("setinteriorfield_gc", DescrKind.INTERIOR, _set_item, 1),
    memory_row(
        "arraylen_gc",
        (REF,),
        INT,
        Kind.PURE,
        Memory(DescrKind.ARRAY, lambda d, h, _array, p: h.length(p), requires=(IS_ARRAY,)),
    ),
    _new_struct("new"),
    _new_struct("new_with_vtable"),
    _new_array("new_array", False),
    _new_array("new_array_clear", True),
    _object_guard("guard_nonnull", lambda d, h, _none, p: d.not_(h.is_null(p))),
    _object_guard("guard_isnull", lambda d, h, _none, p: h.is_null(p)),
    _object_guard("guard_is_object", lambda d, h, _none, p: h.has_vtable(p), _NOT_NULL),
    _class_guard("guard_class", lambda d, h, _none, p, name: h.has_class(p, name), _HAS_VTABLE),
    _class_guard("guard_subclass", lambda d, h, _none, p, name: h.has_subclass(p, name), _HAS_VTABLE),
    _class_guard("guard_nonnull_class", lambda d, h, _none, p, name: h.has_class(p, name)),
    memory_row("guard_gc_type", (REF, INT), VOID, Kind.GUARD, _GC_TYPE, constant_args=(1,)),
    memory_row("quasiimmut_field", (REF,), VOID, Kind.FACT, _QUASI_IMMUTABLE),
    memory_row("guard_not_invalidated", (), VOID, Kind.GUARD, _NOT_INVALIDATED),
    _fact(
        "record_exact_class",
        (REF, INT),
        lambda d, h, _none, p, name: h.has_class(p, name),
        "the object is NULL or not of that class",
        class_arg=1,
    ),
    _fact("record_exact_value_i", (INT, INT), lambda d, h, _none, a, b: d.eq(a, b), "the value is another one"),
    _fact("record_exact_value_r", (REF, REF), lambda d, h, _none, p, q: h.same(p, q), "the object is another one"),
    _fact("assert_not_none", (REF,), lambda d, h, _none, p: d.not_(h.is_null(p)), "the reference is NULL"),
]
