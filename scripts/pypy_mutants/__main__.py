"""The command line of `scripts/pypy-mutants`."""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import click

from fuzz.cases.log_run import LogFile, LogRun, PairRun, prove_logs, study_logs
from fuzz.command.options import jobs_option, seed_option
from fuzz.report.words import share
from pypy_mutants.edits import FAULTS
from pypy_mutants.measure import Log, Mutant, judging, read_log
from validator.command.exits import run_command
from validator.command.invoke import invoke
from validator.command.judging import Judging
from validator.processes.ordered import answer_all
from validator.processes.workers import Loss, Supervision
from validator.pypy.judge import OPTIONS
from validator.pypy.kept import Kept, shipped

_VERDICTS = ("proved", "vacuous", "refuted", "unknown", "unsupported", "error")
_PATIENCE_S = 600.0


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option("--mutants", type=click.IntRange(1), default=2000, show_default=True, metavar="N", help="So many.")
@seed_option
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=3.0, show_default=True, metavar="S")
@click.option("--without-known", is_flag=True, help="Do not use the knowledge of PyPy that comes with traceproof.")
@click.option("--results", metavar="FILE", help="Write each mutant there as it is judged, as a line of JSON.")
@jobs_option
def pypy_mutants(
    logs: tuple[str, ...],
    mutants: int,
    seed: int | None,
    timeout: float,
    without_known: bool,
    results: str | None,
    jobs: int,
) -> int:
    """Plant faults into the optimized traces of logs of PyPy, and prove these.

    Of each LOG, the pairs that are proved get one random edit each, kind by kind; the whole log is studied with the
    mutant in it, so that all assumptions are inferred from the mutant itself. Told are the verdicts by kind of edit,
    and each mutant that is proved: it is the same, or changes only what a log does not say, or an assumption is too
    generous. Ends with 1 if more than a tenth is proved.

    \b
    $ scripts/pypy-mutants run.log --seed 1 --mutants 200
    """
    first = random.SystemRandom().randrange(1 << 32) if seed is None else seed
    print(f"seed {first}")
    known = () if without_known else (shipped(),)
    chosen = [log for log in (_with_proofs(path, known, timeout, jobs) for path in logs) if log.proved]
    pairs = sum(len(log.pairs) for log in chosen)
    print(f"{sum(len(log.proved) for log in chosen)} of {pairs} pairs of {len(chosen)} logs are proved as they are")
    if not chosen:
        return 2
    judged = []
    with open(results or os.devnull, "w", buffering=1) as told:
        for mutant in _judged(chosen, first, mutants, timeout, jobs):
            judged.append(mutant)
            told.write(f"{json.dumps(asdict(mutant))}\n")
    print(table(judged))
    proofs = [mutant for mutant in judged if mutant.verdict == "proved"]
    for mutant in proofs:
        print(f"\n{mutant.fault}, {Path(mutant.log).name}, pair {mutant.pair}, mutant {mutant.number}:")
        print(mutant.difference, *(f"assumes: {what}" for what in mutant.assumes), sep="\n")
    for mutant in judged:
        if mutant.verdict == "error":
            print(f"\nerror in mutant {mutant.number} of {mutant.log}, pair {mutant.pair}: {mutant.reason}")
    return int(10 * len(proofs) > len(judged))


def _with_proofs(path: str, known: Sequence[Kept], timeout_s: float, jobs: int) -> Log:
    log = read_log(path)
    run = LogRun((LogFile(path, path),), Judging(replace(OPTIONS, timeout_s=timeout_s)))
    study = study_logs(run.logs)
    used = tuple(one for one in known if study.agrees(one))
    for one in used:
        study.take(one)
    runs = [item for _, item in prove_logs(run, study, jobs) if isinstance(item, PairRun)]
    return replace(log, proved=tuple(place for place, item in enumerate(runs) if item.name == "proved"), known=used)


def _judged(logs: Sequence[Log], seed: int, number: int, timeout_s: float, jobs: int) -> Iterator[Mutant]:
    @contextmanager
    def work() -> Iterator[Callable[[int], Mutant | None]]:
        with judging(logs, seed, timeout_s) as judge:
            yield judge

    def lost(number: int, loss: Loss) -> Mutant:
        return Mutant("", 0, number, FAULTS[number % len(FAULTS)].name, "unknown", loss.value)

    done = answer_all(range(number), work(), lost, Supervision(jobs, OPTIONS.memory_mb, _PATIENCE_S))
    for count, mutant in enumerate(done, start=1):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{count} of {number} mutants\r", end="", file=sys.stderr, flush=True)
        if mutant is not None:
            yield mutant


def table(judged: Sequence[Mutant]) -> str:
    """The verdicts by kind of fault."""
    counts = Counter((mutant.fault, mutant.verdict) for mutant in judged)
    shown = [
        verdict for verdict in _VERDICTS if verdict in ("proved", "refuted") or any(v == verdict for _, v in counts)
    ]
    lines = [f"| edit | mutants | {' | '.join(shown)} |", f"| --- | --- |{' --- |' * len(shown)}"]
    for name in (*(fault.name for fault in FAULTS), "all"):
        row = [sum(n for (of, v), n in counts.items() if v == verdict and name in ("all", of)) for verdict in shown]
        lines.append(f"| {name} | {sum(row)} | {' | '.join(map(str, row))} |")
    proved = sum(n for (_, verdict), n in counts.items() if verdict == "proved")
    return "\n".join((*lines, f"proved: {share(proved, len(judged))}"))


if __name__ == "__main__":
    sys.exit(run_command(lambda: invoke(pypy_mutants, sys.argv[1:], "scripts/pypy-mutants")))
