"""The command `fuzz`: a campaign, and `fuzz merge`."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from fuzz.campaign.folder import has_campaign, read_plan, write_plan
from fuzz.campaign.merging import merge_campaigns
from fuzz.campaign.plan import AIMED, Plan, usual_mutate
from fuzz.campaign.supervisor import supervise
from fuzz.command.campaign_run import Supervise, run_campaign
from fuzz.command.options import (
    OF_THE_OPTIMIZER,
    gathered,
    jobs_option,
    json_option,
    optimizer_options,
    refuse,
    seconds_option,
    seed_option,
    traces_option,
    vocabulary_options,
)
from fuzz.command.seeds import taken
from fuzz.draw.generator import can_draw
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from fuzz.report.words import counted
from fuzz.subject.announcement import announced
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec, open_optimizer
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.command.exits import Exit
from validator.command.files import writable
from validator.command.shared_options import memory_option

_FOLDER = "campaign"
_SECONDS = 60.0


_ABOUT = """\
Test an optimizer: generate traces, optimize them, prove the results, and store what is wrong.

Each seed makes one trace, seed S the same one on every machine; the campaign takes S, S + 1 and so on, until its
time or number of traces is used up or Ctrl-C is pressed. An optimizer is a function from a trace to a trace (of
`optimizer.Trace`). A wrong result, a crash, a hang and a malformed trace are finds, each stored in DIR/cases with
both traces and the command that repeats it; a line for each seed is in DIR/results.

What the optimizer does not understand is left out by --kinds, --ops and --without: each trace keeps to them, with
its guards and its end, those of --seeds-from too. A server may say itself what it understands (see
docs/your-optimizer.md).

A campaign that was interrupted, or killed, goes on with --resume: it knows its seed, optimizer and ends. On another
machine that sees the same folder, --resume joins in.

\b
$ traceproof fuzz --seconds 60
$ traceproof fuzz --seed 7 --traces 500 --optimizer mine:optimize --folder finds
$ traceproof fuzz --seeds-from run.log --traces 1000
$ traceproof fuzz --kinds integers,calls --without 'call_may_force_*' --word 64
$ traceproof fuzz --resume --folder finds
$ traceproof corpus list --corpus finds/cases
$ traceproof fuzz merge finds more-finds

Ends with 1 if something was found, with 5 if this tool itself failed, else with 0.
"""


@dataclass(frozen=True, slots=True)
class _Limits:
    """The ends of a campaign, as far as they are said."""

    seconds: float | None = None
    traces: int | None = None
    stop_after: int | None = None


@click.group(help=_ABOUT, invoke_without_command=True, short_help="Test an optimizer on generated traces.")
@gathered(
    "limits",
    _Limits,
    seconds_option("Stop after that many; 60 by default."),
    traces_option,
    click.option("--stop-after", type=click.IntRange(1), metavar="N", help="Stop at that many finds."),
)
@seed_option
@jobs_option
@memory_option(64, None, "Memory of each of them; 4096 by default.")
@click.option(
    "--folder",
    metavar="DIR",
    help="Where results and finds are stored; `campaign`, or the first of campaign-2, campaign-3 ... that is free.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Work on the cluster of a Dask scheduler, not by --jobs.")
@click.option(
    "--mutate",
    type=click.IntRange(0, 100),
    metavar="N",
    help=f"Mutate N % of the traces; 100 by default with --seeds-from, else {AIMED}, of our own optimizer 0.",
)
@click.option(
    "--seeds-from",
    multiple=True,
    metavar="PATH",
    help="Begin with the traces of this file, folder or log of PyPy, and mutate them.",
)
@click.option("--seeds-skip", type=click.IntRange(0), default=0, metavar="N", help="But for the first N of them.")
@click.option(
    "--check-share",
    type=click.IntRange(0, 100),
    default=0,
    show_default=True,
    metavar="P",
    help="Have the checker follow the certificates of P % of the proofs.",
)
@click.option("--resume", is_flag=True, help="Go on with the campaign in the folder, or join it.")
@optimizer_options
@vocabulary_options
@json_option("Print a JSON object for each find and one at the end.")
@click.pass_context
def fuzz(
    context: click.Context,
    limits: _Limits,
    seed: int,
    jobs: int,
    memory_mb: int | None,
    folder: str | None,
    scheduler: str | None,
    mutate: int | None,
    seeds_from: tuple[str, ...],
    seeds_skip: int,
    check_share: int,
    resume: bool,
    optimizer: OptimizerSpec,
    asked: Vocabulary,
    as_json: bool,
) -> int:
    if context.invoked_subcommand is not None:
        return Exit.PROVED
    start = time.monotonic()
    path = Path(folder or _usual_folder(resume))
    if resume:
        refuse(_OF_THE_CAMPAIGN, "--resume goes on with what the campaign was started with")
        plan = read_plan(path)
    else:
        if not seeds_from:
            refuse(["seeds_skip"], "no traces are given by --seeds-from")
        limits = _Limits(_SECONDS) if limits == _Limits() else limits
        if asked.loops and optimizer.kind is OptimizerKind.OURS:
            optimizer = replace(optimizer, kind=OptimizerKind.PEELING)
        share = usual_mutate(optimizer, seeds_from) if mutate is None else mutate
        plan = Plan(
            seed,
            optimizer=optimizer,
            seeds_from=seeds_from,
            seeds_skip=seeds_skip,
            mutate=share,
            check_share=check_share,
            asked=asked,
            announced=_announced(optimizer, limits.seconds),
        )
    given: dict[str, Any] = {**asdict(limits), "memory_mb": memory_mb}
    plan = replace(plan, **{name: value for name, value in given.items() if value is not None})
    _begin(plan, path, resume)
    return run_campaign(plan, path, _supervising(plan, jobs, scheduler), as_json, start)


def _begin(plan: Plan, folder: Path, resume: bool) -> None:
    """Raises InputError where the campaign cannot be run, before anything is stored."""
    with open_optimizer(plan.optimizer):
        pass
    if not (plan.vocabulary.is_all or can_draw(plan.vocabulary)):
        raise InputError("--kinds, --ops, --without, --word: of what is left no trace can be made that does something")
    if plan.seeds_from:
        _check_seeds(plan.seeds_from, plan.vocabulary)
    writable(folder, "--folder")
    if not resume and not write_plan(folder, plan):
        raise taken(folder, "campaign")


def _announced(optimizer: OptimizerSpec, seconds: float | None) -> Vocabulary:
    """The vocabulary that the optimizer announces within so many seconds; tells of what nobody knows. Raises
    InputError."""
    if optimizer.kind not in (OptimizerKind.SERVER, OptimizerKind.FUNCTION):
        return EVERYTHING
    if seconds is not None:
        optimizer = replace(optimizer, limit_s=min(seconds, optimizer.limit_s))
    with open_optimizer(optimizer) as opened:
        vocabulary, unknown = announced(opened)
    if unknown:
        click.echo(f"the optimizer announces operations that are not in the table: {', '.join(unknown)}", err=True)
    return vocabulary


_REASONS = 5


def _check_seeds(paths: tuple[str, ...], vocabulary: Vocabulary) -> None:
    """Tells what is left out. Raises InputError where nothing else is there."""
    from fuzz.mutate.pool import load_pool  # here: most campaigns generate all of their traces

    pool = load_pool(paths, vocabulary)
    if pool.foreign:
        beyond = Counter(name for names in pool.foreign for name in names).most_common(_REASONS)
        of = len(pool.foreign) + len(pool.traces)
        named = ", ".join(f"{name} in {count}" for name, count in beyond)
        click.echo(
            f"--seeds-from: {len(pool.foreign)} of {of} traces are left out, for what was not chosen: {named}", err=True
        )
    for _, reason in pool.left_out:
        click.echo(f"--seeds-from: left out: {reason}", err=True)
    if not pool.traces:
        left = "none is left of the traces" if pool.foreign else "there is no trace"
        raise InputError(f"--seeds-from: {left} in {', '.join(paths)}")


def _supervising(plan: Plan, jobs: int, scheduler: str | None) -> Supervise:
    if scheduler is None:
        return lambda next_task: supervise(plan, next_task, jobs)
    try:
        from fuzz.campaign.cluster import supervise_cluster
    except ImportError:
        raise InputError("--scheduler needs Dask: pip install 'traceproof[cluster]'") from None
    return partial(supervise_cluster, scheduler, plan)


_OF_THE_CAMPAIGN = (
    "seed",
    "mutate",
    "seeds_from",
    "seeds_skip",
    "check_share",
    *OF_THE_OPTIMIZER,
    *("kinds", "ops", "without", "word", "loops"),
)


def _usual_folder(resume: bool) -> str:
    """The folder of a campaign that is not told one: the first that is free, or the last that is not."""
    names = [_FOLDER]
    while has_campaign(Path(names[-1])):
        names.append(f"{_FOLDER}-{len(names) + 1}")
    return names[-2:][0] if resume else names[-1]


@fuzz.command(short_help="Merge campaigns into one.")
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...")
@click.option("--into", metavar="DIR", help="The folder that takes all; the first FOLDER by default.")
def merge(folders: tuple[str, ...], into: str | None) -> int:
    """Merge campaigns: results by seed, and cases by name, of all folders into one.

    The campaigns have to be of the same optimizer and options. Merging again changes nothing.

    \b
    $ traceproof fuzz merge monday tuesday --into week
    """
    target = Path(into or folders[0])
    for folder in folders:
        read_plan(Path(folder))  # raises where there is no campaign, before anything is made
    merged = merge_campaigns([Path(folder) for folder in folders], writable(target, "--into"))
    added = f"{counted(merged.results, 'result')} and {counted(merged.cases, 'case')}"
    click.echo(f"{target}: {added} added, {counted(merged.known, 'result')} known")
    return Exit.PROVED
