"""The rows of operations on raw memory: an address, and what stands there.

An address is the sum of what an operation takes; it wraps around like any sum. The descr says how many bytes are meant
and whether they have a sign (see `optimizer.ir.raw_memory`); a store takes the lowest bytes of its value.
"""

from __future__ import annotations

from typing import Any

from optimizer.ir.domain import Domain
from optimizer.ir.memory_types import RawItem
from optimizer.ir.row import DescrKind, Kind, Meaning, Memory, Op, Requirement, Type

INT, VOID, ANY = Type.INT, Type.VOID, Type.ANY
_TYPES = {"i": INT, "r": Type.REF, "f": Type.FLOAT}


def _raw(name: str, args: tuple[Type, ...], result: Type, kind: Kind, memory: Memory, **more: Any) -> Op:
    return Op(name, args, result, kind, modelled=False, memory=memory, min_word=16, **more)


def _offset(d: Domain[Any, Any], _item: Any, address: Any, offset: Any) -> Any:
    return d.add(address, offset)


def _index(d: Domain[Any, Any], item: Any, address: Any, index: Any) -> Any:
    return d.add(address, d.mul(index, d.const(item.size)))


def _scaled(d: Domain[Any, Any], _item: Any, address: Any, index: Any, scale: Any, offset: Any) -> Any:
    return d.add(d.add(address, d.mul(index, scale)), offset)


def _here(_d: Domain[Any, Any], _slot: Any, address: Any) -> Any:
    return address


def _is_float(item: Any) -> bool:
    """Are its bytes those of a float?"""
    return isinstance(item, RawItem) and item.type is Type.FLOAT


def _loads(stem: str, letters: str, descr: DescrKind, address: Meaning, takes: int) -> list[Op]:
    """Loads from the address that the first `takes` arguments make; what is behind them are constants."""

    def meaning(d: Domain[Any, Any], h: Any, item: Any, *args: Any) -> Any:
        held = h.get_raw(item, address(d, item, *args[:takes]))
        return d.floats.of_bytes(held) if _is_float(item) else held

    memory = Memory(descr, meaning, loads=True)
    sizes = descr is DescrKind.RAW_SIZE
    args = (ANY if sizes else INT, *(INT,) * (takes - 1 + sizes))
    constants = tuple(range(2, len(args))) if sizes else ()
    return [_raw(f"{stem}_{one}", args, _TYPES[one], Kind.RAW_LOAD, memory, constant_args=constants) for one in letters]


def _store(name: str, descr: DescrKind, address: Meaning, takes: int, value: int, *requires: Requirement) -> Op:
    """A store to the address that `takes` arguments make, those beside the one with the number `value`."""

    def meaning(d: Domain[Any, Any], h: Any, item: Any, *args: Any) -> None:
        at = (*args[:value], *args[value + 1 :])[:takes]
        held = d.floats.to_bytes(args[value]) if _is_float(item) else args[value]
        h.set_raw(item, address(d, item, *at), held)

    memory = Memory(descr, meaning, requires=requires, stores=value)
    sizes = descr is DescrKind.RAW_SIZE
    args = [ANY if sizes else INT, *(INT,) * (takes - 1 + sizes)]
    args.insert(value, ANY)
    constants = tuple(range(value + 1, len(args))) if sizes else ()
    return _raw(name, tuple(args), VOID, Kind.RAW_STORE, memory, constant_args=constants, in_exit_block=True)


def _fits(d: Domain[Any, Any], _h: Any, slot: Any, _address: Any, value: Any) -> Any:
    if slot.low is None:
        return d.truth(True)
    return d.both(d.sle(d.const(slot.low), value), d.sle(value, d.const(slot.high)))


RAW_ROWS = [
    *_loads("raw_load", "if", DescrKind.RAW_ITEM, _offset, 2),
    _store("raw_store", DescrKind.RAW_ITEM, _offset, 2, 2),
    *_loads("getarrayitem_raw", "if", DescrKind.RAW_ITEM, _index, 2),
    _store("setarrayitem_raw", DescrKind.RAW_ITEM, _index, 2, 2),
    *_loads("gc_load", "if", DescrKind.RAW_SIZE, _offset, 2),
    *_loads("gc_load_indexed", "if", DescrKind.RAW_SIZE, _scaled, 4),
    _store("gc_store", DescrKind.RAW_SIZE, _offset, 2, 2),
    _store("gc_store_indexed", DescrKind.RAW_SIZE, _scaled, 4, 2),
    *_loads("getfield_raw", "irf", DescrKind.RAW_FIELD, _here, 1),
    _store("setfield_raw", DescrKind.RAW_FIELD, _here, 1, 1, (_fits, "the value is outside the range of the memory")),
]
