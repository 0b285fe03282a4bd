"""Hash tables of dicts and sets, told apart by the strategies that they are for.

RPython's tables of several types share a name, `dicttable`, and PyPy's optimizer, which tells them apart, keeps the
number of items of one, and its array of entries, over a call that is about another. A table stands in the storage of a
dict or set, and what type it has the strategy tells (dictmultiobject.py, setobject.py), or in a class (typeobject.py):
none is in two of these, or for two strategies. So such a field of tables of one type is a memory of its own, where each
table of which the recorded trace accesses that is loaded from a class, or from a storage right behind the strategy, the
class of which the trace has tested; or from an iterator to which the trace has stored such a table, since RPython's
store no other there. The way to a bridge tells it of its inputs. A table that a trace makes and that nothing but its
own accesses can reach is none of these. Of which types those of the optimized trace are that has to prove
(`with_kinds`), and of each it tells the type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from optimizer.ir.immutable import replace
from validator.pypy.printed.lines import Access, Line, Printed
from validator.pypy.printed.parents import Path
from validator.pypy.printed.straight import Sides

OF_ONE_STRATEGY = "tables of dicts and sets are for one strategy"

_FIELD = re.compile(r"<Field[SP] dicttable\.(num_live_items|entries) [0-9]+>")
_TYPED = re.compile(r"<Field[SP] dicttable\.\w+ [0-9]+ (of .+)>")
_STORAGE = re.compile(r"<FieldP pypy\.objspace\.std\.\w+\.(W_\w+\.inst_[ds]storage) [0-9]+>")
_OF_CLASS = re.compile(r"<FieldP pypy\.objspace\.std\.\w+\.(W_TypeObject\.inst_dict_w) [0-9]+>")
_ITERATED = re.compile(r"<FieldP dictiter\.dict [0-9]+>")
STRATEGY = re.compile(r"<FieldP pypy\.objspace\.std\.\w+\.W_\w+\.inst_d?strategy [0-9]+>")
_OWN = "of nobody else"
CLASS_TESTS = ("guard_class", "guard_nonnull_class", "record_exact_class")
"""The operations that ask for a class, exactly."""


def with_tables(sides: Sides, path: Path | None = None) -> tuple[Sides, tuple[str, ...]]:
    """The pair in which fields of tables are memories of their own, and what is assumed for that. The way to a bridge
    tells of which types its inputs are."""
    traces = [(sides.before, True, _handed(sides.before, path)), (sides.after, False, _handed(sides.after, path))]
    if sides.target:
        traces += [(sides.target.before, True, {}), (sides.target.after, False, {})]
    types = [
        (one, is_recorded, _of_nobody(one.lines) | given | types_of_tables(one.lines, is_recorded=is_recorded))
        for one, is_recorded, given in traces
    ]
    new = {type_ for one, is_recorded, told in types if is_recorded for type_ in _new_tables(one, told)}
    made = {type_ for one, is_recorded, told in types if not is_recorded for type_ in _new_tables(one, told)}
    if not made <= new or (made and len(new) > 1):  # which of them a new table is its name alone would tell
        return sides, ()
    open_ = {field for one, _, told in types for field in _of_unknown_tables(one, told)}
    before, after, *target = (_typed(one, open_, told) for one, _, told in types)
    loop = replace(sides.target, before=target[0], after=target[1]) if sides.target else None
    typed = replace(sides, before=before, after=after, target=loop)
    return (typed, (OF_ONE_STRATEGY,)) if typed != sides else (sides, ())


def type_of(memory: str) -> str:
    """The type of the tables whose memory that is; "" of others."""
    found = _TYPED.fullmatch(memory)
    return found[1] if found else ""


def types_of_tables(lines: tuple[Line, ...], *, is_recorded: bool = True) -> dict[str, str]:
    """The types of tables, by the values that they are: the storage and the class of the strategy. What is recorded
    loads the storage behind the strategy, with no call or label between; an optimized trace may know that from
    before."""
    types = in_storages(lines, _STORAGE, is_recorded=is_recorded)
    iterated: dict[str, str] = {}
    for line in lines:
        if (found := line.access) is None:
            continue
        if class_dict := _OF_CLASS.fullmatch(found.memory):
            types[found.value] = f"of {class_dict[1]}"
        elif _ITERATED.fullmatch(found.memory):
            if found.is_store:
                iterated[found.place[0]] = types.get(found.value, "")
            elif type_ := iterated.get(found.place[0]):
                types[found.value] = type_
    return types


def tested(lines: tuple[Line, ...]) -> set[str]:
    """The tables that a trace finds in classes, and in storages behind its own test of the strategy, and such in new
    iterators to which it has stored them; none where it stores tables itself, of which types the log does not say."""
    if puts_away(lines, _STORAGE):
        return set()
    accesses = [found for line in lines if (found := line.access)]
    shown, taken_for = (in_storages(lines, _STORAGE, is_recorded=is_recorded) for is_recorded in (True, False))
    known = {name for name, type_ in shown.items() if taken_for.get(name) == type_}
    known |= {one.value for one in accesses if _OF_CLASS.fullmatch(one.memory)}
    of_iterators = [one for one in accesses if _ITERATED.fullmatch(one.memory)]
    stored = [one.place[0] for one in of_iterators if one.is_store]
    new = {line.result for line in lines if line.name == "new"}
    if len({*stored}) == len(stored) and new.issuperset(stored):  # each by the one name that it has
        owners = {one.place[0] for one in of_iterators if one.is_store and one.value in known}
        known |= {one.value for one in of_iterators if one.place[0] in owners}
    return known


def puts_away(lines: tuple[Line, ...], storages: re.Pattern[str]) -> bool:
    """Does a trace store to such a storage, to a class, or to a strategy? Behind that its own test of a strategy does
    not tell of which type a storage is."""
    stores = [found.memory for line in lines if (found := line.access) and found.is_store]
    return any(one.fullmatch(memory) for memory in stores for one in (storages, _OF_CLASS, STRATEGY))


def class_name(text: str) -> str:
    return text.removeprefix("ConstClass(").removesuffix(")")


def in_storages(lines: tuple[Line, ...], storages: re.Pattern[str], *, is_recorded: bool = True) -> dict[str, str]:
    """The storage and the class of the strategy of all that stands in such storages, by the values that they are; of
    what is stored there only where no strategy is."""
    types: dict[str, str] = {}
    owners: dict[str, str] = {}
    strategies: dict[str, str] = {}
    stores = (found.memory for line in lines if (found := line.access) and found.is_store)
    is_of_one = not any(map(STRATEGY.fullmatch, stores))
    for line in lines:
        if (line.may_write or line.name == "label") and is_recorded:
            strategies.clear()
            owners.clear()
        elif line.name in CLASS_TESTS and line.args[0] in owners:
            strategies[owners[line.args[0]]] = class_name(line.args[1])
        elif (found := line.access) and STRATEGY.fullmatch(found.memory):
            for owner in [*strategies] if found.is_store else [found.place[0]]:  # a store may be to that one, too
                strategies.pop(owner, None)
            owners = {} if found.is_store else owners
            owners[found.value] = found.place[0]
        elif found and found.place[0] in strategies and (storage := storages.fullmatch(found.memory)):
            if found.is_store and not is_of_one:  # it may be of the other strategy
                continue
            types[found.value] = f"of {storage[1]} {strategies[found.place[0]]}"
    return types


def _handed(trace: Printed, path: Path | None) -> dict[str, str]:
    """The types of the tables among the inputs of a bridge, as the way to it shows; of one that it stores to a storage
    the strategy may be another one, which the bridge stores."""
    if path is None:
        return {}
    types, handed = types_of_tables(path.lines), zip(trace.inputs, path.handed, strict=True)
    accesses = (found for line in path.lines if (found := line.access))
    put_away = {found.value for found in accesses if found.is_store and _STORAGE.fullmatch(found.memory)}
    return {value: types[text] for value, text in handed if text in types.keys() - put_away}


def _of_nobody(lines: tuple[Line, ...]) -> dict[str, str]:
    """The new tables that nothing reaches but accesses by the name that they have, and stores to new objects from which
    nobody loads them; none of them is given away, be it in such an object."""
    new = {line.result or "" for line in lines if line.name == "new"}
    accesses = [access for line in lines if (access := line.access)]
    loaded = {(one.memory, one.place) for one in accesses if not one.is_store}
    held = [(one.value, (one.memory, one.place)) for one in accesses if one.is_store]
    while True:
        given = {
            arg
            for line in lines
            for place, arg in enumerate(line.args)
            if arg in new and not ((access := line.access) and (not place or _keeps(access, new)))
        }
        given |= {value for value, place in held if value in new and place in loaded}
        if not given:
            break
        new -= given
    return dict.fromkeys(new, _OWN)


def _keeps(access: Access, new: Set[str]) -> bool:
    """Is it a store to a new object, to a place that is not that of a table?"""
    places = (_STORAGE, _OF_CLASS, _ITERATED)
    return access.is_store and access.place[0] in new and not any(place.fullmatch(access.memory) for place in places)


def _new_tables(trace: Printed, types: Mapping[str, str]) -> set[str]:
    """The types of the tables that a trace makes, and accesses as such."""
    new = {line.result for line in trace.lines if line.name == "new"}
    accesses = (found for line in trace.lines if (found := line.access) and _FIELD.fullmatch(found.memory))
    return {types[name] for access in accesses if (name := access.place[0]) in new and name in types}


def _of_unknown_tables(printed: Printed, types: Mapping[str, str]) -> set[str]:
    """The fields that are accessed of tables of which nothing tells the type."""
    accesses = (found for line in printed.lines if (found := line.access) and _FIELD.fullmatch(found.memory))
    return {found.memory for found in accesses if found.place[0] not in types}


def _typed(printed: Printed, open_: set[str], types: Mapping[str, str]) -> Printed:
    """The trace that says of which tables fields are, but for these."""
    told = (
        replace(line, descr=f"{line.descr[:-1]} {types[line.args[0]]}>")
        if types and _FIELD.fullmatch(line.descr) and line.descr not in open_ and line.args[0] in types
        else line
        for line in printed.lines
    )
    return printed.with_lines(tuple(told)) if types else printed
