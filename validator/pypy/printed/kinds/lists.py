"""RPython's lists, told apart by what their arrays hold.

Lists of several types share a name, and PyPy's optimizer, which tells them apart, keeps the length of a list of numbers
over what is done to one of objects. The array of a list tells of which kind it is; else the class of the strategy of
the list of Python in whose storage it stands does (listobject.py), for no strategy has lists of two types. The fields
of lists of one kind are memories of their own, where that is known of each list that a pair accesses. For what those of
the optimized trace are taken does not matter, as with the arrays of frames.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from optimizer.ir.immutable import replace
from validator.pypy.printed.calls.item_by_item import types_of_arrays
from validator.pypy.printed.kinds.tables import in_storages, puts_away
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import Sides

OF_ONE_KIND = "lists of one strategy hold items of one kind"

OF_ONE_TYPE = ("<ArrayS 8>", "<ArrayF 8>")
"""Arrays of which RPython has one type of lists: references, characters and truths are of many."""

_FIELD = re.compile(r"<Field[SP] list\.(length|items) [0-9]+>")
_ITEMS = re.compile(r"<FieldP list\.items [0-9]+( of \w+ [0-9]+)?>")
STORAGE = re.compile(r"<FieldP pypy\.objspace\.std\.listobject\.(W_ListObject\.inst_lstorage) [0-9]+>")
_OF = re.compile(r"<Field[SP] list\.\w+ [0-9]+ of (?P<array>\w+ [0-9]+)>")


def with_lists(sides: Sides, whole: Sides) -> tuple[Sides, tuple[str, ...]]:
    """The pair in which the fields of lists are memories of their own, and what is assumed for that. `whole` is the
    pair as the log has it: what nobody uses tells of lists, too."""
    parts = [(sides, whole.after)]
    if sides.target and whole.target:
        parts.append((sides.target, whole.target.after))
    recorded = [_kinds(part.before, is_recorded=True) for part, _ in parts]
    alone = {kind for kinds in recorded for kind in kinds.values()}
    other = next(iter(alone)) if len(alone) == 1 else ""
    told, new = [], _of_new(zip((part.before for part, _ in parts), recorded, strict=True))
    for (part, optimized), kinds in zip(parts, recorded, strict=True):
        own = _kinds(optimized, is_recorded=False)
        before = _typed(part.before, kinds, "")
        after = _typed(part.after, own, other)
        made = _of_new([(part.after, own)])
        if before is None or after is None or not made <= new:
            return sides, ()
        told.append(replace(part, before=before, after=after))
    return replace(told[0], target=told[1] if told[1:] else None), (OF_ONE_KIND,) if alone else ()


def _of_new(traces: Iterable[tuple[Printed, dict[str, str]]]) -> set[str]:
    """The kinds of lists that traces make."""
    made = ((line.result or "", kinds) for trace, kinds in traces for line in trace.lines if line.name == "new")
    return {kinds[name] for name, kinds in made if name in kinds}


def named_kinds(memories: frozenset[str] | None, lines: Iterable[Line]) -> frozenset[str] | None:
    """These memories, and for each that is a field of lists, that field of each kind of lists in the lines."""
    kinds = {line.descr for line in lines if array_of(line.descr)} if memories else set()
    return memories and memories | {one for one in kinds if of_any_kind(one) in memories}


def of_any_kind(memory: str) -> str:
    """The memory, of lists of all kinds if it is that of lists of one."""
    return f"{memory.partition(' of ')[0]}>" if array_of(memory) else memory


def types_of_lists(trace: Printed) -> dict[str, str]:
    """The descrs of the arrays of lists, by the names of the lists, as far as operations on their items tell."""
    types = types_of_arrays(trace)
    return {
        found.place[0]: types[found.value]
        for line in trace.lines
        if (found := line.access) and _ITEMS.fullmatch(found.memory) and found.value in types
    }


def array_of(memory: str) -> str:
    """The descr of the arrays of the lists whose memory that is; "" of others."""
    found = _OF.fullmatch(memory)
    return f"<{found['array']}>" if found else ""


def of_tested_strategies(lines: tuple[Line, ...], recorded: Iterable[tuple[Line, ...]]) -> Iterator[str]:
    """The lists of a trace that it finds behind its own test of a strategy, which recorded traces show to be of the
    kind that it takes them for, and none of another; none where it stores lists or strategies itself."""
    if puts_away(lines, STORAGE):
        return iter(())
    shown: dict[str, set[str]] = {}
    for one in recorded:
        for strategy, kind in _tested(one).values():
            shown.setdefault(strategy, set()).add(kind)
    return (name for name, (strategy, kind) in _tested(lines).items() if shown.get(strategy) == {kind})


def of_type_numbers(lines: tuple[Line, ...], numbered: Mapping[str, str]) -> dict[str, str]:
    """The lists of a trace that it accesses behind its own guard for the number of their type alone, which is that of
    lists with such arrays, each with the number."""
    asked: dict[str, str] = {}
    are_so: dict[str, bool] = {}
    for line in lines:
        if line.name == "guard_gc_type":
            asked[line.args[0]] = line.args[1]
        elif array := array_of(line.descr):
            name = line.args[0]
            are_so[name] = are_so.get(name, True) and numbered.get(asked.get(name, "")) == array
    return {name: asked[name] for name, is_so in are_so.items() if is_so}


def of_number(number: str, array: str) -> str:
    """The words for what is assumed of a number."""
    return f"what has the type number {number} is a list with one of the arrays {array}"


def _tested(lines: tuple[Line, ...]) -> dict[str, tuple[str, str]]:
    """The strategies and kinds of the lists of a trace that tells lists apart."""
    storages = in_storages(lines, STORAGE)
    accessed = ((line.args[0], array_of(line.descr)) for line in lines if line.args and array_of(line.descr))
    return {name: (storages[name], kind) for name, kind in accessed if name in storages}


def _kinds(trace: Printed, *, is_recorded: bool) -> dict[str, str]:
    """The descrs of the arrays of lists, where the strategies tell, too."""
    types = types_of_lists(trace)
    storages = in_storages(trace.lines, STORAGE, is_recorded=is_recorded)
    shown = {(storages[one], array) for one, array in types.items() if one in storages}
    alone = Counter(strategy for strategy, _ in shown)
    of_strategies = {strategy: array for strategy, array in shown if alone[strategy] == 1}
    return {one: of_strategies[kind] for one, kind in storages.items() if kind in of_strategies} | types


def _typed(trace: Printed, kinds: dict[str, str], other: str) -> Printed | None:
    """The trace that says of which lists the fields are; None if that of one list is not known."""
    told = []
    for line in trace.lines:
        if _FIELD.fullmatch(line.descr):
            if not (kind := kinds.get(line.args[0], other)):
                return None
            line = replace(line, descr=f"{line.descr[:-1]} of {kind[1:]}")
        told.append(line)
    return trace.with_lines(tuple(told))
