"""The command line of `scripts/subjects-table`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from subjects_table.measure import NAMES, Campaign, Failed, Fault, Measured, Sorted, faults, measure, sort
from subjects_table.tables import bucket_table, read, table, write

_OURS = str(Path(sys.executable).with_name("traceproof"))
_FILE = click.Path(dir_okay=False, path_type=Path)
_RESULTS = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option("--subject", "subjects", multiple=True, type=click.Choice(NAMES), help="Only this one.")
@click.option(
    "--half",
    type=click.Choice(["tuning", "held-out", "all"]),
    default="all",
    show_default=True,
    help="Which faults. The held-out half is for measuring alone.",
)
@click.option("--fault", "names", multiple=True, metavar="NAME", help="Only this one; may be given more than once.")
@click.option("--seconds", default=45.0, show_default=True, metavar="N", help="For each campaign.")
@click.option(
    "--seed", "seeds", multiple=True, type=int, default=[1], metavar="S", help="A campaign from this seed; 1."
)
@click.option("--jobs", default=2, show_default=True, metavar="J", help="So many campaigns at a time.")
@click.option(
    "--buckets", type=click.IntRange(1), metavar="N", help="Tell into which buckets N finds of each are sorted."
)
@click.option("--traceproof", "command", default=_OURS, metavar="CMD", help="The traceproof to measure; this one.")
@click.option("--json", "results", type=_FILE, help="Write what was measured to this file.")
@click.option("--compare", type=_RESULTS, help="Put the results of this file beside it.")
@click.option("--show", type=_RESULTS, help="Measure nothing, show the results of this file.")
@click.argument("more", nargs=-1)
def subjects_table(
    subjects: tuple[str, ...],
    half: str,
    names: tuple[str, ...],
    seconds: float,
    seeds: tuple[int, ...],
    jobs: int,
    buckets: int | None,
    command: str,
    results: Path | None,
    compare: Path | None,
    show: Path | None,
    more: tuple[str, ...],
) -> None:
    """Look for each planted fault of optimizers that are not ours, by a campaign of one process for each.

    A fault counts as found where a campaign ends with a wrong trace that the optimizer gets right without the fault.
    Options of `traceproof fuzz` stand behind `--`; a bound for `--traces` makes campaigns comparable whatever else the
    machine does. The table says the traces that were tried and the seconds of processors that this took, all
    processes included.

    \b
    $ scripts/subjects-table --subject peephole --half tuning --json before.json
    $ scripts/subjects-table --compare before.json -- --traces 9000
    $ scripts/subjects-table --subject peephole --buckets 30 -- --kinds integers
    """
    try:
        if buckets is not None:
            if results or compare or show or len(seeds) > 1:
                raise click.UsageError("--buckets goes with one --seed, and without --json, --compare and --show")
            print(
                bucket_table(
                    _sort(_chosen(subjects, half, names), seeds[0], Campaign(command, seconds, more), jobs, buckets)
                ),
                end="",
            )
            return
        if show:
            measured = read(show)
        else:
            tasks = [(fault, seed) for fault in _chosen(subjects, half, names) for seed in seeds]
            measured = _measure(tasks, Campaign(command, seconds, more), jobs)
        if results:
            write(results, measured)
        columns = [("before", read(compare)), ("after", measured)] if compare else [("", measured)]
    except Failed as failure:
        raise click.ClickException(str(failure)) from None
    print(table(columns), end="")


def _chosen(subjects: Sequence[str], half: str, names: Sequence[str]) -> list[Fault]:
    """The faults of these names, all if there are none."""
    chosen = [fault for subject in subjects or NAMES for fault in faults(subject, half)]
    for name in names:
        if name not in [fault.name for fault in chosen]:
            raise click.UsageError(f"there is no fault {name!r}")
    return [fault for fault in chosen if not names or fault.name in names]


def _measure(tasks: Sequence[tuple[Fault, int]], campaign: Campaign, jobs: int) -> list[Measured]:
    measured = []
    with ThreadPoolExecutor(jobs) as pool:
        for one in pool.map(lambda task: measure(task[0], task[1], campaign), tasks):
            measured.append(one)
            _tell(one)
    return measured


def _sort(chosen: Sequence[Fault], seed: int, campaign: Campaign, jobs: int, finds: int) -> list[Sorted]:
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda fault: sort(fault, seed, campaign, finds), chosen))


def _tell(one: Measured) -> None:
    found = "found" if one.found else "NOT FOUND"
    print(f"{one.subject}: {one.fault}: {found}, {one.traces} traces, {one.cpu_seconds} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    subjects_table()
