"""The command `hunt`."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from fuzz.campaign.claims import Claims
from fuzz.command.options import gathered, jobs_option, json_option, seconds_option, seed_option
from fuzz.command.seeds import taken
from fuzz.hunt.figures import Figures, unconfirmed_json
from fuzz.hunt.hunting import Hunt
from fuzz.hunt.plan import CASES, Plan, Result, read_plan, write_plan
from fuzz.hunt.target import open_target
from fuzz.report.words import counted
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.command.exits import Exit, worst
from validator.command.files import writable
from validator.command.shared_options import timeout_option
from validator.command.status import Status

_SECONDS = 3600.0
_GIVEN = click.core.ParameterSource.COMMANDLINE


@dataclass(frozen=True, slots=True)
class _Limits:
    """The ends of a hunt, as far as they are said."""

    seconds: float | None = None
    programs: int | None = None
    stop_after: int | None = None


@click.command(short_help="Test the JIT of a PyPy on generated programs.")
@click.option("--target", metavar="CMD", help="The PyPy to test: a command or a path, such as `pypy3`.")
@click.option("--jit", default="", metavar="OPTIONS", help="Options of the JIT, in the syntax of its --jit.")
@gathered(
    "limits",
    _Limits,
    seconds_option("Stop after that many; 3600 by default."),
    click.option("--programs", type=click.IntRange(0), metavar="N", help="Stop after that many programs."),
    click.option("--stop-after", type=click.IntRange(1), metavar="N", help="Stop at that many finds."),
)
@seed_option
@jobs_option
@click.option("--folder", default="hunt", show_default=True, metavar="DIR", help="Where results and finds are stored.")
@click.option("--resume", is_flag=True, help="Go on with the hunt in the folder.")
@timeout_option(None, "Seconds for the proof of a trace; 3 by default.")
@click.option(
    "--prove",
    type=click.IntRange(0, 100),
    metavar="P",
    help="Prove the traces of P % of the programs; 10 by default. To run one alone takes a hundredth of the time.",
)
@json_option("Print a JSON object for each find and each refuted trace that no run confirms, and one at the end.")
def hunt(
    target: str | None,
    jit: str,
    limits: _Limits,
    seed: int,
    jobs: int,
    folder: str,
    resume: bool,
    timeout_s: float | None,
    prove: int | None,
    as_json: bool,
) -> int:
    """Test the JIT of a PyPy: generate programs, run them, compare what they print, prove traces that it compiles.

    A program whose output with the JIT differs from that without it, or from that of this Python, or that crashes or
    hangs, is a find: it is reduced, and stored in DIR/cases with its log, the options and a report. A refuted trace is
    a find if a run confirms it; the others are listed with what they assume. Programs whose traces do something new
    are kept, and others are made from them.

    Seed S makes the same program everywhere; the hunt takes S, S + 1 and so on. A hunt that was interrupted, or killed,
    goes on with --resume, which knows its seed and target.

    \b
    $ apt-get install pypy3
    $ traceproof hunt --target pypy3 --seconds 3600
    $ traceproof hunt --target ~/pypy-nightly/bin/pypy3 --jit vec=1 --folder nightly
    $ traceproof hunt --resume --folder nightly
    $ traceproof corpus run --corpus hunt/cases --target pypy3

    Ends with 1 if something was found, with 3 if traces were refuted and no run confirms it, with 5 if this tool itself
    failed, else with 0. docs/hunt.md tells more.
    """
    start, path = time.monotonic(), Path(folder)
    if resume:
        if target is not None or jit or click.get_current_context().get_parameter_source("seed") is _GIVEN:
            raise InputError("--resume goes on with the target, options and seed that the hunt was started with")
        plan = read_plan(path)
        open_target(plan.target.command, plan.target.jit)
    elif target is None:
        raise InputError("--target: say which PyPy, as --target pypy3; `apt-get install pypy3` installs one")
    else:
        plan = Plan(seed, open_target(target, jit))
    given: dict[str, Any] = {"timeout_s": timeout_s, "prove": prove}
    plan = replace(plan, **{name: value for name, value in given.items() if value is not None})
    if not resume and not write_plan(writable(path, "--folder"), plan):
        raise taken(path, "hunt")
    return _run(plan, path, _Limits(_SECONDS) if limits == _Limits() else limits, jobs, as_json, start)


def _run(plan: Plan, folder: Path, limits: _Limits, jobs: int, as_json: bool, start: float) -> Exit:
    """The hunt until it ends, or Ctrl-C; its time began at `start` by `time.monotonic`."""
    figures, status, why, tried = Figures(), Status(start), "", 0

    def goes_on(_: int) -> bool:
        nonlocal why, tried
        why = why or _why_ended(limits, figures, tried, time.monotonic() - start)
        tried += not why
        return not why

    with _alone(folder, plan) as hunted:
        for known in hunted.known.values():
            figures.add(known)
        if not as_json:
            click.echo(f"seed {plan.seed}: {plan.target.command} --jit {plan.target.options}: {plan.target.version}")
        try:
            with closing(hunted.run(jobs, goes_on)) as results:
                for result in results:
                    is_new = bool(result.bucket) and result.bucket not in figures.buckets
                    figures.add(result)
                    status.clear()
                    found = f"{result.kind}: {folder / CASES / result.bucket}: {result.message}"
                    for line in _json_lines(result) if as_json else [found] * is_new:
                        click.echo(line)
                    status.show(figures.line)
        except KeyboardInterrupt:
            why = "interrupted"
    status.clear()
    seconds = time.monotonic() - start
    told = [json.dumps(figures.json(plan, seconds, why))] if as_json else figures.lines(plan, folder, seconds, why)
    for line in told:
        click.echo(line)
    return Exit.INTERRUPTED if why == "interrupted" else _exit_code(figures)


@contextmanager
def _alone(folder: Path, plan: Plan) -> Iterator[Hunt]:
    """The hunt in a folder, claimed: it is opened when nobody else is at it, whose last line would be cut off."""
    with closing(Claims(folder / "claims")) as claims:
        if not claims.claim(0):
            raise InputError(f"--folder: somebody is at the hunt in {folder}")
        with closing(Hunt(folder, plan)) as hunted:
            yield hunted


def _why_ended(limits: _Limits, figures: Figures, tried: int, seconds: float) -> str:
    """The reason for which no other program is begun; '' if there is none."""
    if limits.stop_after is not None and figures.kinds.total() >= limits.stop_after:
        return f"at {counted(limits.stop_after, 'find')}"
    if limits.programs is not None and tried >= limits.programs:
        return "all its programs were tried"
    return "its time was up" if limits.seconds is not None and seconds >= limits.seconds else ""


def _json_lines(result: Result) -> Iterator[str]:
    if result.kind:
        said = {"kind": result.kind, "bucket": result.bucket or None, "message": result.message}
        yield json.dumps({"seed": result.seed} | said)
    for one in result.unconfirmed:
        yield json.dumps({"kind": "unconfirmed"} | unconfirmed_json(result.seed, one))


def _exit_code(figures: Figures) -> Exit:
    return worst(
        [Exit.FAULT] * bool(figures.lost or figures.verdicts["error"])
        + [Exit.REFUTED] * bool(figures.kinds)
        + [Exit.UNKNOWN] * bool(figures.unconfirmed)
    )
