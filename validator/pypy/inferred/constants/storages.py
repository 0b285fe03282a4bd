"""Constant lists, dicts and sets, of which a trace loads a strategy, and then what that keeps in the storage.

Each use of a constant object has a number of its own in a log, and so have the two uses in one step of the interpreter:
it asks which strategy the list has, and has that look into the storage. Where a step between two positions loads one
strategy and one storage, of constants, these are one object. Where it loads more of either it may be about two, as in
the sum of two lists, and nothing is said; nor of a trace in which a step does so of two objects that are no constants.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from validator.pypy.printed.lines import Access, Printed, is_pointer
from validator.pypy.printed.straight import Sides

OF_ONE_STEP = "a constant list, dict or set whose strategy is asked for is the one whose storage is loaded in that step"

_STORAGES = {
    "listobject.W_ListObject.inst_strategy": "listobject.W_ListObject.inst_lstorage",
    "dictmultiobject.W_DictObject.inst_dstrategy": "dictmultiobject.W_DictMultiObject.inst_dstorage",
    "setobject.W_BaseSetObject.inst_strategy": "setobject.W_BaseSetObject.inst_sstorage",
}
"""The fields in which strategies are, and those of what they keep, without the beginnings of their names."""

_BEGINS = "<FieldP pypy.objspace.std."


def of_one_step(sides: Sides) -> list[tuple[str, str]]:
    """The pairs of constants of the recorded traces that are one object, by their steps."""
    found: dict[tuple[str, str], None] = {}
    for recorded in (sides.before, *((sides.target.before,) if sides.target else ())):
        steps = [*_steps(recorded)]
        if all(one == other for one, other in steps if not (is_pointer(one) or is_pointer(other))):
            found |= {step: None for step in steps if all(map(is_pointer, step)) and step[0] != step[1]}
    return [*found]


def _steps(recorded: Printed) -> Iterator[tuple[str, str]]:
    """The objects whose strategy a step loads, each with the one whose storage it loads then. What was said in front of
    an operation is none of a step."""
    done = (line for line in recorded.lines if line.passed is not None)
    for _, lines in groupby(done, lambda line: line.passed):
        loads = [found for line in lines if (found := line.access) and not found.is_store]
        for strategy, storage in _STORAGES.items():
            asked, kept = (_objects(loads, f"{_BEGINS}{name} ") for name in (strategy, storage))
            if len(asked) == len(kept) == 1:
                yield asked[0], kept[0]


def _objects(loads: list[Access], memory: str) -> list[str]:
    return [one.place[0] for one in loads if one.memory.startswith(memory)]
