"""Faults in what is known of raw memory: of an optimizer of it, and of the validator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from faults.planting import OptimizerFault, Plant, ValidatorFault

from optimizer.facts.raw_contents import Place, RawContents, _Linear
from optimizer.ir.rows.ops import Kind
from optimizer.ir.run import heap
from optimizer.ir.trace import Operation
from optimizer.ir.types.layout import RawItem
from optimizer.passes import raw
from optimizer.passes.raw import RawAccesses
from validator.prove.memory.raw_chains import RawChains

_PAIRS = "validator/verdicts/test_raw_pairs.py::test_pairs_come_out_as_they_are"


def _set(owner: Any, name: str, wrong: Any) -> Plant:
    return lambda patch: patch.setattr(owner, name, wrong)


def _around(owner: Any, name: str, wrong: Callable[..., Any]) -> Plant:
    right = getattr(owner, name)
    return lambda patch: patch.setattr(owner, name, lambda *args: wrong(right, *args))


# What is known, in the optimizer.


def _apart_if_not_the_same(right: Callable[..., bool], one: Place, other: Place) -> bool:
    return right(one, other) or one.distance(other) not in (0, None)


def _apart_if_unknown(right: Callable[..., bool], one: Place, other: Place) -> bool:
    return right(one, other) or one.distance(other) is None


def _covers_what_begins_there(right: Callable[..., bool], one: Place, other: Place) -> bool:
    are_bytes = isinstance(one.slot, RawItem) and isinstance(other.slot, RawItem)
    return right(one, other) or (are_bytes and one.distance(other) == 0)


def _covers_what_it_meets(right: Callable[..., bool], one: Place, other: Place) -> bool:
    distance = one.distance(other)
    are_bytes = isinstance(one.slot, RawItem) and isinstance(other.slot, RawItem)
    return right(one, other) or (are_bytes and distance is not None and distance < one.size)


def _unscaled(_right: Any, _domain: Any, one: Any, other: Any) -> Any:
    return one if one is not None and one.parts else other


def _extended_otherwise(change: Callable[[RawItem], RawItem]) -> Plant:
    return _around(raw, "_extended", lambda right, value, item, facts: right(value, change(item), facts))


def _longer(item: RawItem) -> RawItem:
    return replace(item, size=min(2 * item.size, 4))


def _any_constant(patch: pytest.MonkeyPatch) -> None:
    right = raw.bytes_of
    patch.setattr(raw, "bytes_of", lambda item, value: _Stuck(right(item, value)))


class _Stuck(bytes):
    """Bytes that begin at the first one, wherever a slice begins."""

    def __getitem__(self, at: Any) -> Any:
        return super().__getitem__(slice(0, at.stop - at.start) if isinstance(at, slice) else at)


# Stores.


def _not_in_the_way(patch: pytest.MonkeyPatch) -> None:
    right = RawAccesses._store

    def store(self: RawAccesses, operation: Operation, facts: Any) -> Any:
        place = facts.raw.place(operation)
        met = [waits for waits in self._delayed if not waits[0].is_apart(place) and not place.covers(waits[0])]
        self._delayed = [waits for waits in self._delayed if waits not in met]
        answer = right(self, operation, facts)
        self._delayed += met
        return answer

    patch.setattr(RawAccesses, "_store", store)


def _unprepared(kind: Kind) -> Plant:
    def prepare(right: Any, rider: RawAccesses, operation: Operation, facts: Any) -> Any:
        return () if operation.op.kind is kind else right(rider, operation, facts)

    return _around(RawAccesses, "prepare", prepare)


def _fault(name: str, breaks: str, plant: Plant, smallest: str) -> OptimizerFault:
    return OptimizerFault(name, breaks, "raw memory", plant, smallest)


RAW_FAULTS = (
    _fault("bytes that overlap in part", "what is known of bytes outlives a store that overlaps with them in part",
        _around(Place, "is_apart", _apart_if_not_the_same),
        "[i0, i1]\nraw_store(i0, 1, i1, descr=<ArrayU 1>)\ni2 = raw_load_i(i0, 0, descr=<ArrayU 2>)\nfinish(i2)\n"),
    _fault("store through another address", "what is known of bytes outlives a store to an address that may be theirs",
        _around(Place, "is_apart", _apart_if_unknown),
        "[i0, i1]\nraw_store(i0, 0, 7, descr=<ArrayU 1>)\ni2 = raw_load_i(i1, 0, descr=<ArrayU 1>)\nfinish(i2)\n"),
    _fault("narrow store read wide", "a load takes the value of a narrower store that begins where it does",
        _around(Place, "covers", _covers_what_begins_there),
        "[i0, i1]\nraw_store(i0, 0, i1, descr=<ArrayU 1>)\ni2 = raw_load_i(i0, 0, descr=<ArrayS 8>)\nfinish(i2)\n"),
    _fault("store dead in part", "a store is dead where another one covers its beginning",
        _around(Place, "covers", _covers_what_it_meets),
        "[i0, i1]\nraw_store(i0, 1, i1, descr=<ArrayS 8>)\nraw_store(i0, 0, 7, descr=<ArrayU 2>)\nfinish()\n"),
    _fault("index without scale", "an index is added to an address as it is", _around(_Linear, "mul", _unscaled),
        "[i0, i1, i2]\nsetarrayitem_raw(i0, i1, i2, descr=<ArrayS 8>)\n"
        "i3 = raw_load_i(i0, i1, descr=<ArrayS 8>)\nfinish(i3)\n"),
    _fault("lost sign", "a signed load of what was stored has no sign",
        _extended_otherwise(lambda item: replace(item, signed=False)),
        "[i0, i1]\nraw_store(i0, 0, i1, descr=<ArrayS 8>)\ni2 = raw_load_i(i0, 0, descr=<ArrayS 1>)\nfinish(i2)\n"),
    _fault("size of the store", "a narrow load of what was stored takes twice as many bytes",
        _extended_otherwise(_longer),
        "[i0, i1]\nraw_store(i0, 0, i1, descr=<ArrayS 8>)\ni2 = raw_load_i(i0, 0, descr=<ArrayU 1>)\nfinish(i2)\n"),
    _fault("first bytes of a constant", "a load of what is known takes the first bytes, wherever it is", _any_constant,
        "[i0]\nraw_store(i0, 0, 258, descr=<ArrayS 2>)\ni1 = raw_load_i(i0, 1, descr=<ArrayU 1>)\nfinish(i1)\n"),
    _fault("raw event", "what is known of raw memory outlives an event", _set(RawContents, "event", lambda *_: None),
        "[i0]\ni1 = raw_load_i(i0, 0, descr=<ArrayU 1>)\nescape_n()\ni2 = raw_load_i(i0, 0, descr=<ArrayU 1>)\n"
        "finish(i1, i2)\n"),
    _fault("raw store across an event", "a store is delayed beyond an event", _unprepared(Kind.EVENT),
        "[i0]\nraw_store(i0, 0, 7, descr=<ArrayU 1>)\nescape_n()\nfinish()\n"),
    _fault("raw store across a load", "a store is delayed beyond a load that may overlap", _unprepared(Kind.RAW_LOAD),
        "[i0, i1]\nraw_store(i0, 0, 7, descr=<ArrayU 1>)\ni2 = raw_load_i(i1, 0, descr=<ArrayU 1>)\nfinish(i2)\n"),
    _fault("raw store across a guard", "a store is delayed beyond a guard, and is not in its exit block",
        _set(RawAccesses, "complete", lambda self, exit_, facts, names: exit_),
        "[i0, i1]\nraw_store(i0, 0, 7, descr=<ArrayU 1>)\nguard_value(i1, 1) []\nfinish()\n"),
    _fault("raw stores in another order", "a store goes ahead of one that it may overlap with", _not_in_the_way,
        "[i0, i1]\nraw_store(i0, 0, 7, descr=<ArrayU 1>)\nraw_store(i1, 0, 8, descr=<ArrayU 1>)\nfinish()\n"),
)  # fmt: skip


# The validator.


def _no_wrapping(_right: Any, _chains: RawChains, offset: int, _size: int, stored: int) -> bool:
    return offset >= stored


def _unsigned(right: Any, chains: RawChains, value: Any, size: int, _signed: bool) -> Any:
    return right(chains, value, size, False)


def _first_part(right: Any, chains: RawChains, value: Any, _offset: int, size: int) -> Any:
    return right(chains, value, 0, size)


def _highest_first(right: Any, item: RawItem, held: Any, word: int) -> int:
    return int.from_bytes(bytes(held), "big", signed=item.signed)


def _meets(right: Any, chains: RawChains, store: Any, address: Any, size: int) -> bool:
    offset = chains._offset(store.index, address)
    return right(chains, store, address, size) or (offset is not None and offset < size)


def _caught(name: str, breaks: str, plant: Plant, *catches: str) -> ValidatorFault:
    return ValidatorFault(name, breaks, "raw memory", plant, catches)


RAW_VALIDATOR_FAULTS = (
    _caught("bytes do not wrap", "what begins behind a store does not reach it around the end of memory",
        _around(RawChains, "_are_apart", _no_wrapping), _PAIRS),
    _caught("no sign", "what is loaded has no sign", _around(RawChains, "extended", _unsigned), _PAIRS),
    _caught("first part", "each part of what was stored is the first one", _around(RawChains, "part", _first_part),
        _PAIRS),
    _caught("covered in part", "a store is dead where a later one covers its beginning",
        _around(RawChains, "_is_covered", _meets), "validator/prove/test_settled_by_structure.py"),
    _caught("bytes alike", "raw memory is the same in both traces", _around(RawChains, "agree",
        lambda _right, chains, *_: chains._terms.true), _PAIRS),
    _caught("fields apart from bytes", "a store to bytes leaves fields alone, and one to a field bytes",
        _set(RawChains, "stored", lambda *_: None), _PAIRS),
    _caught("highest byte first", "the interpreter has the highest byte first", _around(heap, "number_in",
        _highest_first), "optimizer/ir/run/test_raw_reference.py::test_random_traces_run_as_on_a_tape"),
)  # fmt: skip
