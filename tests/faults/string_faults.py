"""Faults of an optimizer of strings: in copies, constants, virtual strings and what is known of items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from faults.planting import OptimizerFault, Plant

from optimizer.facts.cells import Cell, Copy
from optimizer.facts.facts import Facts
from optimizer.facts.memory import Memory
from optimizer.ir.rows.ops import OPS, Kind, Type
from optimizer.ir.trace import ConstInt, Operation, Value, Var
from optimizer.passes import strings
from optimizer.passes.dead_code import _Liveness
from optimizer.passes.heap import HeapAccesses
from optimizer.passes.strings import Strings
from optimizer.passes.virtuals import Virtuals
from optimizer.riders import Answer, Becomes, Unrolled

Moved = tuple[Cell, Cell]


def _cells(patch: pytest.MonkeyPatch, wrong: Callable[[Moved], Moved]) -> None:
    original = Copy.cells
    patch.setattr(Copy, "cells", lambda self: [wrong(one) for one in original(self)])


def _further(cell: Cell) -> Cell:
    assert isinstance(cell.index, ConstInt)
    return replace(cell, index=ConstInt(cell.index.value + 1))


def _slice_off_by_one(patch: pytest.MonkeyPatch) -> None:
    _cells(patch, lambda one: (_further(one[0]), one[1]))


def _put_off_by_one(patch: pytest.MonkeyPatch) -> None:
    _cells(patch, lambda one: (one[0], _further(one[1])))


def _copied_back(patch: pytest.MonkeyPatch) -> None:
    _cells(patch, lambda one: (one[1], one[0]))


def _item_by_item(patch: pytest.MonkeyPatch) -> None:
    def copy(self: Memory, copied: Copy) -> None:
        for cell, to in copied.cells():
            content = self.content(cell)
            original(self, replace(copied, start=cell.index, at=to.index, count=ConstInt(1)))
            if content is not None:
                self._put(self._facts.normal(to), content)
        if not copied.cells():
            original(self, copied)

    original = Memory.copy
    patch.setattr(Memory, "copy", copy)


def _stale_items(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Memory, "copy", lambda self, copied: None)


def _not_waited_for(patch: pytest.MonkeyPatch, kind: Kind) -> None:
    original = HeapAccesses.prepare

    def prepare(self: HeapAccesses, operation: Operation, facts: Facts) -> Iterable[Operation]:
        return () if operation.op.kind is kind else original(self, operation, facts)

    patch.setattr(HeapAccesses, "prepare", prepare)


def _ahead_of_stores(patch: pytest.MonkeyPatch) -> None:
    _not_waited_for(patch, Kind.COPY)


def _hashed_ahead_of_stores(patch: pytest.MonkeyPatch) -> None:
    _not_waited_for(patch, Kind.SCAN)


def _next_item_of_a_constant(patch: pytest.MonkeyPatch) -> None:
    original = Memory._declared_content

    def declared_content(self: Memory, cell: Cell) -> Value | None:
        further = _further(cell) if isinstance(cell.index, ConstInt) else cell
        return original(self, further) or original(self, cell)

    patch.setattr(Memory, "_declared_content", declared_content)


def _bytes_only(patch: pytest.MonkeyPatch) -> None:
    original = Facts._learn_load

    def learn_load(self: Facts, cell: Cell, result: Var) -> None:
        original(self, cell, result)
        if cell.slot.owner == "unicode":
            self._bound(result, 0, 255)

    patch.setattr(Facts, "_learn_load", learn_load)


def _without_what_is_copied(patch: pytest.MonkeyPatch) -> None:
    original = Virtuals._copy

    def copy(self: Virtuals, operation: Operation, facts: Facts) -> Answer | None:
        answer = original(self, operation, facts)
        return replace(answer, operations=()) if isinstance(answer, Unrolled) else answer

    patch.setattr(Virtuals, "_copy", copy)


def _dead_copies(patch: pytest.MonkeyPatch) -> None:
    original = _Liveness.keep

    def keep(self: _Liveness, operations: Iterable[Operation], purposes: Any) -> Any:
        kept = original(self, operations, purposes)
        return [one for one in kept if one.op.kind is not Kind.COPY or self._about]

    patch.setattr(_Liveness, "keep", keep)


def _compared(patch: pytest.MonkeyPatch, wrong: Callable[..., Answer | None]) -> None:
    right = strings._equal
    by_arguments = {**strings._BY_ARGUMENTS, (Type.REF, Type.REF): lambda *args: wrong(right, *args)}
    patch.setattr(strings, "_BY_ARGUMENTS", by_arguments)


def _by_identity(right: Any, asked: Any, p: Value, q: Value) -> Answer | None:
    return right(asked, p, q) or Becomes(OPS["ptr_eq"], (p, q), asked.why)


def _other_item(patch: pytest.MonkeyPatch, wrong: Callable[[tuple[Value, ...]], tuple[Value, ...]]) -> None:
    right = strings._item_of
    patch.setattr(strings, "_item_of", lambda made, load, facts: right((made[0], wrong(made[1])), load, facts))


def _from_the_start(patch: pytest.MonkeyPatch) -> None:
    _other_item(patch, lambda args: (args[0], ConstInt(0), args[2]) if len(args) == 3 else args)


def _parts_swapped(patch: pytest.MonkeyPatch) -> None:
    _other_item(patch, lambda args: args[::-1] if len(args) == 2 else args)


def _told_for_good(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Strings, "_changed", lambda *_: None)
    patch.setattr(Strings, "_happened", lambda *_: None)


_SLICE = '[]\np1 = newstr(2)\ncopystrcontent("abc", p1, 0, 0, 2)\nfinish(p1)\n'
_COPY = "copystrcontent(p0, p1, 0, 0, 1)\n"
_STORED = "[p0, p1]\nstrsetitem(p0, 0, 65)\n"


def _declared(oopspec: str, result: str) -> str:
    return f'+++\n[call.g]\nresult = "{result}"\noopspec = "{oopspec}"\nelidable = true\n+++\n'


_EQUAL = f"{_declared('strequal', 'int')}[p0, p1]\n"
_FIRST = "i2 = strgetitem(p1, 0)\nfinish(i2)\n"


def _fault(name: str, breaks: str, plant: Plant, smallest: str) -> OptimizerFault:
    return OptimizerFault(name, breaks, "strings", plant, smallest)


STRING_FAULTS = (
    _fault("slice off by one", "what is copied is taken from one item further on", _slice_off_by_one, _SLICE),
    _fault("concatenation off by one", "what is copied is put one item further on", _put_off_by_one,
           '[p0]\ncopystrcontent("abc", p0, 0, 0, 1)\ni1 = strgetitem(p0, 1)\nfinish(i1)\n'),
    _fault("copy the other way", "what is known of the items of a copy goes from the end to the source", _copied_back,
           f"[p0, p1]\ni2 = strgetitem(p1, 0)\n{_COPY}i3 = strgetitem(p0, 0)\nfinish(i2, i3)\n"),
    _fault("copy item by item", "an overlapping copy reads what it has written itself", _item_by_item,
           "[p0]\ni1 = strgetitem(p0, 0)\ncopystrcontent(p0, p0, 0, 1, 2)\ni2 = strgetitem(p0, 2)\nfinish(i1, i2)\n"),
    _fault("stale items", "a copy leaves alone what is known of items", _stale_items,
           f"[p0, p1]\ni2 = strgetitem(p1, 0)\n{_COPY}i3 = strgetitem(p1, 0)\nfinish(i2, i3)\n"),
    _fault("copy ahead of a store", "a store is delayed beyond a copy of what it stores to", _ahead_of_stores,
           f"{_STORED}copystrcontent(p0, p1, 0, 0, 1)\nfinish()\n"),
    _fault("hash ahead of a store", "a store is delayed beyond a hash of what it stores to", _hashed_ahead_of_stores,
           f"{_STORED}i2 = strhash(p0)\nfinish(i2)\n"),
    _fault("next item of a constant", "an item of a constant is taken for the one in front of it",
           _next_item_of_a_constant, '[]\ni1 = strgetitem("abc", 0)\nfinish(i1)\n'),
    _fault("all code points are bytes", "an item of unicode is taken to be at most 255", _bytes_only,
           "[p0]\ni1 = unicodegetitem(p0, 0)\ni2 = int_lt(i1, 256)\nfinish(i2)\n"),
    _fault("string without its parts", "a virtual string is rebuilt without what was copied to it",
           _without_what_is_copied, _SLICE),
    _fault("dead copies", "copies to objects that are not fresh are dropped, where nothing fresh is changed",
           _dead_copies, "[p0, p1]\ncopystrcontent(p0, p1, 0, 0, 1)\nfinish()\n"),
    _fault("equal by identity", "strings are compared as objects", lambda patch: _compared(patch, _by_identity),
           f"{_EQUAL}i2 = call_i(1, p0, p1, descr=g)\nfinish(i2)\n"),
    _fault("slices start at 0", "an item of a slice is that of its string at the same index", _from_the_start,
           f"{_declared('strslice', 'ref')}[p0]\np1 = call_r(1, p0, 1, 2, descr=g)\n{_FIRST}"),
    _fault("concatenation swapped", "the second part of a concatenation stands first", _parts_swapped,
           f'{_declared("strconcat", "ref")}[p0]\np1 = call_r(1, p0, "abc", descr=g)\n{_FIRST}'),
    _fault("told for good", "what is known of strings outlives their changes", _told_for_good,
           f"{_EQUAL}i2 = call_i(1, p0, p1, descr=g)\nstrsetitem(p0, 0, 65)\ni3 = call_i(1, p0, p1, descr=g)\n"
           "finish(i3)\n"),
)  # fmt: skip
