"""The proofs that a peeled loop is right: pairs of straight traces, made of its parts.

R is the recorded loop, P the preamble, B the body. `docs/loops.md` says why these are enough for any number of
iterations. Of a bridge, the recorded one stands in the place of the first R, the optimized one in that of the first P,
and there is an entry only where guards may fail early, behind the proof of the body.

| proof | the recorded side | the optimized side | compared |
|---|---|---|---|
| entry | R | P | guards and events |
| again | R, R | R, P | P is defined; where R may hand on what it has not written |
| body | R, R | P, B | guards and events |
| step | R, P | P, B | events, and what the label is handed |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.loops import Part, in_a_row, marked, named_anew
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import EVENT, FLOAT, INT, REF
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var, exit_of
from optimizer.ir.types.declared import Declarations
from optimizer.ir.types.trace_layout import layout_of
from validator.loops.shape import (
    Loop,
    check_reads,
    check_stores,
    is_declared,
    makes_strings,
    may_leave_exception,
    promising_nothing,
)
from validator.loops.written import check_written, cleared, keeps_unwritten, may_hand_on_unwritten
from validator.prove.memory.shared_strings import sharing
from validator.verdict import Failargs, Guards, Options

NEVER = Operation(OPS["record_exact_value_i"], (ConstInt(0), ConstInt(1)))
"""An operation that is not defined."""

_ASKS_CLASS = OPS["guard_class"]

ENTRY, BODY, STEP, AGAIN = "entry", "body", "step", "again"


@immutable
class Proof:
    """A pair of straight traces that must be proved, by these options."""

    name: str
    before: Trace
    after: Trace
    options: Options


def proofs(loop: Loop, options: Options) -> Iterator[Proof]:
    """The proofs for a loop up to that of the body, those that take less time first. The others are `proofs_behind`.

    In a bridge the guards of the body, and those that stand for guards of the recorded loop, may fail anywhere: what
    they may fail for says the proof of the loop, and in which cases the bridge may go on at the label is its own
    affair."""
    recorded, preamble, start = loop.recorded, loop.peeled.preamble, loop.first[0]
    if options.by_preamble and loop.is_bridge:  # a preamble promises nothing, and may have dropped what asks for errors
        if may_leave_exception(start, loop.layout):
            raise Unsupported("a bridge that may end with an exception pending, to a preamble", file="before")
        for call in [one for one in recorded.ops if one.op.is_call and not is_declared(one, loop.layout)]:
            raise Unsupported("a call that is not declared, of a preamble", call.line)
        loop = replace(loop, recorded=promising_nothing(recorded))
    if not loop.is_bridge:
        yield _proof(loop, ENTRY, [recorded], [preamble], options)
    for part in (start, recorded, preamble):
        check_stores(part, loop.layout)
    check_reads(recorded, preamble, loop.layout)
    check_written(loop)
    if may_hand_on_unwritten(loop):
        if options.by_preamble:
            raise Unsupported("a preamble, in the place of the recorded loop, that may read what is not written")
        one, again, virtual = _unnamed(start), _unnamed(recorded), _unnamed(preamble)
        yield _proof(loop, AGAIN, [one, again], [one, virtual], _loosely(options))
    at_body = replace(options, guards=Guards.SAFE) if _is_early_bridge(loop, options) else options
    yield _proof(loop, BODY, recorded_iterations(loop, 2), peeled_iterations(loop, 2), at_body)


def proofs_behind(loop: Loop, options: Options, origins: Sequence[int | None]) -> Iterator[Proof]:
    """The proofs behind that of the body, where guards have these origins."""
    start, other_start = loop.first
    recorded, optimized = len(start.guards), len(other_start.guards)
    if _is_early_bridge(loop, options):
        own = [k is None or k < recorded for k in origins[:optimized]]  # the others, and what they need, are the body's
        yield _proof(loop, ENTRY, [_unnamed(start)], [_named(other_start, origins).with_guards(own).needed()], options)
    places: dict[int | None, int] = {}
    if not loop.is_bridge:  # there is a guard of the preamble in the place of the recorded one that it stands for
        places = {k: recorded + j for j, k in reversed(list(enumerate(origins[:optimized])))}
    in_body = [places.get(None if k is None else k - recorded) for k in origins[optimized:]]
    step = _step(loop, options, origins, in_body, loop.peeled.preamble)
    shared = makes_strings(loop.peeled.preamble, loop.layout) and sharing(
        step.before, step.after, layout_of(step.before, step.after)
    )
    if shared and shared != step.before:
        raise Unsupported("a string of the preamble that may be another object than the one that the body takes it for")
    yield step


def freer_steps(loop: Loop, options: Options, origins: Sequence[int | None]) -> Iterator[Proof]:
    """The step, where guards of the body may be in another order than those of the preamble: both may leave anywhere
    between two events. So each stands for the first one of the preamble behind as many events.

    And where they may be behind other events: where the body comes to the label, the recorded loop goes round, and so
    does the preamble, if its guards fail only where the recorded loop leaves, which `entry` says, and of the loop of a
    bridge nobody does. So what these ask may be taken for granted."""
    preamble = loop.peeled.preamble
    yield _freer_step(loop, options, origins, preamble)
    if not loop.is_bridge and options.guards is not Guards.SAFE:
        yield _freer_step(loop, options, origins, replace(preamble, ops=tuple([_stated(one) for one in preamble.ops])))


def _freer_step(loop: Loop, options: Options, origins: Sequence[int | None], preamble: Part) -> Proof:
    first: dict[int, int] = {}
    for j, events in enumerate(_events_ahead(preamble), start=len(loop.first[0].guards)):
        first.setdefault(events, j)
    return _step(loop, options, origins, [first.get(events) for events in _events_ahead(loop.peeled.body)], preamble)


def _stated(guard: Operation) -> Operation:
    """The fact that the guard passes; the guard itself where there is no operation for that."""
    name, args = guard.op.name, guard.args
    match name:
        case "guard_true" | "guard_false":
            name, args = "record_exact_value_i", (*args, ConstInt(int(name == "guard_true")))
        case "guard_value" if args[0].type is not FLOAT:
            name = f"record_exact_value_{'r' if args[0].type is REF else 'i'}"
        case "guard_class" | "guard_nonnull_class":
            name = "record_exact_class"
        case "guard_nonnull":
            name = "assert_not_none"
        case _:
            return guard
    return replace(guard, op=OPS[name], args=args, exit=None)


def _events_ahead(part: Part) -> list[int]:
    """Of each guard, how many events stand in front of it."""
    counts = accumulate((one.op.kind is EVENT for one in part.ops), initial=0)
    return [count for one, count in zip(part.ops, counts, strict=False) if one.op.is_guard]


def _step(
    loop: Loop, options: Options, origins: Sequence[int | None], in_body: Sequence[int | None], preamble: Part
) -> Proof:
    """The step, in which the guards of the body stand for these of the recorded side, with that preamble there."""
    start, other_start = loop.first
    named = [k if k is None or k < len(start.guards) else None for k in origins[: len(other_start.guards)]]
    preamble = named_anew(_unnamed(preamble))  # names of both sides are taken for those of one object
    before = [_unnamed(start), promising_nothing(preamble)]
    after = [_named(other_start, named), _leaving(_named(loop.peeled.body, in_body))]
    step = _proof(loop, STEP, before, after, _loosely(options), shows=True)
    if not keeps_unwritten(loop):
        return step
    return replace(step, before=cleared(step.before), after=cleared(step.after))


def _is_early_bridge(loop: Loop, options: Options) -> bool:
    return loop.is_bridge and options.guards is Guards.EARLY


def _loosely(options: Options) -> Options:
    return replace(options, guards=Guards.SAFE, failargs=Failargs.IGNORE)


def _proof(
    loop: Loop, name: str, before: list[Part], after: list[Part], options: Options, *, shows: bool = False
) -> Proof:
    head = _head(loop)
    rows = [in_a_row([*head, *parts]) for parts in (before, after)]
    one, other = [_trace(loop, row, loop.lasting, row.handed_on if shows else ()) for row in rows]
    return Proof(name, one, other, options)


def unrolled(loop: Loop, iterations: int) -> tuple[Trace, Trace]:
    """So many iterations of both loops, and one more, each with a mark in front.

    The recorded one is defined only where it leaves before that last one, or does not return from an event: so that a
    run of it is one of the whole loop, and the other loop has an iteration more to leave as well.
    """
    recorded, peeled = recorded_iterations(loop, iterations + 1), peeled_iterations(loop, iterations + 1)
    recorded[-1] = replace(recorded[-1], ops=(NEVER, *recorded[-1].ops))
    one, other = [
        in_a_row([marked(part, f"iteration {number}") for number, part in enumerate(parts, start=1)])
        for parts in (recorded, peeled)
    ]
    declared = loop.declared if loop.declared.hands_on_unwritten else replace(loop.declared, cleared=True)
    return _trace(loop, one, declared), _trace(loop, other, declared)


def _trace(loop: Loop, part: Part, declarations: Declarations, shown: tuple[Value, ...] = ()) -> Trace:
    """The trace of a part, at whose end these values and all memory are compared."""
    return Trace(part.inputs, (*part.ops, Operation(OPS["finish"], shown)), loop.word, declarations)


def recorded_iterations(loop: Loop, count: int) -> list[Part]:
    """The first part of the recorded side, and the loop behind it. Where one of them names origins itself, all do, and
    those of each iteration are others."""
    start, recorded = loop.first[0], loop.recorded
    if all(exit_of(guard).origin is None for guard in [*start.guards, *recorded.guards]):
        return [start, *[recorded] * (count - 1)]
    return [_numbered(start, 0), *[_numbered(recorded, first_origin(loop, number)) for number in range(1, count)]]


def peeled_iterations(loop: Loop, count: int) -> list[Part]:
    """The first part of the optimized side, and the body behind it; the origins that it names are those of its own
    iteration."""
    return [loop.first[1], *[_shifted(loop.peeled.body, first_origin(loop, number)) for number in range(1, count)]]


def first_origin(loop: Loop, number: int) -> int:
    """The origin that stands for 0 in the iteration of that number, the first part being 0."""
    return _origins(loop.first[0]) + (number - 1) * _origins(loop.recorded)


def _origins(part: Part) -> int:
    """The number of origins that guards of the part may name: one more than the largest one."""
    origins = [exit_of(guard).origin for guard in part.guards]
    return 1 + max([k if origin is None else origin for k, origin in enumerate(origins)], default=-1)


def _numbered(part: Part, add: int) -> Part:
    return part.with_origins(lambda k, origin: add + (k if origin is None else origin))


def _shifted(part: Part, add: int) -> Part:
    return part.with_origins(lambda _, origin: None if origin is None else add + origin)


def _named(part: Part, origins: Sequence[int | None]) -> Part:
    return part.with_origins(lambda k, _: origins[k])


def _unnamed(part: Part) -> Part:
    return part.with_origins(lambda _, __: None)


def _leaving(body: Part) -> Part:
    """The body, whose tests of classes fail where they are not defined. They are, as its own proof has shown of what
    the recorded loop goes on with; the preamble, which stands in its place in a step, may test for NULL beside. It does
    not say either what the runtime watches."""
    asks, body = OPS["guard_nonnull_class"], promising_nothing(body)
    return replace(body, ops=tuple([replace(one, op=asks) if one.op is _ASKS_CLASS else one for one in body.ops]))


def _head(loop: Loop) -> list[Part]:
    """The part in front of a proof: where an iteration may leave an exception pending, the next one may begin with
    any."""
    if loop.is_bridge or not may_leave_exception(loop.recorded, loop.layout):
        return []
    inputs = loop.recorded.inputs
    asks = Operation(OPS["save_exc_class"], (), Var("pending", INT))
    return [Part(inputs, (asks,), inputs)]
