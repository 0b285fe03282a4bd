"""Faults of the validator where it judges objects by their bytes, and the tests that catch them."""

from __future__ import annotations

from typing import Any

from faults.planting import Plant, ValidatorFault

from optimizer.ir.heap import Heap
from optimizer.ir.object_bytes import UsedAs
from validator import store_chains, visibility
from validator.store_chains import Bytewise, Chains
from validator.symbolic_heap import SymbolicHeap

_PAIRS = "validator/test_object_bytes_pairs.py::"


def _set(owner: Any, name: str, wrong: Any) -> Plant:
    return lambda patch: patch.setattr(owner, name, wrong)


def _without_bytes(right: Any) -> Any:
    return lambda chain: (link for link in right(chain) if not isinstance(link, Bytewise))


def _fault(name: str, breaks: str, plant: Plant, *catches: str) -> ValidatorFault:
    return ValidatorFault(name, breaks, "bytes of objects", plant, catches)


BYTES_VALIDATOR_FAULTS = (
    _fault("fields behind bytes", "a field holds behind a store to bytes what it held before",
        _set(Chains, "_behind", lambda _self, _slot, _link, held, _p, _index: held), f"{_PAIRS}test_neither"),
    _fault("bytes behind fields", "bytes are behind a store to a field what they were before",
        _set(SymbolicHeap, "_changed", lambda *_: []), f"{_PAIRS}test_neither"),
    _fault("bytes are not compared as fields", "what a store to bytes does to fields is not compared",
        _set(visibility, "changes", _without_bytes(visibility.changes)), f"{_PAIRS}test_neither"),
    _fault("new objects of zeros", "the bytes of a new object are 0",
        _set(store_chains, "VIEWS", {}), f"{_PAIRS}test_neither"),
    _fault("bytes of new objects in runs", "a run takes the bytes of a new object for 0",
        _set(Heap, "_known_bytes", lambda _self, _p, held, otherwise: otherwise if held is None else held),
        "ir/test_object_bytes.py::test_a_run_asks_nothing_that_depends_on_where_fields_and_items_are"),
    _fault("both ways in runs", "a run may use an object by its bytes and by its fields",
        _set(UsedAs, "note", lambda *_: None), f"{_PAIRS}test_neither"),
    _fault("an address for all", "all objects have one address",
        _set(SymbolicHeap, "_address", lambda self, _p: self._terms.zero),
        "validator/test_addresses.py::test_refuted", "validator/test_addresses.py::test_neither"),
)  # fmt: skip
