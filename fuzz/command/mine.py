"""The command `mine`: what an optimizer misses, found and proved."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice

import click

from fuzz.command.options import (
    jobs_option,
    json_option,
    optimizer_options,
    refuse,
    seconds_option,
    seed_option,
    traces_option,
)
from fuzz.command.seeds import seeds_from
from fuzz.draw.generator import generate_for
from fuzz.mine.mining import Group, Groups, Mined, Source
from fuzz.mine.mining import mine as mined
from fuzz.mutate.pool import load_pool
from fuzz.report.words import counted
from fuzz.subject.optimizers import OptimizerSpec, open_optimizer
from optimizer.ir.rules.language import rule
from validator.command.exits import Exit
from validator.command.status import Status
from validator.processes.ordered import answer_all
from validator.processes.workers import Loss, Supervision
from validator.rules.proofs import prove_rule
from validator.rules.status import Proved

_TRACES = 100
_EACH_S = 20.0
_LATE_S = 60.0
_RULE_EFFORT = 1_000_000


@click.command(short_help="Find what an optimizer misses, and prove it.")
@click.argument("paths", metavar="[TRACE|DIR|LOG]...", nargs=-1)
@optimizer_options
@traces_option
@seed_option
@seconds_option("Begin with no other trace after that many.")
@jobs_option
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, metavar="N", help="Show so many shapes.")
@json_option("Print a JSON object a shape, and one at the end.")
def mine(
    paths: tuple[str, ...],
    optimizer: OptimizerSpec,
    traces: int | None,
    seed: int,
    seconds: float | None,
    jobs: int,
    top: int,
    as_json: bool,
) -> int:
    """Find what an optimizer misses in the traces that it leaves: results that are constant or known already,
    operations that one on earlier values can replace, guards that never fail, stores that nobody sees.

    Traces come from files, folders and logs of PyPy, or are generated. Runs suggest what may stand instead of an
    operation, and the validator proves it. What is found is reduced to the smallest trace on which the optimizer still
    misses it, and counted by shape, names and numbers apart. Where it is a rule on integers, that is written as the
    table of our optimizer has it, and proved.

    \b
    $ traceproof mine run.log
    $ traceproof mine --traces 1000 --seed 1 --top 20
    $ traceproof mine traces/ --optimizer-cmd './my-opt'

    That nothing is found does not mean that there is nothing. Ends with 0, with 2 if there are no traces, or the
    optimizer failed on all of them (`traceproof fuzz` says why), and with 130 if it was interrupted.
    """
    start, tally = time.monotonic(), _Tally()
    status = Status(start)
    deadline = None if seconds is None else start + seconds
    sources = _sources(paths, traces, seed, deadline)
    supervision = Supervision(jobs, optimizer.memory_mb, _EACH_S + optimizer.limit_s + _LATE_S)
    with open_optimizer(optimizer):
        pass  # a mistake is told here, not by every process
    code = Exit.PROVED
    try:
        with closing(answer_all(sources, _mining(optimizer), _lost, supervision)) as outcomes:
            for outcome in outcomes:
                tally.add(outcome)
                status.show(tally.line)
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    status.clear()
    for number, group in enumerate(islice(tally.groups.by_frequency(), top), start=1):
        click.echo(json.dumps(_json(group)) if as_json else _text(number, group))
    drawn_from = None if paths else seed
    click.echo(json.dumps(tally.data(drawn_from)) if as_json else tally.text(time.monotonic() - start, drawn_from))
    if tally.failed == tally.traces and code is Exit.PROVED:
        click.echo("the optimizer failed on every trace" if tally.traces else "there are no traces", err=True)
        return Exit.USAGE
    return code


@dataclass
class _Tally:
    """Counts over all traces."""

    groups: Groups = field(default_factory=Groups)
    traces: int = 0
    operations: int = 0
    chances: int = 0
    failed: int = 0
    limits: int = 0

    def add(self, outcome: Mined) -> None:
        self.traces += 1
        self.operations += outcome.operations or 0
        self.failed += outcome.operations is None
        self.limits += bool(outcome.limit)
        self.chances += len(outcome.missed)
        self.groups.add(outcome)

    def line(self, seconds: float) -> str:
        return f"{seconds:.0f} s: {counted(self.traces, 'trace')}, {self.chances} found"

    def text(self, seconds: float, seed: int | None) -> str:
        shapes = counted(len(self.groups), "shape")
        said = f"{self.chances} found, of {shapes}, in {counted(self.operations, 'operation')} that are left of "
        said += f"{counted(self.traces, 'trace')}; {seconds:.0f} s"
        if self.failed:
            said += f"\n{self.failed} not optimized"
        if self.limits:
            said += f"\n{self.limits} not modelled to the end"
        return said if seed is None else f"{said}\nrepeat with: traceproof mine --seed {seed} --traces {self.traces}"

    def data(self, seed: int | None) -> dict[str, object]:
        return {
            "traces": self.traces,
            "operations": self.operations,
            "found": self.chances,
            "shapes": len(self.groups),
            "not_optimized": self.failed,
            "not_modelled": self.limits,
            "seed": seed,
        }


def _sources(paths: tuple[str, ...], traces: int | None, seed: int, deadline: float | None) -> Iterator[Source]:
    if not paths:
        return _generated(seed, traces, deadline)
    refuse(["seed"], "the traces are given, and none is generated")
    return _given(paths, traces, deadline)


def _given(paths: tuple[str, ...], traces: int | None, deadline: float | None) -> Iterator[Source]:
    pool = load_pool(paths)
    for _, problem in pool.left_out:
        click.echo(f"left out: {problem}", err=True)
    for one in pool.traces[:traces]:
        if deadline is not None and time.monotonic() >= deadline:
            break
        yield Source(one.name, one.trace, one.stored)


def _generated(first: int, traces: int | None, deadline: float | None) -> Iterator[Source]:
    most = _TRACES if traces is None and deadline is None else traces
    for seed in seeds_from(first, most, deadline):
        made = generate_for(seed)
        yield Source(f"seed {seed}", made.trace, made.state)


@contextmanager
def _mining(spec: OptimizerSpec) -> Iterator[Callable[[Source], Mined]]:
    with open_optimizer(spec) as optimizer:
        yield lambda source: mined(source, optimizer, _EACH_S)


def _lost(source: Source, loss: Loss) -> Mined:
    return Mined(source.name, None, limit=loss.value)


def _proof(text: str) -> str:
    """The width in bits at which the rule is proved, in words; '' if it is not."""
    pattern, _, rest = text.partition(" if ")
    status = prove_rule(rule("mined", pattern, *filter(None, [rest])), _RULE_EFFORT)
    return f"proved at {status.width} bits by {status.method}" if isinstance(status, Proved) else ""


def _text(number: int, group: Group) -> str:
    found = group.example
    heading = f"{number}. {counted(group.count, 'time')}, in {counted(len(group.sources), 'trace')}; {found.source}:"
    lines = [heading, *(f"    {line}" for line in found.lines), f"    => {found.better}"]
    if found.rule and (proof := _proof(found.rule)):
        lines.append(f"    rule: {found.rule} ({proof})")
    return "\n".join((*lines, ""))


def _json(group: Group) -> dict[str, object]:
    found = group.example
    proof = _proof(found.rule) if found.rule else ""
    return {
        "count": group.count,
        "traces": len(group.sources),
        "source": found.source,
        "trace": "\n".join(found.lines),
        "better": found.better,
        "rule": found.rule if proof else None,
        "proof": proof or None,
    }
