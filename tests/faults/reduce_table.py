"""The command line of `scripts/reduce-table`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from faults.reduced_pairs import reduced_pair, told
from faults.reducing import row_of, smallest_known
from faults.table import OPTIMIZER_FAULTS, fault_named, take_faults

from fuzz.cases.store import case_names, read_case
from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace

CORPUS = Path(__file__).parents[2] / "corpus"


@dataclass(frozen=True, slots=True)
class Told:
    """A line of the table, and the reduced trace."""

    line: str
    trace: str
    seconds: float
    is_small: bool


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options().parse_args(arguments)
    if options.pairs:
        return _pairs(options.traces)
    names = [fault.name for fault in options.faults]
    print("| fault | found | reduced | smallest known | s | bucket |\n|---|---|---|---|---|---|")
    count = len(names)
    bad = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for row in pool.map(_told, names, [options.operations] * count, [options.seconds] * count):
            print(row.line, flush=True)
            if options.traces and row.trace:
                print(f"\n```\n{row.trace}```\n", flush=True)
            bad += not row.is_small or row.seconds > 10
    return 1 if bad else 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/reduce-table",
        description="Plants each fault of the optimizer in tests/faults, takes the first find of a campaign on traces "
        "of enough operations, and reduces it. Seconds are those of one core, solvers included. Ends with 1 if one was "
        "not found, took more than 10, or came out more than twice as large as the smallest trace known for it.",
        epilog="Example: scripts/reduce-table 'zero minus x' --traces",
    )
    parser.add_argument("--operations", type=int, default=60, metavar="N", help="of a find, at least; 60 by default")
    parser.add_argument("--seconds", type=float, default=300.0, metavar="N", help="to look for one; 300 by default")
    parser.add_argument("--pairs", action="store_true", help="reduce the wrong pairs of the corpus instead, as pairs")
    parser.add_argument("--traces", action="store_true", help="show the reduced traces")
    take_faults(parser, OPTIMIZER_FAULTS)
    return parser


def _pairs(with_traces: bool) -> int:
    """The wrong pairs of the corpus; 1 if the traces differ in other operations in what is left."""
    print("| case | operations | reduced | before -> after | in what is left |\n|---|---|---|---|---|")
    lost = 0
    for name in case_names(CORPUS):
        case = read_case(CORPUS, name)
        if case.expect != "refuted":
            continue
        pair = reduced_pair(case)
        found, left = pair.sizes
        said = "the same" if pair.shows else told(pair.change_left)
        print(f"| {name} | {found} | {left} | {told(pair.change)} | {said} |", flush=True)
        if with_traces and isinstance(pair.left.find.after, Trace):
            print(f"\n```\n{format_trace(pair.left.before)}```\n\n```\n{format_trace(pair.left.find.after)}```\n")
        lost += not pair.shows_in_part
    return 1 if lost else 0


def _told(name: str, operations: int, seconds: float) -> Told:
    fault = fault_named(name, OPTIMIZER_FAULTS)
    row, known = row_of(fault, operations, seconds), smallest_known(fault)
    if row is None:
        return Told(f"| {name} | not found | | {known or ''} | | |", "", 0.0, False)
    found, left = row.sizes
    line = f"| {name} | {found} | {left} | {known or ''} | {row.seconds:.1f} | {row.settled.bucket} |"
    return Told(line, format_trace(row.settled.reduced.before), row.seconds, known is None or left <= 2 * known)


if __name__ == "__main__":
    sys.exit(main())
