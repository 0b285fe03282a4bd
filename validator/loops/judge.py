"""Judges a peeled loop: by its proofs, or by runs of so many iterations that show a difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from optimizer.ir.immutable import replace
from optimizer.ir.loops import Part
from optimizer.ir.rows.row import FACT
from optimizer.ir.run.objects import NULL
from optimizer.ir.trace import Exit, Trace, Var, exit_of
from validator.loops.proofs import (
    AGAIN,
    BODY,
    ENTRY,
    NEVER,
    STEP,
    Proof,
    first_origin,
    freer_steps,
    proofs,
    proofs_behind,
    unrolled,
)
from validator.loops.shape import Loop
from validator.loops.written import UNREAD, looks_away, takes_for_written
from validator.prove.judge import OUT_OF_TIME, validate
from validator.prove.notes import BLIND, RESUME_DATA, UNLISTED
from validator.search.counterexample import State
from validator.solvers.portfolio import Query
from validator.verdict import (
    Audit,
    Evidence,
    Failargs,
    Failed,
    Guards,
    Options,
    Proved,
    Refuted,
    Settled,
    Unknown,
    Unsupported,
    Verdict,
)

ITERATIONS = (1, 2, 3)
"""The numbers of iterations in which a difference is looked for, where there is no proof."""


NO_RUN = "but no run of the loop was"
"""Said, with what was done for one, of a difference between parts that may be one of states which no run comes to."""

NO_PLACES = "where the guards of the body resume in the loop itself was not found"

_LOOP = "the loop that the bridge jumps to is right"


@dataclass(frozen=True, slots=True)
class Judging:
    """The way in which the straight pairs of a loop are judged, and when the time of all of them began."""

    options: Options
    examples: Sequence[State]
    clock: Callable[[], float]
    start: float
    observe: Callable[[Query], None] | None

    def verdict(self, before: Trace, after: Trace, options: Options, *, is_vacuous_told: bool = False) -> Verdict:
        """The verdict on a straight pair, in the time that is left; whether a proof is vacuous only where that is
        told."""
        left = self.start + self.options.timeout_s - self.clock()
        if left <= 0:
            return Unknown(Evidence(is_repeatable=False), OUT_OF_TIME)
        within = replace(options, timeout_s=left, certify=False)
        return validate(
            before,
            after,
            within,
            examples=self.examples,
            runs_to_end=not is_vacuous_told,
            clock=self.clock,
            observe=self.observe,
        )


def validate_loop(loop: Loop, judging: Judging) -> Verdict:
    """Is the peeled loop a correct optimization of the recorded one? Or of a bridge to it, if the loop is."""
    placed = _with_places(loop, judging)
    if not isinstance(placed, Loop):
        return placed
    verdict = _verdict(placed, judging)
    if placed is loop or not isinstance(verdict, Refuted):
        return verdict
    again = _verdict(loop, judging)  # the loop may be right with other places, too
    if isinstance(again, Refuted):
        return again
    return Unknown(
        verdict.evidence,
        f"{verdict.counterexample.obligation} differs, where the guards of the body resume as in the loop",
    )


def _verdict(loop: Loop, judging: Judging) -> Verdict:
    proved: dict[str, Evidence] = {}
    for proof in _proofs(loop, judging.options, proved):
        is_told = proof.name != AGAIN
        asks_where_guards_fail = proof.name == BODY and _asks_where_guards_fail(loop, judging.options)
        options = replace(proof.options, moved=proof.options.moved if proof.name in (ENTRY, BODY) else None)
        if asks_where_guards_fail:
            options = _asking_where(loop, options, judging.options)
        verdict = judging.verdict(proof.before, proof.after, options, is_vacuous_told=is_told)
        if proof.name == STEP and isinstance(verdict, Refuted | Unknown):
            verdict = _freer(loop, judging, proved[BODY].origins, verdict)
        if isinstance(verdict, Unsupported | Failed):
            return replace(verdict, reason=f"{proof.name}: {verdict.reason}")
        if not isinstance(verdict, Proved):
            looks = judging.options.runs and not judging.options.by_preamble
            found = _difference(loop, judging, proof) if looks else None
            return found or _unknown(proof, verdict, has_looked=looks)
        if proof.name == BODY and (why := _in_bridge(loop, verdict.evidence.origins)):
            return Unknown(verdict.evidence, f"{BODY}: {why}")
        if asks_where_guards_fail and (why := _elsewhere(loop, verdict.evidence, judging.options)):
            return Unknown(verdict.evidence, f"{BODY}: {why}")
        proved[proof.name] = verdict.evidence
    return Proved(_together(loop, proved))


def _with_places(loop: Loop, judging: Judging) -> Loop | Unknown:
    """The loop of a bridge, in which the guards of the body name those that the proof of the loop itself finds for
    them: each has one place where it resumes, whoever comes to the label. One in the iteration before, in whose place
    the bridge stands, is none. Where the preamble does not do what exits have to, it is by the guards alone."""
    body, once = loop.peeled.body, len(loop.recorded.guards)
    if not loop.is_bridge or all(exit_of(guard).origin is not None for guard in body.guards):
        return loop
    alone = replace(loop, first=(loop.recorded, loop.peeled.preamble))
    proof = next(one for one in proofs(alone, judging.options) if one.name == BODY)
    options = replace(proof.options, notes=False, moved=None)
    verdict = judging.verdict(proof.before, proof.after, options)
    if isinstance(verdict, Refuted | Unknown) and proof.options.failargs is not Failargs.IGNORE:
        verdict = judging.verdict(proof.before, proof.after, replace(options, failargs=Failargs.IGNORE))
    if not isinstance(verdict, Proved):
        evidence = verdict.evidence if isinstance(verdict, Refuted | Unknown) else Evidence()
        return Unknown(evidence, NO_PLACES)
    found = [None if k is None else k - once for k in verdict.evidence.origins[len(loop.peeled.preamble.guards) :]]
    if any(k is not None and k < 0 for k in found):
        return Unknown(verdict.evidence, "a guard of the body resumes in the iteration before")
    names = [k if (own := exit_of(guard).origin) is None else own for k, guard in enumerate(loop.recorded.guards)]
    places = [None if k is None else names[k] for k in found]
    body = body.with_origins(lambda j, own: places[j] if own is None else own)
    return replace(loop, peeled=replace(loop.peeled, body=body))


def _asking_where(loop: Loop, of_proof: Options, options: Options) -> Options:
    """The options of a proof, with which it is told of the guards that `_elsewhere` asks for where they fail."""
    of_proof = replace(of_proof, notes=True)
    if of_proof.moved is not None:
        return of_proof
    moved = len(loop.first[1].guards) if _leaves_with_the_recorded(loop, options) else None
    return replace(of_proof, moved=moved, moved_from=_behind_start(loop) if options.by_preamble else None)


def _asks_where_guards_fail(loop: Loop, options: Options) -> bool:
    """Is it no note where guards of the body fail?"""
    return options.by_preamble or _leaves_with_the_recorded(loop, options)


def _leaves_with_the_recorded(loop: Loop, options: Options) -> bool:
    """Do guards of the body behind a bridge fail only where the recorded loop leaves? Else a label that has been handed
    something else could be left at once: right where guards may fail anywhere, if all that they hand over is compared,
    since nobody would see with what otherwise."""
    guards = *loop.recorded.guards, *loop.peeled.body.guards
    is_listed = all(exit_of(guard).failargs is not None for guard in guards)
    is_compared = options.failargs is Failargs.CHECK and is_listed
    return loop.is_bridge and not (options.guards is Guards.SAFE and is_compared)


def _in_bridge(loop: Loop, origins: tuple[int | None, ...]) -> str:
    """The guard of the body that would resume in the bridge; "" if there is none. Its resume data is that of the loop,
    whose guards it stands for whoever comes to the label."""
    own, in_body = len(loop.first[0].guards), len(loop.first[1].guards)
    of_body = enumerate(origins[in_body:], start=in_body)
    guards = [j for j, origin in of_body if origin is not None and origin < own]
    return f"guard {guards[0]}, of the loop, would resume in the bridge" if guards and loop.is_bridge else ""


def _elsewhere(loop: Loop, of_body: Evidence, options: Options) -> str:
    """The guard that fails elsewhere, and where: one of the body where the recorded loop goes on, or one that stands
    for a guard of the preamble, but for a first one on constants, where that does not; "" if there is none."""
    in_body = len(loop.first[1].guards)
    is_asked = _leaves_with_the_recorded(loop, options)
    if is_asked and (guards := [j for j in of_body.stricter if j >= in_body]):
        return f"guard {guards[0]} fails where the recorded loop goes on"
    first = _behind_start(loop)
    others = ((j, of_body.origins[j]) for j in sorted((*of_body.early, *of_body.stricter)))
    guards = [j for j, origin in others if origin is not None and origin >= first]
    return f"guard {guards[0]} fails where that of the preamble does not" if guards and options.by_preamble else ""


def _behind_start(loop: Loop) -> int:
    """The number of the first recorded guard behind the one, if there is one, where the preamble has begun."""
    return len(loop.first[0].guards) + _has_place_in_front(loop.recorded)


def _has_place_in_front(preamble: Part) -> bool:
    """Does it begin with a guard that always passes, and lists nothing? There it has begun, and nothing else."""
    first = next((one for one in preamble.ops if one.op.kind is not FACT), None)
    if first is None or first.op.name != "guard_true" or isinstance(first.args[0], Var):
        return False
    return exit_of(first) == Exit()


def _freer(
    loop: Loop, judging: Judging, origins: tuple[int | None, ...], verdict: Refuted | Unknown
) -> Proved | Refuted | Unknown:
    """The verdict on the step, which is this one, or a proof of it where guards are in another order."""
    for step in freer_steps(loop, judging.options, origins):
        again = judging.verdict(step.before, step.after, step.options, is_vacuous_told=True)
        if isinstance(again, Proved):
            return again
    return verdict


def _proofs(loop: Loop, options: Options, proved: Mapping[str, Evidence]) -> Iterator[Proof]:
    yield from proofs(loop, options)
    yield from proofs_behind(loop, options, proved[BODY].origins)


def _difference(loop: Loop, judging: Judging, proof: Proof) -> Refuted | None:
    """Runs of both loops that show a difference, if there are any. The recorded one leaves on them, or does not return
    from an event."""
    options = replace(judging.options, audit=False)
    for iterations in ITERATIONS:
        before, after = unrolled(loop, iterations)
        verdict = judging.verdict(before, after, options)
        if not isinstance(verdict, Refuted):
            continue
        is_of_guards = verdict.counterexample.obligation.startswith("guard ")
        if not (is_of_guards and _are_of_others(loop, judging, before, after, options)):
            return of_loop(verdict, proof.name, iterations)
    return None


def _are_of_others(loop: Loop, judging: Judging, before: Trace, after: Trace, options: Options) -> bool:
    """May guards stand for the recorded ones that they name, but in later iterations than is taken for granted? Where
    a preamble or a body is several iterations, nobody says which."""
    named, recorded = ([exit_of(guard).origin for guard in trace.guards] for trace in (after, before))
    if {*named} == {None}:
        return False
    verdict = judging.verdict(_unnamed(before), _unnamed(after), options)
    if not isinstance(verdict, Proved):
        return not isinstance(verdict, Refuted)
    ahead = first_origin(loop, 1) if loop.is_bridge else 0  # else the first part is an iteration, too
    once = first_origin(loop, 2) - first_origin(loop, 1)
    names = [number if name is None else name for number, name in enumerate(recorded)]
    pairs = zip(named, verdict.evidence.origins, strict=True)
    found = [(k, names[own]) for k, own in pairs if k is not None and own is not None]
    return all(k == own or (ahead <= k < own and (own - k) % once == 0) for k, own in found)


def _unnamed(trace: Trace) -> Trace:
    return trace.of(
        [one if one.exit is None else replace(one, exit=replace(one.exit, origin=None)) for one in trace.ops]
    )


def of_loop(verdict: Refuted, proof: str, iterations: int) -> Refuted:
    """The verdict on a loop whose iterations, unrolled, that one is on."""
    found, *others = [
        replace(one, traces=_without_mark(one.traces), proof=proof, iterations=iterations)
        for one in (verdict.counterexample, *verdict.others)
    ]
    obligations = tuple(_named(proof, verdict.evidence.obligations))
    evidence = replace(verdict.evidence, origins=(), obligations=obligations, vacuous=())
    return Refuted(evidence, found, tuple(others))


def _without_mark(unrolled: tuple[Trace, Trace]) -> tuple[Trace, Trace]:
    before, after = unrolled
    return before.of([one for one in before.ops if one != NEVER]), after


def _unknown(proof: Proof, verdict: Refuted | Unknown, *, has_looked: bool) -> Unknown:
    obligations = tuple(_named(proof.name, verdict.evidence.obligations))
    evidence = replace(verdict.evidence, origins=(), early=(), stricter=(), obligations=obligations)
    if isinstance(verdict, Refuted):
        found = verdict.counterexample
        most = f"found that shows it and leaves, in up to {ITERATIONS[-1]} iterations"
        looked = most if has_looked else "looked for"
        starts = ", where an exception is pending at the start" if found.state.world.pending != NULL else ""
        return Unknown(evidence, f"{proof.name}: {found.obligation}: {found.difference}{starts}; {NO_RUN} {looked}")
    why = verdict.why
    if why is not None and proof.name in (STEP, AGAIN):  # a part of the optimized trace is on the recorded side
        why = replace(why, hard=tuple([replace(one, line=0) for one in why.hard]))
    return Unknown(evidence, f"{proof.name}: {verdict.reason}", why)


# The evidence of all proofs together.


def _together(loop: Loop, proved: dict[str, Evidence]) -> Evidence:
    rest = proved[BODY]
    first = len(loop.first[1].guards)
    if loop.is_bridge:  # the guards of the body are those of the loop
        entry = replace(rest, early=_of(rest.early, 0, first), stricter=_of(rest.stricter, 0, first))
        assumes: tuple[str, ...] = (_LOOP,)
        origins = rest.origins[:first]
        rest = replace(rest, early=(), stricter=())
    else:
        entry, assumes = proved[ENTRY], ()
        origins = (*entry.origins, *_origins(loop, proved))
    if takes_for_written(loop):
        assumes = (*assumes, UNREAD)
    if looks_away(loop):
        assumes = (*assumes, BLIND)
    return Evidence(
        vacuous=_vacuous(proved),
        assumes=tuple(dict.fromkeys([*assumes, *entry.assumes, *_assumed(proved.values())])),
        origins=origins,
        inferred=entry.inferred or rest.inferred,
        early=(*entry.early, *_of(rest.early, first)),
        stricter=(*entry.stricter, *_of(rest.stricter, first)),
        obligations=tuple([one for name, of in proved.items() for one in _named(name, of.obligations)]),
        audit=_audit(proved),
        is_repeatable=all(of.is_repeatable for of in proved.values()),
    )


def _of(guards: tuple[int, ...], first: int, end: int | None = None) -> tuple[int, ...]:
    """The guards from a first one on, up to an end if there is one."""
    return tuple([j for j in guards if first <= j and (end is None or j < end)])


def _named(name: str, obligations: Sequence[Settled]) -> Iterator[Settled]:
    return (replace(one, name=f"{name}: {one.name}") for one in obligations)


def _vacuous(proved: dict[str, Evidence]) -> tuple[str, ...] | None:
    """The reasons for which the proofs say little: the loop may never go round once more, or never twice."""
    reasons: list[str] = []
    for name in [one for one in (ENTRY, BODY, STEP) if one in proved]:
        vacuous = proved[name].vacuous
        if vacuous is None:
            return None
        reasons += [f"{name}: {reason}" for reason in vacuous]
    return tuple(reasons)


def _assumed(others: Iterable[Evidence]) -> Iterator[str]:
    """The assumptions that the proof of the entry does not tell. Those on resume data it does."""
    for evidence in others:
        yield from [what for what in evidence.assumes if what != RESUME_DATA and not what.startswith(UNLISTED)]


def _origins(loop: Loop, proved: dict[str, Evidence]) -> Iterator[int | None]:
    """The resume positions of the guards of the body: numbers of guards of the recorded loop, those of the iteration
    before with a minus sign, the last one as -1."""
    recorded, first = len(loop.recorded.guards), len(loop.peeled.preamble.guards)
    for origin in proved[BODY].origins[first:]:
        yield None if origin is None else origin - recorded


def _audit(proved: dict[str, Evidence]) -> Audit | None:
    """The checker's answers to all certificates; the first one that it does not accept is told."""
    audits = [(name, of.audit) for name, of in proved.items() if of.audit is not None]
    if len(audits) < len(proved):
        return None
    for name, audit in audits:
        if audit.unsettled:
            return replace(audit, unsettled=tuple([f"{name}: {one}" for one in audit.unsettled]))
    return Audit(sum(audit.checked for _, audit in audits))
