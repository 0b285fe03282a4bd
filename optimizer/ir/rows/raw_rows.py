"""The rows of operations on raw memory: an address, and what stands there.

An address is the sum of what an operation takes; it wraps around like any sum. The descr says how many bytes are meant
and whether they have a sign (see `optimizer.ir.types.byte_access`); a store takes the lowest bytes of its value. An
operation that takes an object instead of an address is about the bytes of that object (see
`optimizer.ir.types.memory_types`); the sum of the others is the offset.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.heap_rows import FITS, TYPES
from optimizer.ir.rows.row import ANY, FLOAT, INT, PLACE, VOID, DescrKind, Kind, Meaning, Memory, Op, Requirement
from optimizer.ir.types.memory_types import RawItem, is_of_object


def _offset(d: Domain[Any, Any], _item: Any, address: Any, offset: Any) -> Any:
    return d.add(address, offset)


def _index(d: Domain[Any, Any], item: Any, address: Any, index: Any) -> Any:
    return d.add(address, d.mul(index, d.const(item.size)))


def _scaled(d: Domain[Any, Any], _item: Any, address: Any, index: Any, scale: Any, offset: Any) -> Any:
    return d.add(d.add(address, d.mul(index, scale)), offset)


def _here(_d: Domain[Any, Any], _slot: Any, address: Any) -> Any:
    return address


def _at(d: Domain[Any, Any], item: Any, address: Meaning, args: tuple[Any, ...]) -> Any:
    """The place of an access: an address, or an offset in the object that is the first argument."""
    return address(d, item, *((d.const(0), *args[1:]) if is_of_object(item) else args))


def _object_requires(address: Meaning, takes: int, value: int | None) -> tuple[Requirement, ...]:
    """The requirements of an operation on the object that it takes instead of an address."""

    def is_there(d: Domain[Any, Any], h: Any, item: Any, *args: Any) -> Any:
        return d.not_(h.is_null(args[0])) if is_of_object(item) else d.truth(True)

    def is_inside(d: Domain[Any, Any], _h: Any, item: Any, *args: Any) -> Any:
        if not is_of_object(item):
            return d.truth(True)
        taken = args[:takes] if value is None else (*args[:value], *args[value + 1 :])[:takes]
        at = _at(d, item, address, taken)
        return d.both(d.sle(d.const(0), at), d.sle(d.const(0), d.add(at, d.const(8))))

    def is_variable(d: Domain[Any, Any], h: Any, item: Any, *args: Any) -> Any:
        return d.not_(h.is_text(args[0])) if is_of_object(item) else d.truth(True)

    there = ((is_there, "the object is NULL"), (is_inside, "the offset is negative, or as large as a word can be"))
    return there if value is None else (*there, (is_variable, "a constant string is changed"))


def _is_float(item: Any) -> bool:
    """Are its bytes those of a float?"""
    return isinstance(item, RawItem) and item.type is FLOAT


def _loads(stem: str, letters: str, descr: DescrKind, address: Meaning, takes: int) -> list[Op]:
    """Loads from the address that the first `takes` arguments make; what is behind them are constants."""

    def meaning(d: Domain[Any, Any], h: Any, item: Any, *args: Any) -> Any:
        at = _at(d, item, address, args[:takes])
        held = h.get_bytes(args[0], item, at) if is_of_object(item) else h.get_raw(item, at)
        return d.floats.of_bytes(held) if _is_float(item) else held

    sizes = descr is DescrKind.RAW_SIZE
    memory = Memory(descr, meaning, requires=_object_requires(address, takes, None) if sizes else (), loads=True)
    args = (PLACE if sizes else INT, *(INT,) * (takes - 1 + sizes))
    more: dict[str, Any] = {
        "memory": memory,
        "constant_args": tuple(range(2, len(args))) if sizes else (),
        "min_word": 16,
    }
    return [Op(f"{stem}_{one}", args, TYPES[one], Kind.RAW_LOAD, **more) for one in letters]


def _store(name: str, descr: DescrKind, address: Meaning, takes: int, value: int, *requires: Requirement) -> Op:
    """A store to the address that `takes` arguments make, those beside the one with the number `value`."""

    def meaning(d: Domain[Any, Any], h: Any, item: Any, *args: Any) -> None:
        at = _at(d, item, address, (*args[:value], *args[value + 1 :])[:takes])
        held = d.floats.to_bytes(args[value]) if _is_float(item) else args[value]
        if is_of_object(item):
            h.set_bytes(args[0], item, at, held)
        else:
            h.set_raw(item, at, held)

    sizes = descr is DescrKind.RAW_SIZE
    if sizes:
        requires = _object_requires(address, takes, value)
    memory = Memory(descr, meaning, requires=requires, stores=value)
    args = [PLACE if sizes else INT, *(INT,) * (takes - 1 + sizes)]
    args.insert(value, ANY)
    constants = tuple(range(value + 1, len(args))) if sizes else ()
    return Op(name, tuple(args), VOID, Kind.RAW_STORE, memory=memory, constant_args=constants, min_word=16)


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
]
