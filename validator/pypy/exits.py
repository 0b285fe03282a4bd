"""Proofs of a pair of a log, as far as a log tells of side exits.

What guards hand over is not in a log. But where a guard fails, memory has to be as it was where the recorded guard
fails: PyPy puts off a store over a guard only where it stores an object that it has not made yet; resume data makes the
object, and does the store. So memory is compared at side exits, too. Where all that differs is a field that holds
references, which the recorded trace has stored such an object into, the proof stands and says that resume data stores
it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from optimizer.ir.immutable import replace
from optimizer.ir.rows.row import EVENT, NEW, STORE
from optimizer.ir.trace import Operation, Trace, Value, Var, exit_of
from validator.verdict import Failargs, Options, Proved, Refuted, Status, Unknown, Verdict

Loop = tuple[Trace, Trace] | None
Prove = Callable[[Trace, Trace, Options, Loop], Verdict]
"""The way to judge traces, of bridges to an inner label with the loop that they jump to, as recorded and peeled."""

_Place = tuple[object, ...]
"""A place of memory: its descr, the object, and the index, if there is one."""

_IS_MADE = re.compile(r", not new[0-9]+\b")
_AT_EXIT = re.compile(r"guard [0-9]+: heap")
_PUT_OFF = re.compile(r"guard [0-9]+: heap (?P<memory><(?:FieldP|ArrayP|InteriorFieldDescr <FieldP)[^\[]*>)")


def prove_with_exits(
    before: Trace, after: Trace, loop: Loop, options: Options, prove: Prove
) -> tuple[Verdict, Trace, Options]:
    """The verdict, and what it is about: the optimized trace, in which guards tell their origins if they were found,
    and the options."""
    loose, strict = (replace(options, failargs=mode) for mode in (Failargs.IGNORE, Failargs.CHECK))
    at_exits = prove(before, after, strict, loop) if _tells_origins(after) else None
    if at_exits is not None and not _is_at_exits(at_exits):
        return at_exits, after, strict if isinstance(at_exits, Proved) else loose
    verdict = prove(before, after, loose, loop)
    if not isinstance(verdict, Proved):
        return verdict, after, loose
    told = with_origins(after, verdict.evidence.origins)
    if at_exits is None or told != after:
        at_exits = prove(before, told, strict, loop)
    if isinstance(at_exits, Proved):
        return at_exits, told, strict
    if memories := _put_off(before, told, loop, strict, at_exits, prove):
        rest = loop and (_without_made(loop[0], memories), _without_made(loop[1], memories))
        if not isinstance(prove(_without_made(before, memories), _without_made(told, memories), strict, rest), Proved):
            reason = f"{', '.join(memories)} differs at side exits, and not by objects that the trace makes alone"
            return Unknown(verdict.evidence, reason), told, strict
        if _is_early(before, told, memories):
            reason = f"{', '.join(memories)} differs at side exits, and may be stored to ahead of the recorded trace"
            return Unknown(verdict.evidence, reason), told, strict
        if _is_late(before, told, memories):
            reason = f"{', '.join(memories)} differs at side exits, and may have been stored to by the recorded trace"
            return Unknown(verdict.evidence, reason), told, strict
        assumed = tuple(f"resume data stores {memory} at side exits" for memory in memories)
        assumed = (*verdict.evidence.assumes, *assumed)
        return replace(verdict, evidence=replace(verdict.evidence, assumes=assumed)), told, loose
    if isinstance(at_exits, Unknown) or told == after:
        return at_exits, told, strict
    return prove(before, after, strict, loop), after, strict


def _tells_origins(trace: Trace) -> bool:
    """Do all guards tell their origins? Otherwise they are found sooner where memory at side exits does not matter."""
    return all(exit_of(guard).origin is not None for guard in trace.guards)


def _is_at_exits(verdict: Verdict) -> bool:
    """May memory at side exits be all that differs, or was not settled?"""
    match verdict:
        case Refuted(_, found):
            return _AT_EXIT.search(found.obligation) is not None
        case Unknown(evidence):
            left = [one.name for one in evidence.obligations if one.status is Status.UNKNOWN]
            return evidence.is_repeatable and all(map(_AT_EXIT.search, left))
    return False


def _put_off(before: Trace, after: Trace, loop: Loop, options: Options, verdict: Verdict, prove: Prove) -> list[str]:
    """The fields of references that alone are not as recorded at side exits; none where more differs, as far as it
    shows without these fields."""
    memories: list[str] = []
    while (memory := _put_off_memory(verdict)) is not None and memory not in memories:
        memories.append(memory)
        rest = loop and (_without(loop[0], memories), _without(loop[1], memories))
        verdict = prove(_without(before, memories), _without(after, memories), options, rest)
    return memories if isinstance(verdict, Proved) else []


def _without(trace: Trace, memories: Sequence[str]) -> Trace:
    """The trace without its stores to these."""
    return trace.of(op for op in trace.ops if op.result is not None or op.descr not in memories)


def _without_made(trace: Trace, memories: Sequence[str]) -> Trace:
    """The trace without the stores to these of what it has made: of others, resume data does none and undoes none. One
    of an object that is given away already is left: such an object is made."""
    given_at = _given_at(trace, memories)
    made: set[Value] = set()
    places: set[_Place] = set()
    kept: list[Operation] = []
    for at, op in enumerate(trace.ops):
        place = (op.descr, *(op.args if op.result else op.args[:-1]))
        if op.result is not None and (op.op.kind is NEW or place in places):
            made.add(op.result)
        if op.result is None and op.descr in memories and op.args[-1] in made and given_at.get(op.args[-1], at) >= at:
            places.add(place)
        else:
            kept.append(op)
    return trace.of(kept)


def _given_at(trace: Trace, memories: Sequence[str]) -> dict[Value, int]:
    """The places where new objects are given away otherwise than by stores to these: so they are made there, and what
    they hold."""
    given: dict[Value, int] = {}
    held: dict[Value, list[Value]] = {op.result: [] for op in trace.ops if op.op.kind is NEW and op.result is not None}

    def give(value: Value, at: int) -> None:
        if value in held and value not in given:
            given[value] = at
            for content in held[value]:
                give(content, at)

    for at, op in enumerate(trace.ops):
        if op.op.kind is EVENT:
            for arg in op.args:
                give(arg, at)
        elif op.op.kind is STORE and op.args[0] in held and op.args[0] not in given:
            held[op.args[0]].append(op.args[-1])
        elif op.op.kind is STORE and (op.args[0] in held or op.descr not in memories):
            give(op.args[-1], at)
    return given


def _is_early(before: Trace, after: Trace, memories: Sequence[str]) -> bool:
    """May the optimized trace store a new object to one of these ahead of a guard that the recorded trace comes to
    without having done so? Resume data takes no store back. Where both store objects of the same allocations to a
    place, in the same order, they are to have done as many of these stores."""
    same, guards = _same_values(after, before), _guard_places(before)
    recorded, optimized = _stores(before, None, memories), _stores(after, same, memories)
    made = {op.result for op in after.ops if op.op.kind is NEW}
    stored: list[_Place] = []
    done: Counter[_Place] = Counter()
    hidden: dict[Value, list[_Place]] = {value: [] for value in made if value is not None}
    for op in after.ops:
        if op.op.kind in (STORE, EVENT):
            for arg in op.args[op.op.kind is STORE :]:
                stored += hidden.pop(arg, [])
        if op.result is None and op.descr in memories:
            place = _place(op.descr, op.args[:-1], same)
            done[place] += 1
            if op.args[-1] in made:
                hidden.get(op.args[0], stored).append(place)
        if op.exit is None or not stored:
            continue
        origin = op.exit.origin
        if origin is None or origin >= len(guards):
            return True
        for wanted in stored:
            numbers = [number for number, _ in recorded.get(wanted, ())]
            passed = sum(number < guards[origin] for number in numbers)
            kinds = [kind for _, kind in optimized[wanted]]
            number = done[wanted]
            is_alike = kinds[number - 1] is not None and kinds == [kind for _, kind in recorded.get(wanted, ())]
            if None in wanted or not passed or passed < (number if is_alike else len(numbers)):
                return True
            if is_alike and passed > number:
                return True
    return False


def _stores(
    trace: Trace, same: Mapping[Value, Value] | None, memories: Sequence[str]
) -> dict[_Place, list[tuple[int, object]]]:
    """The stores of a trace to each place, with what tells the allocation of what they store, if one such does."""
    kinds: dict[Value | None, object] = {op.result: (op.op.name, op.descr) for op in trace.ops if op.op.kind is NEW}
    often = Counter(kinds.values())
    stores: dict[_Place, list[tuple[int, object]]] = {}
    for number, op in enumerate(trace.ops):
        if op.result is None and op.descr in memories:
            kind = kinds.get(op.args[-1])
            place = (op.descr, *op.args[:-1]) if same is None else _place(op.descr, op.args[:-1], same)
            stores.setdefault(place, []).append((number, kind if kind and often[kind] == 1 else None))
    return stores


def _same_values(one: Trace, other: Trace) -> dict[Value, Value]:
    """The values of a trace that are some of the other one: inputs, and what the same functions give."""
    same: dict[Value, Value] = dict(zip(one.inputs, other.inputs, strict=True))
    functions = {call.name for call in one.declarations.calls if call.elidable}
    given: dict[_Place, Var] = {
        (op.descr, *op.args): op.result for op in other.ops if op.descr in functions and op.result is not None
    }
    for op in one.ops:
        if op.result is not None and (result := given.get(_place(op.descr, op.args, same))) is not None:
            same[op.result] = result
    return same


def _place(descr: str | None, args: Sequence[Value], same: Mapping[Value, Value]) -> _Place:
    """These arguments in the names of the other trace; None for what is not known to be there."""
    return (descr, *(same.get(arg) if isinstance(arg, Var) else arg for arg in args))


def _is_late(before: Trace, after: Trace, memories: Sequence[str]) -> bool:
    """May the optimized trace come to a guard without having stored what the recorded one has, though the object is
    made? Resume data stores what it makes itself."""
    same = _same_values(before, after)
    guards, given_at = _guard_places(before), _given_at(before, memories)
    made = {op.result for op in before.ops if op.op.kind is NEW}
    wanted = [
        (max(number, given_at[op.args[-1]]), _place(op.descr, op.args[:-1], same))
        for number, op in enumerate(before.ops)
        if op.op.kind is STORE and op.descr in memories and op.args[-1] in given_at and op.args[0] not in made
    ]
    stored: set[_Place] = set()
    new: set[Value] = set()
    crossed: set[Value] = set()
    for op in after.ops:
        if op.op.name == "label":  # the recorded loop begins anew
            stored, new, crossed = set(), set(), set()
        is_store = op.op.kind is STORE
        if is_store and op.descr in memories and op.args[-1] in crossed:
            return True
        if is_store or op.op.kind is EVENT:
            new.difference_update(op.args[is_store:])
            crossed.difference_update(op.args[is_store:])
            stored |= {(op.descr, *op.args[:-1])} if is_store else set()
        elif op.op.kind is NEW and op.result is not None:
            new.add(op.result)
        elif op.exit is not None:
            crossed |= new
            origin = op.exit.origin
            at = len(before.ops) if origin is None or origin >= len(guards) else guards[origin]
            if any(number < at and place not in stored for number, place in wanted):
                return True
    return False


def _guard_places(trace: Trace) -> list[int]:
    """The places of the guards among the operations."""
    return [number for number, op in enumerate(trace.ops) if op.exit is not None]


def with_origins(trace: Trace, origins: Sequence[int | None]) -> Trace:
    """The trace whose guards tell these origins. One of the iteration before has no name in a trace."""
    left = iter([None if origin is None or origin < 0 else origin for origin in origins])
    return replace(
        trace,
        ops=tuple(
            op if op.exit is None else replace(op, exit=replace(op.exit, origin=next(left, None))) for op in trace.ops
        ),
    )


def _put_off_memory(verdict: Verdict) -> str | None:
    """The field of references that differs at a side exit, where the recorded trace has put an object into it that it
    has made itself, or of which it is not settled whether it does."""
    match verdict:
        case Refuted(_, found) if _IS_MADE.search(found.difference):
            names = [found.obligation]
        case Unknown(evidence):
            names = [one.name for one in evidence.obligations if one.status is Status.UNKNOWN]
        case _:
            return None
    return next((put_off["memory"] for name in names if (put_off := _PUT_OFF.match(name))), None)
