"""The table of `pypy-log --pairs`: how much PyPy's optimizer has left of each recorded trace."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence, Set

import click

from fuzz.cases.log_run import LogFile
from fuzz.cases.recorded import traces_of
from fuzz.report.words import counted
from optimizer.ir.dialects.pypy_pairs import Count, Kind, LogPair, Unpaired, counts_of, pair_sections
from validator.command.exits import Exit


def list_pairs(log: str, as_json: bool) -> Exit:
    """Prints a line for each pair of the log, in order, and the sums by kind."""
    table = _Table()
    for item in pair_sections(traces_of(log)):
        if isinstance(item, Unpaired):
            table.unpaired += 1
            table.kinds.add(item.section.is_recorded)
            table.is_damaged |= tell_unpaired(log, item, as_json)
            continue
        table.add(item)
        click.echo(json.dumps(pair_json(item)) if as_json else pair_line(item))
    if as_json:
        click.echo(json.dumps({"log": log, "pairs": table.pairs.total(), "unpaired": table.unpaired}))
    else:
        click.echo("".join(f"{line}\n" for line in table.lines(log)), nl=False)
    problem = "" if table.pairs else missing_sections(table.kinds)
    if problem:
        click.echo(f"{log}: {problem}", err=True)
    return Exit.USAGE if problem or table.is_damaged else Exit.PROVED


class _Table:
    """The sums over the pairs of a log, by kind."""

    def __init__(self) -> None:
        self.pairs: Counter[Kind] = Counter()
        self.unpaired = 0
        self.kinds: set[bool] = set()
        self.is_damaged = False
        self._before: dict[Kind, Counter[Count]] = {kind: Counter() for kind in Kind}
        self._after: dict[Kind, Counter[Count]] = {kind: Counter() for kind in Kind}

    def add(self, pair: LogPair) -> None:
        self.pairs[pair.kind] += 1
        self._before[pair.kind] += counts_of(pair.recorded)
        self._after[pair.kind] += counts_of(pair.optimized)

    def lines(self, log: str) -> list[str]:
        rest = f", {counted(self.unpaired, 'trace')} without" if self.unpaired else ""
        said = [f"{log}: {counted(self.pairs.total(), 'pair')}{rest}"]
        for kind, pairs in self.pairs.items():
            sums = ", ".join(
                f"{self._before[kind][count]} -> {self._after[kind][count]} {count.value}" for count in Count
            )
            said.append(f"  {counted(pairs, kind.value)}: {sums}")
        return said


def missing_sections(kinds: set[bool]) -> str:
    """The reason for which a log has no pairs, and the PYPYLOG that helps; `kinds` says whether it has recorded traces
    (true), and optimized ones (false)."""
    if not kinds:
        return "no trace is in it; PyPy prints pairs with PYPYLOG=jit-log-noopt,jit-log-opt:run.log"
    if len(kinds) == 2:
        return "no recorded trace has its optimized one behind it"
    there, missing = ("recorded", "jit-log-opt") if True in kinds else ("optimized", "jit-log-noopt")
    return f"only {there} traces are in it; PyPy prints the others with {missing} in PYPYLOG, too"


def problems_of(logs: Sequence[LogFile], only: Iterable[int] = (), seen: Set[int] = frozenset()) -> list[str]:
    """The logs, read to their ends, that are damaged or have no pairs, each with the reason; if there are none, what is
    asked for `only` and was `seen` in none of them."""
    damaged = [log for log in logs if log.damage or not log.pairs]
    missing = ", ".join(map(str, sorted({*only} - seen)))
    if damaged or not missing:
        return [f"{log.name}: {log.damage or missing_sections(log.kinds)}" for log in damaged]
    return [f"{log.name}: there is no pair {missing}: it has {counted(log.pairs, 'pair')}" for log in logs]


def pair_line(pair: LogPair, verdict: str = "") -> str:
    """A line about a pair, with its verdict if there is one."""
    before, after = counts_of(pair.recorded), counts_of(pair.optimized)
    operations, guards = (f"{before[count]} -> {after[count]}" for count in (Count.OPERATIONS, Count.GUARDS))
    told = f"{verdict:11} " if verdict else ""
    return f"{pair.number:6} {pair.kind.value:12} {told}{operations} operations, {guards} guards  {pair.point}".rstrip()


def pair_json(pair: LogPair) -> dict[str, object]:
    """The same for machines."""
    before, after = counts_of(pair.recorded), counts_of(pair.optimized)
    return {
        "number": pair.number,
        "kind": pair.kind.value,
        "point": pair.point,
        "line": pair.recorded.line,
        "recorded": {count.value: before[count] for count in Count},
        "optimized": {count.value: after[count] for count in Count},
    }


def tell_unpaired(log: str, item: Unpaired, as_json: bool) -> bool:
    """Prints a line about a trace without its counterpart; is it damaged?"""
    number, line, reason = item.number, item.section.line, item.reason
    said = {"log": log, "number": number, "line": line, "unpaired": reason}
    told = json.dumps(said) if as_json else f"{log}:{line}: trace {number} has no pair: {reason}"
    click.echo(told, err=not as_json)
    return bool(item.section.loss)
