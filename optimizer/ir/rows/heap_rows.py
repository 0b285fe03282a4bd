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


def _is_object(d: Domain[Any, Any], h: Any, descr: Any, p: Any, *_: Any) -> Any:
    return d.not_(h.is_null(p)) if descr is None or descr.owner is None else h.isa(p, descr.owner)


def _is_array(d: Domain[Any, Any], h: Any, array: Any, p: Any) -> Any:
    return h.isa(p, array.name) if array.declared else h.has_length(p)


def _in_range(d: Domain[Any, Any], h: Any, _slot: Any, p: Any, i: Any, *_: Any) -> Any:
    return d.ult(i, h.length(p))


def _has_class(_d: Any, h: Any, _none: Any, p: Any, name: Any) -> Any:
    return h.has_class(p, name)


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


def load(name: str, result: Type, descr: DescrKind, indices: int, *, on: str | None = None, **more: Any) -> Op:
    requires = (OBJECT, *(INDEX,) * indices, WRITTEN)
    memory = Memory(descr, lambda d, h, slot, p, *i: h.get(p, slot, *i), requires=requires, loads=True, on=on)
    return Op(name, (REF, *(INT,) * indices), result, Kind.LOAD, memory=memory, **more)


def _loads(stem: str, descr: DescrKind, indices: int) -> list[Op]:
    return [load(f"{stem}_{letter}", TYPES[letter], descr, indices) for letter in "irf"]


def store(
    name: str, value: Type, descr: DescrKind, indices: int, *requires: Requirement, on: str | None = None, **more: Any
) -> Op:
    def meaning(_d: Domain[Any, Any], h: Any, slot: Any, p: Any, *args: Any) -> None:
        h.put(p, slot, args[0] if indices else None, args[-1])

    requires = (OBJECT, *(INDEX,) * indices, FITS, CHANGES, *requires)
    memory = Memory(descr, meaning, requires=requires, stores=indices + 1, on=on)
    return Op(name, (REF, *(INT,) * indices, value), VOID, Kind.STORE, memory=memory, **more)


def new_array(name: str, *, cleared: bool, on: str | None = None, **more: Any) -> Op:
    memory = Memory(DescrKind.ARRAY, lambda d, h, array, n: h.new_array(array, n, cleared), requires=(LENGTH,), on=on)
    return Op(name, (INT,), REF, Kind.NEW, memory=memory, **more)


def length_of(name: str, *, on: str | None = None, **more: Any) -> Op:
    memory = Memory(DescrKind.ARRAY, lambda d, h, _array, p: h.length(p), requires=(IS_ARRAY,), on=on)
    return Op(name, (REF,), INT, Kind.PURE, memory=memory, **more)


def _identities(stem: str) -> list[Op]:
    same = Memory(meaning=lambda d, h, _none, p, q: d.bit(h.same(p, q)))
    other = Memory(meaning=lambda d, h, _none, p, q: d.bit(d.not_(h.same(p, q))))
    return [
        Op(f"{stem}_{name}", (REF, REF), INT, Kind.PURE, memory=memory, commutative=True)
        for name, memory in (("eq", same), ("ne", other))
    ]


def guard(name: str, args: tuple[Type, ...], passes: Meaning, *requires: Requirement, **more: Any) -> Op:
    memory = Memory(passes=passes, requires=requires, **more)
    return Op(name, args, VOID, Kind.GUARD, memory=memory, constant_args=tuple(range(1, len(args))))


def _fact(name: str, args: tuple[Type, ...], fact: Meaning, reason: str, **more: Any) -> Op:
    memory = Memory(requires=((fact, reason),), **more)
    return Op(name, args, VOID, Kind.FACT, memory=memory, constant_args=tuple(range(1, len(args))))


_NEW_STRUCT = Memory(DescrKind.STRUCT, lambda d, h, struct: h.new_struct(struct))
_WATCH = Memory(DescrKind.FIELD, lambda d, h, slot, p: h.watch(p, slot), requires=(OBJECT,))


HEAP_ROWS = [
    *_identities("ptr"),
    *_identities("instance_ptr"),
    Op("same_as_r", (REF,), REF, Kind.PURE, memory=Memory(meaning=lambda d, h, _none, p: p)),
    *_loads("getfield_gc", DescrKind.FIELD, 0),
    *_loads("getfield_gc_pure", DescrKind.FIELD, 0),
    *_loads("getarrayitem_gc", DescrKind.ITEM, 1),
    *_loads("getarrayitem_gc_pure", DescrKind.ITEM, 1),
    *_loads("getinteriorfield_gc", DescrKind.INTERIOR, 1),
    store("setfield_gc", ANY, DescrKind.FIELD, 0),
    store("setarrayitem_gc", ANY, DescrKind.ITEM, 1),
    store("setinteriorfield_gc", ANY, DescrKind.INTERIOR, 1),
    length_of("arraylen_gc"),
    Op("new", (), REF, Kind.NEW, memory=_NEW_STRUCT),
    Op("new_with_vtable", (), REF, Kind.NEW, memory=_NEW_STRUCT),
    new_array("new_array", cleared=False),
    new_array("new_array_clear", cleared=True),
    guard("guard_nonnull", (REF,), lambda d, h, _none, p: d.not_(h.is_null(p))),
    guard("guard_isnull", (REF,), lambda d, h, _none, p: h.is_null(p)),
    guard("guard_is_object", (REF,), lambda d, h, _none, p: h.has_vtable(p), _NOT_NULL),
    guard("guard_class", (REF, INT), _has_class, _HAS_VTABLE, class_arg=1),
    guard("guard_subclass", (REF, INT), lambda d, h, _none, p, name: h.has_subclass(p, name), _HAS_VTABLE, class_arg=1),
    guard("guard_nonnull_class", (REF, INT), _has_class, class_arg=1),
    guard("guard_gc_type", (REF, INT), lambda d, h, _none, p, number: h.has_gc_type(p, number), _NOT_NULL),
    Op("quasiimmut_field", (REF,), VOID, Kind.FACT, memory=_WATCH),
    guard("guard_not_invalidated", (), lambda d, h, _none: h.is_valid()),
    _fact("record_exact_class", (REF, INT), _has_class, "the object is NULL or not of that class", class_arg=1),
    _fact("record_exact_value_i", (INT, INT), lambda d, h, _none, a, b: d.eq(a, b), "the value is another one"),
    _fact("record_exact_value_r", (REF, REF), lambda d, h, _none, p, q: h.same(p, q), "the object is another one"),
    _fact("assert_not_none", (REF,), lambda d, h, _none, p: d.not_(h.is_null(p)), "the reference is NULL"),
    _fact("assert_is_object", (REF,), *_HAS_VTABLE),
]
