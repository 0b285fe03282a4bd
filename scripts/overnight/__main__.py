"""The night: see docs/nightly.md."""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from random import Random

import click

from fuzz.command.options import jobs_option
from fuzz.report.campaign_facts import CAMPAIGN, STEPS, Step
from fuzz.report.folder import write_report
from overnight.steps import Done, run_step
from validator.command.exits import Exit, run_command, worst
from validator.command.files import writable
from validator.command.invoke import invoke
from validator.command.shared_options import Seconds
from validator.processes.termination import terminable

_TRACEPROOF = Path(sys.executable).with_name("traceproof")
_KILL_TABLE = Path(__file__).parents[1] / "kill-table"

# Shares of the time that is left when the step begins.
_CAMPAIGN, _AUDIT, _KILLS = 0.5, 0.45, 0.9
_ENOUGH_S = 60.0
"""The seconds of one core after which a planted fault that was not found is one that campaigns miss."""

_CHECK_SHARE = 5
"""The percentage of the campaign's proofs that are checked."""

_LEAST_S = 10.0
"""No more faults are planted when less time than that is left."""


@dataclass
class _Night:
    """The steps that were taken, each written down at once."""

    folder: Path
    end: float
    codes: list[Exit]

    @property
    def left_s(self) -> float:
        return max(self.end - time.monotonic(), 1.0)

    def take(self, name: str, command: Sequence[str], seconds: float, tell: Callable[[Done], str]) -> Done:
        told = shlex.join([Path(command[0]).name, *command[1:]])
        print(f"== {name}: {told}", flush=True)
        done = run_step(command, seconds)
        self.note(Step(name, told, tell(done), done.seconds, done.code != Exit.PROVED, "\n".join(done.lines)))
        self.codes.append(_exit_of(done))
        if done.is_interrupted:
            raise KeyboardInterrupt
        return done

    def note(self, step: Step) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / STEPS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(step)) + "\n")


def _exit_of(done: Done) -> Exit:
    """A command that did not end in time, or ended with something else than it may, is a fault."""
    return next((code for code in Exit if code == done.code), Exit.FAULT)


@click.command()
@click.option(
    "--seconds",
    type=Seconds(0, min_open=True),
    default=60,
    show_default=True,
    metavar="N",
    help="Shared by all steps but the report.",
)
@jobs_option
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default="nightly",
    show_default=True,
    metavar="DIR",
    help="Takes a folder a night.",
)
@click.option(
    "--seed",
    default=lambda: f"{datetime.now():%Y-%m-%d}",
    metavar="TEXT",
    help="Chooses the planted faults; the date by default.",
)
def nightly(seconds: float, jobs: int, folder: Path, seed: str) -> int:
    """Run a campaign on our optimizer, the corpus, an audit of the validator and the kill table of the planted faults,
    and write a report. `--jobs` is for the campaign. The last planted fault is tried to its end, up to three minutes
    longer than `--seconds`.

    \b
    $ scripts/nightly
    $ scripts/nightly --seconds 28800 --jobs 8

    Ends with 0 if nobody has to look, with 1 if something was found, with 2 if an option is wrong or a folder cannot be
    written, with 5 if this tool itself is wrong, with 130 if it was interrupted.
    """
    broken_off = [*_without_report(writable(folder, "--folder"))]
    night = _Night(folder / f"{datetime.now():%Y-%m-%d-%H%M%S}", time.monotonic() + seconds, [])
    is_interrupted = False
    with terminable():
        try:
            _take_all(night, jobs, seed, broken_off)
        except KeyboardInterrupt:
            is_interrupted = True
        return _tell(night, is_interrupted)


def _tell(night: _Night, is_interrupted: bool) -> Exit:
    """Writes the report; what the night ends with."""
    interrupted = "interrupted; " * is_interrupted
    if not (night.folder / "results").is_dir():
        why = "; its output above says why" * (not is_interrupted)
        print(f"{interrupted}the campaign has left no results{why}", file=sys.stderr)
        return Exit.INTERRUPTED if is_interrupted else worst(night.codes) or Exit.FAULT
    told = write_report(night.folder, "it was interrupted" if is_interrupted else "its time was up")
    print(f"== report: {night.folder / 'report' / 'index.html'}\n{interrupted}{told.outcome}")
    return Exit.INTERRUPTED if is_interrupted else worst(night.codes)


def _take_all(night: _Night, jobs: int, seed: str, broken_off: Sequence[Path]) -> None:
    seconds = night.left_s * _CAMPAIGN
    command = [str(_TRACEPROOF), "fuzz", "--seconds", str(math.ceil(seconds)), "--folder", str(night.folder)]
    command += ["--jobs", str(jobs), "--check-share", str(_CHECK_SHARE)]
    night.take(CAMPAIGN, command, seconds, lambda done: done.line("found:"))
    for folder in broken_off:
        night.codes.append(_report_late(night, folder))
    night.take("corpus", [str(_TRACEPROOF), "corpus", "run"], night.left_s, Done.line)
    seconds = night.left_s * _AUDIT
    contradictions = str(night.folder / "contradictions")
    command = [str(_TRACEPROOF), "audit", "--seconds", str(math.ceil(seconds)), "--corpus", contradictions]
    night.take("audit", command, seconds, lambda done: done.line("contradictions:"))
    if _KILL_TABLE.exists():
        _kill(night, night.left_s * _KILLS, seed)


def _without_report(folder: Path) -> Iterator[Path]:
    """Campaigns of other nights that were broken off before there was a report."""
    for campaign in sorted(folder.iterdir()):
        if (campaign / "results").is_dir() and not (campaign / "report" / "summary.md").exists():
            yield campaign


def _report_late(night: _Night, folder: Path) -> Exit:
    """The report of a night that was broken off; what is found there was told to nobody."""
    start = time.monotonic()
    told = write_report(folder, "it was broken off")
    step = Step(folder.name, f"traceproof report {folder}", told.outcome, time.monotonic() - start, bool(told.finds))
    night.note(step)
    print(f"== broken off: {folder}: {told.outcome}")
    return Exit.REFUTED if told.finds else Exit.PROVED


def _planted_faults(night: _Night) -> list[str]:
    """The names of those that there are; none where nobody can say, which is a fault."""
    listed = subprocess.run([str(_KILL_TABLE), "--list"], capture_output=True, text=True, check=False)
    names = [line.partition(" (")[0] for line in listed.stdout.splitlines() if " (" in line]
    if listed.returncode != Exit.PROVED or not names:
        result = "the planted faults cannot be listed"
        print(f"== kill table: {result}\n{listed.stderr}", end="", flush=True)
        night.codes.append(Exit.FAULT)
        night.note(Step("kill table", "scripts/kill-table --list", result, 0.0, True, listed.stderr))
        return []
    return names


def _kill(night: _Night, seconds: float, seed: str) -> None:
    """Plants as many faults as there is time for, but one at least, in an order that the seed says. Each has all the
    time that it takes to say that it is not found, even where the night gets longer by that."""
    start = time.monotonic()
    names = _planted_faults(night)
    if not names:
        return
    Random(seed).shuffle(names)
    tried, missed, lines = 0, [], list[str]()
    print(f"== kill table: {len(names)} planted faults, in the order of --seed {seed}", flush=True)
    for name in names:
        if tried and seconds - (time.monotonic() - start) < _LEAST_S:
            break
        done = run_step([str(_KILL_TABLE), "--seconds", f"{_ENOUGH_S:.0f}", "--seeds", "1", name], 2 * _ENOUGH_S)
        if done.is_interrupted:
            break
        tried += 1
        lines += done.lines
        missed += [name] * (done.code != Exit.PROVED)
    result = f"{tried} of {len(names)} planted faults tried (--seed {seed})"
    result += f", not found: {', '.join(missed)}" if missed else ", all found" * bool(tried)
    print(result, flush=True)
    night.codes.append(Exit.REFUTED if missed else Exit.PROVED)
    seconds = time.monotonic() - start
    night.note(Step("kill table", "scripts/kill-table", result, seconds, bool(missed), "\n".join(lines)))
    if done.is_interrupted:
        raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(run_command(lambda: invoke(nightly, sys.argv[1:], "scripts/nightly")))
