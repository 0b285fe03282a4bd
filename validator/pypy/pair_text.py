"""The pair of a log in the trace language, with all that is known of the log, and its assumptions."""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from functools import lru_cache, partial
from itertools import takewhile

from optimizer.ir.dialects.pypy_pairs import Kind, LogPair
from optimizer.ir.immutable import replace
from validator.pypy.facts import TRUSTED, Facts, Labels, asked_each_time, facts_of
from validator.pypy.field_types import with_numbers, with_types
from validator.pypy.forwarded import FORWARDED, forwarded
from validator.pypy.inferred.classes import with_classes
from validator.pypy.inferred.constants.alike import alike, of_one_array
from validator.pypy.inferred.constants.contents import characters, known_constants, with_held
from validator.pypy.inferred.constants.folded import with_folded
from validator.pypy.inferred.constants.indices import with_indices
from validator.pypy.inferred.constants.lengths import with_lengths
from validator.pypy.inferred.constants.places import AT_ONE_PLACE, at_one_place
from validator.pypy.inferred.constants.storages import OF_ONE_STEP, of_one_step
from validator.pypy.inferred.constants.strategies import with_strategies
from validator.pypy.inferred.constants.zeros import with_zeros
from validator.pypy.inferred.effects import Effect
from validator.pypy.inferred.executed import with_calls_of_constants, with_constants
from validator.pypy.inferred.given import with_given
from validator.pypy.inferred.grants import with_guards_that_hold, with_narrow_numbers
from validator.pypy.inferred.sameness import FOUND_LATER, Node, Sameness
from validator.pypy.inferred.watched import with_watched
from validator.pypy.inferred.witnesses import SEEN_ELSEWHERE
from validator.pypy.printed.calls.copies import COPIED
from validator.pypy.printed.calls.item_by_item import COPIES
from validator.pypy.printed.calls.lookups import with_lookups
from validator.pypy.printed.float_bytes import with_float_bytes
from validator.pypy.printed.frames import check_frames
from validator.pypy.printed.kinds.lists import named_kinds, with_lists
from validator.pypy.printed.kinds.tables import with_tables
from validator.pypy.printed.kinds.variables import named, with_kinds, with_variables
from validator.pypy.printed.lines import Line, is_pointer, read_printed
from validator.pypy.printed.parents import Parents, Place, correspond, path_to
from validator.pypy.printed.patterns import with_pattern
from validator.pypy.printed.rows import Rows, by_preamble, rows_of, with_target
from validator.pypy.printed.signals import with_ticks
from validator.pypy.printed.straight import UNUSED, NotStraight, Sides, sides_of
from validator.pypy.printed.thread import with_readings
from validator.pypy.study import Knowledge
from validator.pypy.translate import Translated, translate

_BYTECODE = re.compile(r";.*:[0-9]+-[0-9]+~#[0-9]+ [A-Z_]+'?$")
"""The end of a position in a function of Python, as PyPy prints it (`get_printable_location` in interp_jit.py)."""


def translated(
    pair: LogPair,
    file: str,
    knowledge: Knowledge,
    *,
    strict: Translated | None = None,
    is_by_preamble: bool = False,
    is_typed: bool = False,
) -> Translated:
    """The pair in the trace language, with its assumptions. Behind the `strict` translation comes a generous one, which
    grants the optimizer all that it may have known, and the log does not say. `is_by_preamble`: that of a bridge with
    the preamble of the loop that it jumps to, in the place of what was recorded; `is_typed`: it says of which types the
    fields are that it asks for there. Raises NotStraight and InputError."""
    generous = strict is not None
    sides, facts, stated = _stated(pair, file, knowledge, generous, is_by_preamble)
    sides, types = with_types(sides, knowledge.inferred.types) if is_typed else (sides, ())
    if strict is not None:
        sides = with_narrow_numbers(with_guards_that_hold(sides, strict.origins, pair.kind))
    text = _text(pair, sides, knowledge, generous)
    text, numbers = with_numbers(sides, text, knowledge.inferred.arrays) if is_typed else (text, ())
    rests_on = {parent.number for parent in pair.parents if facts.lines}
    of_labels = knowledge.targets.comers.behind(rests_on) if TRUSTED in facts.assumes else set[int]()
    rests_on |= {number for number in knowledge.targets.bridges_to(rests_on) | of_labels if number < pair.number}
    if pair.target is not None:
        rests_on.add(pair.target.number)
    assumes = sorted({*text.assumes, *facts.assumes, *stated, *types, *numbers})
    told = (f"{what}{SEEN_ELSEWHERE}" if what in knowledge.elsewhere else what for what in assumes)
    guards = (line for line in sides.after.lines if line.is_guard)
    resumed = (named(knowledge.parents.resumed(pair.number, guard)) for guard in guards)
    return replace(
        text,
        assumes=tuple(told),
        rests_on=tuple(sorted(rests_on)),
        is_bridge=pair.kind is not Kind.LOOP and not text.is_loop,
        by_preamble=is_by_preamble,
        resumed=tuple(named_kinds(memories, sides.lines) for memories in resumed),
    )


@lru_cache(maxsize=2)  # a bridge to an inner label is translated up to three times, each with types or without
def _stated(
    pair: LogPair, file: str, knowledge: Knowledge, generous: bool, is_by_preamble: bool
) -> tuple[Sides, Facts, tuple[str, ...]]:
    """The pair in which the recorded trace says what is known and inferred, the facts of its parents, and what is
    assumed. Raises NotStraight and InputError."""
    whole, sides, facts, of_values = _with_facts(pair, file, knowledge, generous)
    sides = by_preamble(sides) if is_by_preamble else sides
    sides, lookups = with_lookups(sides, knowledge.leaves)
    sides, given = with_given(sides, knowledge.effects, knowledge.leaves)
    known = knowledge.leaves, knowledge.fields.never_changes
    numbered = sides
    sides, watched = with_watched(sides, whole, *known)
    sides = with_calls_of_constants(with_constants(sides, *known))
    sides, apart = with_classes(sides, numbered, knowledge.inferred.apart)
    sides, strategies = with_strategies(sides, knowledge.inferred.strategies)
    sides, zeros = with_zeros(sides, knowledge.inferred.zeros)
    sides, lengths = with_lengths(sides, knowledge.inferred.lengths)
    sides, indices = with_indices(sides, knowledge.inferred.cells)
    inferred = *apart, *strategies, *zeros, *lengths, *indices
    return sides, facts, (*of_values, *lookups, *given, *watched, *inferred)


@lru_cache(maxsize=1)  # a bridge to an inner label is translated up to three times
def _with_facts(
    pair: LogPair, file: str, knowledge: Knowledge, generous: bool
) -> tuple[Sides, Sides, Facts, tuple[str, ...]]:
    """The pair as the log has it, and with what its parents say in front, with the assumptions. Raises NotStraight and
    InputError."""
    whole = _whole(pair, file)
    orders = knowledge.of_python if pair.kind is not Kind.BRIDGE and _is_python(pair, file) else knowledge.prologues
    if whole.prologue not in (orders or knowledge.prologues):
        raise NotStraight(
            "what is loaded in front is in another order, or of another input, than in front of most traces of the log"
        )
    check_frames(whole, {field for order in knowledge.prologues for field in order[1:]})
    sides = whole.without_unused()
    unused = () if sides == whole else (UNUSED,)
    sides, of_floats = with_float_bytes(sides)
    sides, of_signals = with_ticks(sides)
    facts = Facts()
    path = path_to(pair, file)
    path = path if path is not None and correspond(path.handed, sides.before.inputs) else None
    if path is not None:
        comers = knowledge.targets.comers
        asked, relied = asked_each_time(pair, file, knowledge.leaves), set[str]()

        def leaves(function: str, memory: str) -> bool:
            effect = Effect(function, "writes", memory)
            relied.update({str(effect)} if effect in knowledge.effects else ())
            return knowledge.leaves(function, memory)

        def changes(label: Line, place: Place, value: str) -> bool:
            is_fixed = knowledge.fields.never_changes(place[0])
            is_asked = (label.descr, place, value) in asked
            return not is_asked and comers.may_change(label, place, value, leaves, is_fixed=is_fixed)

        labels = Labels(comers.are_there, changes, comers.has_found, knowledge.inferred.forwards)
        facts = facts_of(path, sides, knowledge.effects, knowledge.fields, labels, generous=generous)
        facts = replace(facts, assumes=(*facts.assumes, *sorted(relied))) if facts.lines else facts
        sides = replace(sides, before=sides.before.with_lines(facts.in_front(sides.before.lines)))
    behind = path and path.behind_labels(knowledge.targets.comers.are_there)
    sides, tables = with_tables(sides, behind)
    sides, lists = with_lists(sides, whole)
    sides, pattern = with_pattern(sides)
    sides, variables = (sides, ()) if knowledge.fields.share else with_variables(sides, behind)
    copied = (COPIED,) if any(_copies(one, file) for one in (pair, pair.target) if one is not None) else ()
    return whole, sides, facts, (*unused, *copied, *of_floats, *of_signals, *tables, *lists, *pattern, *variables)


def _copies(pair: LogPair, file: str) -> bool:
    """Does the recorded trace call a function that copies items, be it that each is a load and a store here?"""
    called = (line for line in read_printed(pair.recorded, file).lines if COPIES.fullmatch(line.function))
    return any(line.args[-1] != "0" for line in called)


@lru_cache(maxsize=2)  # types may say nothing of it
def _text(pair: LogPair, sides: Sides, knowledge: Knowledge, generous: bool) -> Translated:
    """The pair in the trace language, where the recorded trace says what is known."""
    rows, inferred = rows_of(sides), knowledge.inferred
    denied = _bridged(pair, sides, knowledge.parents) if inferred.forwards else None
    classes = partial(Sameness, preserved=knowledge.leaves, denied=denied)
    sameness = classes(rows)
    made_one = _made_one(rows, sameness, inferred.lone)
    tables = alike(sides, inferred.alike)
    steps, places = of_one_step(sides), at_one_place(pair, sides, sameness) if inferred.forwards else []
    same = [(one, other) for one, *others in tables.values() for other in others] + steps + places
    if made_one or same:
        sameness = classes(rows, lone=inferred.lone, made_one=same)
    sameness, more = _with_forwarded(rows, sameness, same, knowledge, classes)
    same += more
    stated, folded = with_folded(sides, rows, sameness, inferred.folded)
    known = known_constants(rows, sameness, inferred.contents)
    if known or folded:
        sides = with_held(stated, sameness, known, knowledge.fields)
        compared = characters(rows, sameness, known)
        rows = rows_of(sides)
        sameness = classes(rows, lone=inferred.lone, made_one=same, characters=compared)
    sides, of_lists = with_kinds(sides, inferred.lists)
    text = translate(
        sides,
        rows_of(sides),
        sameness,
        inferred.effects,
        knowledge.fields,
        contents=inferred.contents,
        by_fields=inferred.forwards,
        generous=generous,
    )
    used = {OF_ONE_STEP: steps, AT_ONE_PLACE: places, FORWARDED: more, FOUND_LATER: sameness.goes_by_later}
    of_one = (*map(of_one_array, tables), *filter(used.get, used))
    assumes = (*text.assumes, *map(_one_object, made_one), *of_one, *folded, *of_lists)
    return replace(text, assumes=assumes)


def _bridged(pair: LogPair, sides: Sides, parents: Parents) -> Set[int | None]:
    """The positions of guards for constants, in the preamble of a loop, or of that to which a bridge goes, from which
    bridges start: other values come there."""
    loop, number = (sides.target, pair.target.number) if sides.target and pair.target else (sides, pair.number)
    ahead = takewhile(lambda line: line.name != "label", loop.after.lines)
    guards = (line for line in ahead if line.name == "guard_value")
    return {guard.passed for guard in guards if parents.resumed(number, guard) is not None}


def _with_forwarded(
    rows: Rows,
    sameness: Sameness,
    same: list[tuple[str, str]],
    knowledge: Knowledge,
    classes: Callable[..., Sameness],
) -> tuple[Sameness, list[tuple[str, str]]]:
    """The classes with constants that are one as values are forwarded, each of which tells where others stand; and
    these constants."""
    leaves, inferred, more = knowledge.leaves, knowledge.inferred, list[tuple[str, str]]()
    found = forwarded(rows, sameness, leaves) if inferred.forwards else []
    while found:
        more += found
        sameness = classes(rows, lone=inferred.lone, made_one=[*same, *more])
        found = [one for one in forwarded(rows, sameness, leaves) if one not in more]
    return sameness, more


def _one_object(memory: str) -> str:
    return f"constants that have {memory} are one object"


def _made_one(rows: Rows, sameness: Sameness, lone: Set[str]) -> list[str]:
    """The `lone` fields of which nothing else tells that the constants that have them are one object."""
    holders: dict[str, set[Node]] = {}
    for trace, found in rows.accesses():
        if found.memory in lone and is_pointer(found.place[0]):
            holders.setdefault(found.memory, set()).add(sameness.of(trace, found.place[0]))
    return sorted(memory for memory, nodes in holders.items() if len(nodes) > 1)


def _is_python(pair: LogPair, file: str) -> bool:
    """Does the trace begin with a bytecode of Python, as its heading says, or what was recorded outside of any call? In
    a loop of RPython's own, as that of `min`, it may begin in one that this calls."""
    points = (line.args[-1] for line in read_printed(pair.recorded, file).lines if line.name == "debug_merge_point")
    first = next(points, "")
    return any(map(_BYTECODE.search, (pair.point, first if first.startswith("0, 0, ") else "")))


@lru_cache(maxsize=1)  # a pair is translated up to three times
def _whole(pair: LogPair, file: str) -> Sides:
    """The pair with the loop that it jumps to, if that is a peeled one."""
    sides = sides_of(pair, file)
    if pair.is_target_lost:
        raise NotStraight("a jump to an inner label that is not known, or to that of another loop")
    if pair.target is not None:
        sides = with_readings(with_target(sides, sides_of(pair.target, file), pair.target.number))
    return sides
