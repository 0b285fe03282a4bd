"""The trial of one program: it is run, its traces are proved, and what is wrong is made small and confirmed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fuzz.cases.log_run import PairRun
from fuzz.cases.store import Case
from fuzz.hunt.finds import PROGRAM, Keeper
from fuzz.hunt.observe import Find, FindKind, Observer
from fuzz.hunt.plan import Plan, Result, Unconfirmed
from fuzz.hunt.programs.mutate import mutated
from fuzz.hunt.programs.program import Program
from fuzz.hunt.proofs import Proofs, prove_log
from optimizer.ir.immutable import replace
from optimizer.ir.text import format_trace
from validator.processes.workers import Loss
from validator.pypy.printed.straight import LOST

_NEAR = 8
"""A pair that is refuted is confirmed by the program or one of so many like it, with other constants."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The program of a seed, those that it is made from, and what finds are like of which enough were made small."""

    seed: int
    program: Program
    parents: tuple[int, ...] = ()
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of a program, and the case of its find, if it is one."""

    result: Result
    case: Case | None = None


@contextmanager
def trying(plan: Plan) -> Iterator[Callable[[Drawn], tuple[Tried]]]:
    """The work of a process: it tries programs."""
    observer = Observer(plan.target)
    yield lambda drawn: (_tried(plan, observer, drawn),)


def lost(drawn: Drawn, loss: Loss) -> Tried:
    """The outcome of a program over which the process that tried it was lost, or had to be ended."""
    return Tried(Result(drawn.seed, drawn.program, drawn.parents, lost=loss.value))


def likeness(find: Find, proofs: Proofs) -> str:
    """The words that finds of one cause share before they are made small: the kind, and where that can be told, behind
    a colon, the place of a crash, or that each function that differs has a guard that hands over what its label does
    not take. The kind and a signal are those of many causes."""
    detail = find.what if find.kind is FindKind.CRASH else ""
    if detail and not find.tells_place:
        return f"{find.kind.value} {detail}"
    if find.kind is FindKind.DIFFERENCE and proofs.losing:
        places = "\n".join(proofs.losing)
        detail = LOST if all(f"'{label};" in places for label in find.what.split()) else ""
    return f"{find.kind.value}{': ' * bool(detail)}{detail}"


def _tried(plan: Plan, observer: Observer, drawn: Drawn) -> Tried:
    start, program = time.monotonic(), drawn.program
    with tempfile.TemporaryDirectory(prefix="traceproof-") as folder:
        path, log = Path(folder) / PROGRAM, Path(folder) / "program.log"
        path.write_text(program.source)
        tries = plan.tries(drawn.seed)
        seen = observer.observe(path, is_portable=program.is_portable, log=log if tries else None)
        if seen.find is not None and not tries:
            plan.target.run(path, observer.limits, log=log)
        proofs = prove_log(log, path, plan.timeout_s, tries=tries)
        find, source, refuted = seen.find, program.source, proofs.refuted
        if refuted and find is None:
            find, source, refuted = _confirmed(plan, observer, drawn, path, proofs)
    result = Result(
        drawn.seed,
        program,
        drawn.parents,
        proofs.verdicts,
        proofs.reasons,
        tuple(sorted(proofs.covered)),
        () if find is not None else tuple(map(_unconfirmed, refuted)),
        tuple(map(_unconfirmed, proofs.suspects)),
        useless=seen.useless,
        once=seen.once,
    )
    case = None
    if find is not None:
        result = replace(result, kind=find.kind.value, like=likeness(find, proofs), message=find.message)
        if result.like not in drawn.known:
            keeper = Keeper(observer, plan.reduce_s, plan.timeout_s)
            command = f"{replace(plan, seed=drawn.seed, prove=100).command} --programs 1"
            case = keeper.keep(find, source, command, drawn.seed)
            if not case.after and refuted:  # the small program does not show it in a trace any more
                case = keeper.with_pair(case, refuted[0])
            result = replace(result, bucket=case.name, message=case.message)
    return Tried(replace(result, seconds=round(time.monotonic() - start, 3)), case)


def _confirmed(
    plan: Plan, observer: Observer, drawn: Drawn, path: Path, proofs: Proofs
) -> tuple[Find | None, str, tuple[PairRun, ...]]:
    """A find that a refuted pair leads to, with the program that shows it: the same one, row by row, or one with
    other constants; and the pairs that are refuted in it. No find where none shows what the pair says."""
    program = drawn.program
    seen = observer.observe(path, is_portable=False, verbose=True)
    if seen.find is not None:
        return seen.find, program.source, proofs.refuted
    for number in range(_NEAR):
        near = mutated(program, program, drawn.seed * _NEAR + number)
        path.write_text(near.source)
        log = path.with_suffix(f".{number}.log")
        seen = observer.observe(path, is_portable=False, log=log)
        if seen.find is not None:
            return seen.find, near.source, prove_log(log, path, plan.timeout_s).refuted
    return None, program.source, proofs.refuted


def _unconfirmed(run: PairRun) -> Unconfirmed:
    where = f"pair {run.pair.number}: {run.pair.kind.value} {run.pair.point}"
    traces = () if run.texts is None else (run.texts.before, run.texts.after)
    before, after = map(format_trace, traces) if traces else ("", "")
    assumed = (*run.inferred, *map(str, run.verdict["assumes"]))
    return Unconfirmed(where, str(run.verdict["reason"]), assumed, before, after)
