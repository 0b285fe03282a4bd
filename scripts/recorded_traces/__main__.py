"""The command line of `scripts/recorded-traces`."""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import click

from fuzz.cases.recorded import sections_of
from fuzz.command.options import jobs_option
from recorded_traces.measure import Judged, Task, judge
from recorded_traces.tables import as_json, cause_table, program_table, slowest_table, summary
from validator.command.exits import run_command
from validator.command.invoke import invoke

PROGRAMS = Path(__file__).parents[2] / "tests" / "programs"


@click.command()
@click.argument("logs", nargs=-1, metavar="[LOG]...")
@click.option(
    "--seconds", type=click.FloatRange(0, min_open=True), default=5, show_default=True, metavar="N", help="For a pair."
)
@click.option("--record", is_flag=True, help="Run the programs with pypy3 first, and store their logs.")
@jobs_option
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object instead of tables.")
def recorded_traces(logs: tuple[str, ...], seconds: float, record: bool, jobs: int, is_json: bool) -> int:
    """Optimize traces that PyPy recorded, and prove the results.

    Every trace of each LOG, or of those of the programs in tests/programs, is read, printed and read again, optimized
    and judged, in `--seconds` a pair. Told are what was counted before and after, by program; why what is not proved is
    not, most frequent first; and the slowest pairs. Ends with 1 if something was refuted or has crashed.

    \b
    $ scripts/recorded-traces
    $ scripts/recorded-traces run.log --seconds 60 --json
    """
    if record:
        record_programs()
    chosen = logs or tuple(str(path) for path in sorted((PROGRAMS / "logs").glob("*.log.xz")))
    tasks = [Task(log, number, one, seconds) for log in chosen for number, one in enumerate(sections_of(log), start=1)]
    judged = list(_judged(tasks, jobs))
    if is_json:
        print(json.dumps(as_json(judged), indent=1))
    else:
        print(program_table(judged), cause_table(judged), slowest_table(judged), summary(judged), sep="\n")
    return int(any(one.verdict in ("refuted", "crash", "error") for one in judged))


def _judged(tasks: Sequence[Task], jobs: int) -> Iterator[Judged]:
    """The outcomes of the tasks, in their order."""
    with ProcessPoolExecutor(jobs) as pool:
        for done, one in enumerate(pool.map(judge, tasks), start=1):
            if sys.stderr.isatty():
                print(f"\r\x1b[K{done} of {len(tasks)} traces\r", end="", file=sys.stderr, flush=True)
            yield one


_STRAIGHT = ("--jit", "enable_opts=intbounds:rewrite:virtualize:string:pure:earlyforce:heap")
"""Options of PyPy with which loops are not peeled."""


def record_programs() -> None:
    """Runs the programs and stores their logs, compressed: of recorded traces in `logs`, and of both kinds, without
    peeled loops, in `pairs`."""
    for program in sorted(PROGRAMS.glob("*.py")):
        _record(program, "logs", "jit-log-noopt,jit-summary", ())
        _record(program, "pairs", "jit-log-noopt,jit-log-opt,jit-summary", _STRAIGHT)


def _record(program: Path, kind: str, sections: str, options: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        words = ["pypy3", *options, program.name]
        environment = {**os.environ, "PYPYLOG": f"{sections}:{log}"}
        subprocess.run(words, cwd=PROGRAMS, env=environment, stdout=subprocess.DEVNULL, check=True)
        stored = PROGRAMS / kind / f"{program.stem}.log.xz"
        stored.write_bytes(lzma.compress(log.read_bytes(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    sys.exit(run_command(lambda: invoke(recorded_traces, sys.argv[1:], "scripts/recorded-traces")))
