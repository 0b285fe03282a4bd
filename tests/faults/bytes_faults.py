"""Faults about objects by their bytes: in what an optimizer knows of them, and of the validator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from faults.planting import OptimizerFault, Plant, ValidatorFault

from optimizer.facts import facts
from optimizer.facts.memory import Memory
from optimizer.ir.rows.ops import Kind
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL
from optimizer.ir.run.used_as import UsedAs
from optimizer.ir.trace import ConstRef, Operation
from optimizer.ir.types.memory_cells import takes_object
from optimizer.ir.types.memory_types import RawItem, is_of_object
from optimizer.passes import dead_code
from validator.prove.memory import visibility
from validator.prove.memory.chain_reader import ChainReader
from validator.prove.memory.chains import Bytewise
from validator.prove.memory.symbolic_heap import SymbolicHeap

_PAIRS = "validator/verdicts/test_object_bytes_pairs.py::"


def _set(owner: Any, name: str, wrong: Any) -> Plant:
    return lambda patch: patch.setattr(owner, name, wrong)


def _around(owner: Any, name: str, wrong: Callable[..., Any]) -> Plant:
    right = vars(owner)[name]
    return lambda patch: patch.setattr(owner, name, lambda *args: wrong(right, *args))


def _without_sign(right: Any, slot: Any, word: int) -> Any:
    return right(replace(slot, signed=False) if isinstance(slot, RawItem) and is_of_object(slot) else slot, word)


def _or_a_store(right: Any, liveness: Any, operation: Operation) -> bool:
    return right(liveness, operation) or (operation.op.kind is Kind.RAW_STORE and takes_object(operation))


def _hands_out_nothing(right: Any, known: Any, operation: Operation) -> None:
    place = operation.op.memory.stores if operation.op.memory else None
    args = [ConstRef(NULL.name) if index == place else arg for index, arg in enumerate(operation.args)]
    right(known, operation.on(tuple(args)))


def _wrong(name: str, breaks: str, plant: Plant, smallest: str) -> OptimizerFault:
    return OptimizerFault(name, breaks, "bytes of objects", plant, smallest)


BYTES_FAULTS = (
    _wrong("sign of bytes of objects", "what is loaded from bytes of an object is not negative",
        _around(facts, "range_of", _without_sign),
        "[p0]\ni1 = gc_load_i(p0, 8, -1)\ni2 = int_lt(i1, 0)\nfinish(i2)\n"),
    _wrong("bytes of objects are dead", "a store to bytes of an object is dead code",
        _around(vars(dead_code)["_Liveness"], "_goes", _or_a_store), "[p0]\ngc_store(p0, 8, 1, 1)\nfinish()\n"),
    _wrong("reference among bytes", "nobody finds a new object that is stored among the bytes of another",
        _around(Memory, "access_bytes", _hands_out_nothing),
        "[p0]\np1 = new(descr=Node)\ngc_store(p0, 8, p1, 8)\np2 = gc_load_r(p0, 8, 8)\ni3 = ptr_eq(p1, p2)\n"
        "finish(i3)\n"),
)  # fmt: skip


# The validator.


def _without_bytes(right: Any) -> Any:
    return lambda chain: (link for link in right(chain) if not isinstance(link, Bytewise))


def _zeros(right: Any) -> Any:
    return lambda self, slot, p, index: (
        self._terms.zero_of(slot.type) if p.kind == "alloc" else right(self, slot, p, index)
    )


def _fault(name: str, breaks: str, plant: Plant, *catches: str) -> ValidatorFault:
    return ValidatorFault(name, breaks, "bytes of objects", plant, catches)


BYTES_VALIDATOR_FAULTS = (
    _fault("fields behind bytes", "a field holds behind a store to bytes what it held before",
        _set(ChainReader, "_behind", lambda _self, _slot, _link, held, _p, _index: held), f"{_PAIRS}test_neither"),
    _fault("bytes behind fields", "bytes are behind a store to a field what they were before",
        _set(SymbolicHeap, "_changed", lambda *_: []), f"{_PAIRS}test_neither"),
    _fault("bytes are not compared as fields", "what a store to bytes does to fields is not compared",
        _set(visibility, "changes", _without_bytes(visibility.changes)), f"{_PAIRS}test_neither"),
    _fault("new objects of zeros", "the bytes of a new object are 0",
        _set(ChainReader, "_at_start", _zeros(ChainReader._at_start)), f"{_PAIRS}test_neither"),
    _fault("bytes of new objects in runs", "a run takes the bytes of a new object for 0",
        _set(Heap, "_known_bytes", lambda _self, _p, held, otherwise: otherwise if held is None else held),
        "optimizer/ir/run/test_object_bytes.py::test_a_run_asks_nothing_that_depends_on_where_fields_and_items_are"),
    _fault("both ways in runs", "a run may use an object by its bytes and by its fields",
        _set(UsedAs, "note", lambda *_: None), f"{_PAIRS}test_neither"),
    _fault("an address for all", "all objects have one address",
        _set(SymbolicHeap, "_address", lambda self, _p: self.terms.zero),
        "validator/verdicts/test_addresses.py::test_refuted", "validator/verdicts/test_addresses.py::test_neither"),
)  # fmt: skip
