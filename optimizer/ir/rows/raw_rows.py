"""The rows of operations on addresses: what stands there, and which object is there.

An address is the sum of what an operation takes; it wraps around like any sum. The descr says how many bytes are meant
and whether they have a sign (see `optimizer.ir.types.byte_access`); a store takes the lowest bytes of its value. An
operation that takes an object instead of an address is about the bytes of that object (see
`optimizer.ir.types.memory_types`); the sum of the others is the offset.

The address of an object is a function of the object alone. Nobody knows which one, but that NULL has 0, and that
casting back gives the same. Who has the address of an object may find the object.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.heap_rows import FITS, TYPES
from optimizer.ir.rows.row import (
    ANY,
    FLOAT,
    INT,
    PLACE,
    REF,
    VOID,
    DescrKind,
    Kind,
    Meaning,
    Memory,
    Op,
    Requirement,
    Type,
)
from optimizer.ir.types.memory_types import RawItem, is_of_object


def _offset(d: Domain[Any, Any], _item: Any, address: Any, offset: Any, *_: Any) -> Any:
    return d.add(address, offset)


def _index(d: Domain[Any, Any], item: Any, address: Any, index: Any) -> Any:
    return d.add(address, d.mul(index, d.const(item.size)))


def _scaled(d: Domain[Any, Any], _item: Any, address: Any, index: Any, scale: Any, offset: Any, *_: Any) -> Any:
    return d.add(d.add(address, d.mul(index, scale)), offset)


def _here(_d: Domain[Any, Any], _slot: Any, address: Any) -> Any:
    return address


def _at(d: Domain[Any, Any], item: Any, address: Meaning, args: tuple[Any, ...], value: int | None = None) -> Any:
    """The place of an access: the address that the arguments make but for the value that is stored, or an offset in the
    object that is the first one."""
    base, *places = [arg for index, arg in enumerate(args) if index != value]
    return address(d, item, d.const(0) if is_of_object(item) else base, *places)


def _of_object(holds: Meaning, reason: str) -> Requirement:
    """The requirement of an operation on an object that it takes instead of an address."""
    return lambda d, h, item, *args: holds(d, h, item, *args) if is_of_object(item) else d.truth(True), reason


_THERE = _of_object(lambda d, h, _item, p, *_: d.not_(h.is_null(p)), "the object is NULL")
_VARIABLE = _of_object(lambda d, h, _item, p, *_: d.not_(h.is_text(p)), "a constant string is changed")


def _inside(address: Meaning, value: int | None = None) -> Requirement:
    def is_inside(d: Domain[Any, Any], _h: Any, item: Any, *args: Any) -> Any:
        at = _at(d, item, address, args, value)
        return d.both(d.sle(d.const(0), at), d.sle(d.const(0), d.add(at, d.const(8))))

    return _of_object(is_inside, "the offset is negative, or as large as a word can be")


def _is_float(item: Any) -> bool:
    """Are its bytes those of a float?"""
    return isinstance(item, RawItem) and item.type is FLOAT


def _args(descr: DescrKind, takes: int) -> list[Type]:
    """The types of the arguments that make an address, and of the size, if an operation takes one."""
    return [PLACE, *(INT,) * takes] if descr is DescrKind.RAW_SIZE else [INT] * takes


def _loads(stem: str, letters: str, descr: DescrKind, address: Meaning, takes: int) -> list[Op]:
    """Loads from the address that the first `takes` arguments make; what is behind them are constants."""

    def meaning(d: Domain[Any, Any], h: Any, item: Any, *args: Any) -> Any:
        at = _at(d, item, address, args)
        held = h.get_bytes(args[0], item, at) if is_of_object(item) else h.get_raw(item, at)
        return d.floats.of_bytes(held) if _is_float(item) else held

    requires = (_THERE, _inside(address)) if descr is DescrKind.RAW_SIZE else ()
    more: dict[str, Any] = {"memory": Memory(descr, meaning, requires=requires, loads=True), "min_word": 16}
    args = tuple(_args(descr, takes))
    more["constant_args"] = tuple(range(2, len(args)))
    return [Op(f"{stem}_{one}", args, TYPES[one], Kind.RAW_LOAD, **more) for one in letters]


def _store(name: str, descr: DescrKind, address: Meaning, takes: int, value: int, *requires: Requirement) -> Op:
    """A store to the address that `takes` arguments make, those beside the one with the number `value`."""

    def meaning(d: Domain[Any, Any], h: Any, item: Any, *args: Any) -> None:
        at = _at(d, item, address, args, value)
        held = d.floats.to_bytes(args[value]) if _is_float(item) else args[value]
        if is_of_object(item):
            h.set_bytes(args[0], item, at, held)
        else:
            h.set_raw(item, at, held)

    if descr is DescrKind.RAW_SIZE:
        requires = (_THERE, _inside(address, value), _VARIABLE)
    memory, args = Memory(descr, meaning, requires=requires, stores=value), _args(descr, takes)
    args.insert(value, ANY)
    constants = tuple(range(value + 1, len(args)))
    return Op(name, tuple(args), VOID, Kind.RAW_STORE, memory=memory, constant_args=constants, min_word=16)


def _place(d: Domain[Any, Any], h: Any, _none: Any, base: Any, index: Any, offset: Any, shift: Any) -> Any:
    return d.add(d.add(h.address(base), d.shl(index, shift)), offset)


def _in_word(d: Domain[Any, Any], _h: Any, _none: Any, *args: Any) -> Any:
    return d.ult(args[-1], d.const(d.width))


_ADDRESS = Memory(meaning=lambda d, h, _none, p: h.address(p), shows=True)
_OBJECT = Memory(meaning=lambda d, h, _none, a: h.object_at(a))
_PLACE = Memory(meaning=_place, requires=((_in_word, "the amount is outside [0, WORD)"),), shows=True)

RAW_ROWS = [
    *_loads("raw_load", "if", DescrKind.RAW_ITEM, _offset, 2),
    _store("raw_store", DescrKind.RAW_ITEM, _offset, 2, 2),
    *_loads("getarrayitem_raw", "if", DescrKind.RAW_ITEM, _index, 2),
    _store("setarrayitem_raw", DescrKind.RAW_ITEM, _index, 2, 2),
    *_loads("gc_load", "irf", DescrKind.RAW_SIZE, _offset, 2),
    *_loads("gc_load_indexed", "irf", DescrKind.RAW_SIZE, _scaled, 4),
    _store("gc_store", DescrKind.RAW_SIZE, _offset, 2, 2),
    _store("gc_store_indexed", DescrKind.RAW_SIZE, _scaled, 4, 2),
    *_loads("getfield_raw", "irf", DescrKind.RAW_FIELD, _here, 1),
    _store("setfield_raw", DescrKind.RAW_FIELD, _here, 1, 1, FITS),
    Op("cast_ptr_to_int", (REF,), INT, Kind.PURE, memory=_ADDRESS),
    Op("cast_int_to_ptr", (INT,), REF, Kind.PURE, memory=_OBJECT),
    Op("load_effective_address", (PLACE, INT, INT, INT), INT, Kind.PURE, memory=_PLACE, constant_args=(2, 3)),
]
