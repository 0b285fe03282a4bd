"""The table of `pypy-log --pairs`: how much PyPy's optimizer has left of each recorded trace."""

from __future__ import annotations

import json
from collections import Counter

import click

from fuzz.cases.recorded import traces_of
from fuzz.report.words import counted
from optimizer.ir.dialects.pypy_pairs import Count, Kind, LogPair, Unpaired, counts_of, pair_sections
from validator.command.exits import Exit


def list_pairs(log: str, as_json: bool) -> Exit:
    """Prints a line for each pair of the log, in order, and the sums by kind."""
    table = _Table()
    for item in pair_sections(traces_of(log)):
        if isinstance(item, Unpaired):
            table.unpaired.append(item)
            if as_json:
                click.echo(json.dumps(_unpaired_json(item)))
            else:
                click.echo(f"{log}:{item.section.line}: trace {item.number} has no pair: {item.reason}", err=True)
            continue
        before, after = counts_of(item.recorded), counts_of(item.optimized)
        table.add(item.kind, before, after)
        click.echo(json.dumps(_pair_json(item, before, after)) if as_json else _pair_line(item, before, after))
    if as_json:
        click.echo(json.dumps({"log": log, "pairs": table.pairs.total(), "unpaired": len(table.unpaired)}))
    else:
        click.echo("".join(f"{line}\n" for line in table.lines(log)), nl=False)
    problem = table.problem()
    if problem:
        click.echo(f"{log}: {problem}", err=True)
    damaged = any(item.section.loss for item in table.unpaired)
    return Exit.USAGE if problem or damaged else Exit.PROVED


class _Table:
    """The sums over the pairs of a log, by kind."""

    def __init__(self) -> None:
        self.pairs: Counter[Kind] = Counter()
        self.unpaired: list[Unpaired] = []
        self._before: dict[Kind, Counter[Count]] = {kind: Counter() for kind in Kind}
        self._after: dict[Kind, Counter[Count]] = {kind: Counter() for kind in Kind}

    def add(self, kind: Kind, before: Counter[Count], after: Counter[Count]) -> None:
        self.pairs[kind] += 1
        self._before[kind] += before
        self._after[kind] += after

    def lines(self, log: str) -> list[str]:
        rest = f", {counted(len(self.unpaired), 'trace')} without" if self.unpaired else ""
        said = [f"{log}: {counted(self.pairs.total(), 'pair')}{rest}"]
        for kind, pairs in self.pairs.items():
            sums = ", ".join(
                f"{self._before[kind][count]} -> {self._after[kind][count]} {count.value}" for count in Count
            )
            said.append(f"  {counted(pairs, kind.value)}: {sums}")
        return said

    def problem(self) -> str:
        """The reason for which there are no pairs, and the PYPYLOG that helps; '' where there are some."""
        kinds = {item.section.is_recorded for item in self.unpaired}
        if self.pairs or len(kinds) == 2:
            return ""
        if not kinds:
            return "no trace is in it; PyPy prints pairs with PYPYLOG=jit-log-noopt,jit-log-opt:run.log"
        there, missing = ("recorded", "jit-log-opt") if True in kinds else ("optimized", "jit-log-noopt")
        return f"only {there} traces are in it; PyPy prints the others with {missing} in PYPYLOG, too"


def _pair_line(pair: LogPair, before: Counter[Count], after: Counter[Count]) -> str:
    operations, guards = (f"{before[count]} -> {after[count]}" for count in (Count.OPERATIONS, Count.GUARDS))
    return f"{pair.number:6} {pair.kind.value:12} {operations} operations, {guards} guards  {pair.point}".rstrip()


def _pair_json(pair: LogPair, before: Counter[Count], after: Counter[Count]) -> dict[str, object]:
    return {
        "number": pair.number,
        "kind": pair.kind.value,
        "point": pair.point,
        "line": pair.recorded.line,
        "recorded": {count.value: before[count] for count in Count},
        "optimized": {count.value: after[count] for count in Count},
    }


def _unpaired_json(item: Unpaired) -> dict[str, object]:
    return {"number": item.number, "line": item.section.line, "unpaired": item.reason}
