"""The figures as tables, and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.campaign import Campaign
from benchmarks.commands import Commands
from benchmarks.large import Optimization, Validation
from benchmarks.measure import Answer, Race, Record
from benchmarks.sizes import Growth

Rows = Sequence[Sequence[str]]


def race_table(races: Sequence[Race]) -> str:
    rows = [["workload", "ops", "pairs", "method", "median", "total", "proved", "refuted", "unknown", "faster"]]
    for one in races:
        for record in one.records:
            rows.append(
                [
                    one.workload.name,
                    f"{one.operations:.0f}",
                    str(len(record.seconds)),
                    record.method.name,
                    f"{record.median * 1000:.2f} ms",
                    f"{record.total:.2f} s",
                    *(str(record.count(answer)) for answer in (Answer.PROVED, Answer.REFUTED, Answer.UNKNOWN)),
                    f"x{one.baseline.total / record.total:.1f}",
                ]
            )
    return _table("Pairs (faster: the baseline's total time by this one's)", rows)


def rung_table(races: Sequence[Race]) -> str:
    """The shares of the obligations of pairs that were not refuted."""
    shown = [(one, record) for one in races for record in one.records if record.rungs]
    rungs = [rung for rung, _ in sum((record.rungs for _, record in shown), Counter()).most_common()]
    rows = [["workload", "method", "obligations", *(f"by {rung}" if rung != "none" else rung for rung in rungs)]]
    for one, record in shown:
        shares = [f"{100 * record.rungs[rung] / record.rungs.total():.1f} %" for rung in rungs]
        rows.append([one.workload.name, record.method.name, str(record.rungs.total()), *shares])
    return _table("What settled the obligations of pairs that are not refuted", rows)


def growth_table(found: Sequence[Growth], cap_s: float) -> str:
    rows = [["workload", "operations", "pairs", "method", "median", "unknown"]]
    for one in found:
        seconds = f"{one.seconds:.3f} s" if one.in_time else f"> {cap_s:.0f} s"
        unknown = sum(judged.answer is Answer.UNKNOWN for judged in one.judged)
        rows.append([one.workload, str(one.operations), str(len(one.judged)), one.method.name, seconds, str(unknown)])
    return _table(f"Pairs by length (a pair has {cap_s:.0f} s)", rows)


def command_table(found: Commands) -> str:
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in found.verdicts.items())
    rows = [
        ["command", "runs", "fastest", "median", ""],
        [
            "validate, a pair that structure settles",
            str(found.starts),
            f"{found.fastest:.3f} s",
            f"{found.start:.3f} s",
            f"the interpreter alone: {found.interpreter:.3f} s",
        ],
        [
            "validate --batch, a pair of up to ten operations",
            str(found.pairs),
            "",
            f"{found.pair * 1000:.2f} ms",
            f"all: {found.batch:.2f} s; {verdicts}",
        ],
    ]
    return _table("The command, as a process", rows)


def campaign_table(found: Sequence[Campaign]) -> str:
    rows = [["traces of", "solver alone", "traces", "operations", "traces a CPU second", "CPU", "clock", "verdicts"]]
    for one in found:
        size = [one.kinds, one.solver, str(one.traces), f"{one.operations:.0f}", f"{one.rate:.0f}"]
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in one.verdicts.items())
        rows.append([*size, f"{one.cpu_seconds:.2f} s", f"{one.seconds:.2f} s", verdicts])
    return _table("Drawn, optimized and judged: traces of 20 to 60 operations (the time of solvers counts)", rows)


def validation_table(found: Sequence[Validation]) -> str:
    rows = [["trace", "operations", "allocations", "verdict", "seconds", "peak memory"]]
    for one in found:
        size = [str(one.operations), str(one.allocations), one.verdict]
        rows.append([one.workload, *size, f"{one.seconds:.2f} s", f"{one.kilobytes / 1024:.0f} MB"])
    return _table("Validation of one large pair, in a process of its own", rows)


def optimizer_table(found: Sequence[Optimization]) -> str:
    rows = [["trace", "operations", "seconds", "operations", "seconds", "ratio"]]
    for one in found:
        (short, long), (fast, slow) = one.operations, one.seconds
        rows.append([one.workload, str(short), f"{fast:.3f} s", str(long), f"{slow:.3f} s", f"{one.ratio:.2f}"])
    return _table("optimize, medians", rows)


def _table(title: str, rows: Rows) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([title, "", *lines, ""])


def as_json(
    races: Sequence[Race],
    growths: Sequence[Growth],
    commands: Commands,
    campaigns: Sequence[Campaign],
    validations: Sequence[Validation],
    optimizations: Sequence[Optimization],
) -> dict[str, Any]:
    return {
        "races": [_race(one) for one in races],
        "lengths": [
            {
                "operations": one.operations,
                "method": one.method.name,
                "median_s": one.seconds,
                "in_time": one.in_time,
                "answers": [judged.answer.value for judged in one.judged],
            }
            for one in growths
        ],
        "commands": asdict(commands),
        "campaigns": [{**asdict(one), "traces_a_cpu_second": one.rate} for one in campaigns],
        "large": [asdict(one) for one in validations],
        "optimize": [{**asdict(one), "ratio": one.ratio} for one in optimizations],
    }


def _race(race: Race) -> dict[str, Any]:
    return {
        "workload": race.workload.name,
        "operations": race.operations,
        "on_heap": race.on_heap,
        "skipped": race.skipped,
        "contradictions": race.contradictions,
        "methods": {record.method.name: _record(record) for record in race.records},
    }


def _record(record: Record) -> dict[str, Any]:
    return {
        "pairs": len(record.seconds),
        "median_s": record.median,
        "total_s": record.total,
        **{answer.value: record.count(answer) for answer in Answer},
        "rungs": dict(record.rungs),
    }
