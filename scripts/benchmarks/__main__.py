"""The command line of `scripts/bench`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import click

from benchmarks.campaign import measure_campaigns
from benchmarks.commands import measure_commands
from benchmarks.large import measure_optimizer, validate_large
from benchmarks.measure import Race, methods, race
from benchmarks.sizes import grow
from benchmarks.tables import (
    as_json,
    campaign_table,
    command_table,
    growth_table,
    optimizer_table,
    race_table,
    rung_table,
    validation_table,
)
from benchmarks.workloads import WORKLOADS
from validator.command.exits import run_command
from validator.command.invoke import invoke


@click.command()
@click.option("--seconds", type=click.FloatRange(0), default=60, show_default=True, metavar="N", help="For all pairs.")
@click.option("--pairs", type=click.IntRange(1), default=1000, metavar="N", help="At most so many of each workload.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, metavar="S", help="The first one.")
@click.option(
    "--workload",
    "names",
    multiple=True,
    type=click.Choice([one.name for one in WORKLOADS]),
    help="Only this one; may be given more than once. All by default.",
)
@click.option(
    "--longest",
    type=click.IntRange(50),
    default=5000,
    show_default=True,
    metavar="N",
    help="Operations of the longest pairs whose growth is measured (50, 200, 1000 and 5000, up to that), and of the "
    "traces to optimize.",
)
@click.option(
    "--cap",
    "cap_s",
    type=click.FloatRange(0, min_open=True),
    default=10,
    show_default=True,
    metavar="S",
    help="Seconds for one of those pairs; a method that takes longer is told as that.",
)
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object instead of tables.")
def bench(
    seconds: float, pairs: int, seed: int, names: tuple[str, ...], longest: int, cap_s: float, is_json: bool
) -> int:
    """Measure how fast traces are validated and optimized.

    Pairs of a generated trace and what the optimizer makes of it, and fewer with one wrong edit, are validated by
    traceproof with Z3 alone (in this process, without an example to run), by traceproof with Bitwuzla where that is
    installed, and by the baseline, in turns, until the time is used up. Seeds S, S + 1 and so on make the pairs, the
    same ones on every machine. traceproof has an effort of ten million a query, about a second.

    The baseline is the checker of certificates without their cuts: terms of Z3 as the traces are written, overflow in
    twice the width, memory an array of arrays, a query for each obligation. It is told which guards and allocations
    belong together. The first obligation that does not follow, or takes a query more effort than that, makes its pair
    unknown, and ends it: the baseline refutes nothing.

    Beside that time, pairs of growing length are validated by the same methods, the command `validate` is started
    several times and given a batch of small pairs, traces of 20 to 60 operations are drawn, optimized and judged as a
    campaign does (there, the time of processors counts), a pair of 1,000 operations with 200 allocations is validated
    in a process of its own, and traces of 5,000 and 10,000 operations are optimized: generated ones on integers, and
    computations with boxed integers of which as many are live in both.

    Times are those of the clock, so that solvers in processes of their own count, and are this machine's at this
    moment: the ratios of one run count. Ends with 1 if the methods contradict each other.

    \b
    $ scripts/bench
    $ scripts/bench --workload heap --seconds 20 --json
    """
    chosen = [one for one in WORKLOADS if not names or one.name in names]
    weight = sum(one.weight for one in chosen)
    large = validate_large()
    commands = measure_commands(starts=min(pairs, 11), pairs=min(pairs, 300))
    racing = methods()
    campaigns = measure_campaigns(2 * min(pairs, 1000))
    races = [
        race(one, racing, range(seed, seed + pairs), seconds * one.weight / weight, _progress(one.name))
        for one in chosen
    ]
    growths = grow(racing, longest, cap_s, _progress("operations"))
    optimizations = measure_optimizer(longest)
    if is_json:
        data = as_json(races, growths, commands, campaigns, large, optimizations)
        print(json.dumps({"seed": seed, **data}, indent=2))
    else:
        told = [f"pairs from seed {seed} on\n", race_table(races), _remarks(races), rung_table(races)]
        told += [growth_table(growths, cap_s), command_table(commands), campaign_table(campaigns)]
        print(*told, validation_table(large), optimizer_table(optimizations), sep="\n")
    return 1 if any(one.contradictions for one in races) else 0


def _remarks(races: list[Race]) -> str:
    lines = [f"{one.workload.name}: {one.skipped} pairs left out, unsupported" for one in races if one.skipped]
    lines += [f"{one.workload.name}: {one.contradictions} contradictions" for one in races if one.contradictions]
    return "".join(f"{line}\n" for line in lines)


def _progress(what: str) -> Callable[[int], None]:
    def show(count: int) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{what}: {count}\r", end="", file=sys.stderr, flush=True)

    return show


if __name__ == "__main__":
    sys.exit(run_command(lambda: invoke(bench, sys.argv[1:], "scripts/bench")))
