"""Faults of the validator where it judges strings, and the tests that catch them."""

from __future__ import annotations

from typing import Any

from faults.planting import Plant, ValidatorFault

from optimizer.ir.domains.term import Term
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import Object, blank, type_of
from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.types.calls import Effects
from optimizer.ir.types.layout import Field
from validator.prove.memory import visibility
from validator.prove.memory.chain_reader import ChainReader
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.terms import comparisons
from validator.prove.terms.object_terms import ObjectTerms

_CALLS = "validator/verdicts/test_string_calls.py::"
_JUDGED = "validator/verdicts/test_strings_judged.py::"


def _set(owner: Any, name: str, wrong: Any) -> Plant:
    return lambda patch: patch.setattr(owner, name, wrong)


def _inside_too_far(self: ChainReader, p: Term, index: Term, copy: Any) -> Term:
    terms = self._terms
    same = terms.same(p, copy.object)
    return terms.both(same, terms.ule(terms.sub(index, copy.at), copy.count))


def _read_behind(right: Any) -> Any:
    def copy_items(self: SymbolicHeap, slot: Any, p: Term, start: Term, q: Term, at: Term, count: Term) -> None:
        if count.kind != "const":
            return right(self, slot, p, start, q, at, count)
        terms = self.terms
        for offset in map(terms.const, range(count.value)):
            self.put(q, slot, terms.add(at, offset), self.read(p, slot, terms.add(start, offset)))
        return None

    return copy_items


def _keys_without_copies(right: Any) -> Any:
    def keys(terms: Any, chain: Any, shared: Any, seen: Any, any_index: Term | None) -> Any:
        found = right(terms, chain, shared, seen, any_index)
        return (key for key in found if any_index is None or key[1] is not any_index)

    return keys


def _from_the_start(right: Any) -> Any:
    def source(self: ChainReader, chain: Any, p: Term, start: Term, count: Term) -> Any:
        chain, p, _ = right(self, chain, p, start, count)
        return chain, p, self._terms.zero

    return source


def _cleared(self: Object, cell: Any, like: Any) -> Any:
    return self.cells.get(cell, blank(type_of(like)))


def _but_strings(right: Any) -> Any:
    return lambda self, slot: slot.owner not in HIGHEST and right(self, slot)


def _one_version(self: ChainReader, chain: Any, p: Term) -> int:
    return 0


def _fault(name: str, breaks: str, plant: Plant, *catches: str) -> ValidatorFault:
    return ValidatorFault(name, breaks, "strings", plant, catches)


STRING_VALIDATOR_FAULTS = (
    _fault("copies are not compared", "memory that a copy of variable length has changed is not compared",
        _set(visibility, "_keys", _keys_without_copies(visibility._keys)),
        f"{_JUDGED}test_what_is_wrong_is_not_proved_without_samples"),
    _fault("one item more", "a copy is taken to have written one item more",
        _set(ChainReader, "is_inside", _inside_too_far), f"{_JUDGED}test_what_is_right_is_proved"),
    _fault("copied one by one", "a short copy reads what it has written itself",
        _set(SymbolicHeap, "copy_items", _read_behind(SymbolicHeap.copy_items)),
        f"{_JUDGED}test_what_is_wrong_is_not_proved_without_samples"),
    _fault("one hash for all time", "the hash of a string stays, whatever it holds",
        _set(ChainReader, "version", _one_version), f"{_JUDGED}test_what_is_wrong_is_not_proved_without_samples"),
    _fault("constants may change", "nothing is said of the items of what may be a constant string",
        _set(ObjectTerms, "_text_contents", lambda *_: []), f"{_JUDGED}test_what_is_right_is_proved"),
    _fault("copies are always written", "a short copy of what has not been written is written",
        _set(SymbolicHeap, "are_set", lambda self, *_: self.terms.true),
        f"{_JUDGED}test_what_is_wrong_is_not_proved_without_samples"),
    _fault("old arrays are written", "what has been copied to an array that was there before is written",
        _set(ChainReader, "_written_if_old", lambda self, *_: self._terms.true),
        "validator/verdicts/test_array_copies.py::test_wrong_copies_are_refuted"),
    _fault("unwritten items are cleared", "a run copies 0 where nothing has been written",
        _set(Object, "value", _cleared), "validator/verdicts/test_array_copies.py::test_copies_run_as_those_of_lists"),
    _fault("no event names strings", "no event changes a string, though it says that it does",
        _set(Effects, "may_write", _but_strings(Effects.may_write)), f"{_JUDGED}test_what_is_wrong_is_refuted"),
    _fault("events change strings", "every event changes strings",
        _set(Field, "is_steady", property(lambda self: self.immutable)), f"{_JUDGED}test_what_is_right_is_proved"),
    _fault("compared at one place", "strings are equal if one item is",
        _set(comparisons._Said, "differs", lambda self: self._terms.true),
        f"{_CALLS}test_what_is_right_is_proved"),
    _fault("compared at other places", "what is compared starts at 0",
        _set(ChainReader, "source", _from_the_start(ChainReader.source)), f"{_CALLS}test_what_is_wrong_is_refuted"),
    _fault("constants are changed in runs", "a run may change a constant string",
        _set(Heap, "is_text", lambda *_: False),
        "optimizer/ir/run/test_strings.py::test_an_event_changes_strings_that_it_names"),
)  # fmt: skip
