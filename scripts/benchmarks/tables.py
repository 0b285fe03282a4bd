"""The figures as tables, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.large import Growth, Validation
from benchmarks.measure import Race
from benchmarks.naive import Answer

Rows = Sequence[Sequence[str]]


def race_table(races: Sequence[Race]) -> str:
    rows = [
        ["workload", "ops", "on heap", "pairs", "method", "median", "total", "proved", "refuted", "unknown", "ratio"]
    ]
    for one in races:
        for record in one.records:
            rows.append(
                [
                    one.workload.name,
                    f"{one.operations:.0f}",
                    f"{one.on_heap:.0f}",
                    str(len(record.seconds)),
                    record.method.name,
                    f"{record.median * 1000:.2f} ms",
                    f"{record.total:.2f} s",
                    *(str(record.count(answer)) for answer in (Answer.PROVED, Answer.REFUTED, Answer.UNKNOWN)),
                    f"x{record.total / one.records[0].total:.1f}",
                ]
            )
    return _table("Pairs (ratio: of total times, to the first method)", rows)


def validation_table(found: Sequence[Validation]) -> str:
    rows = [["trace", "operations", "allocations", "verdict", "seconds", "peak memory"]]
    for one in found:
        size = [str(one.operations), str(one.allocations), one.verdict]
        rows.append([one.workload, *size, f"{one.seconds:.2f} s", f"{one.kilobytes / 1024:.0f} MB"])
    return _table("Validation of one large pair, in a process of its own", rows)


def growth_table(found: Sequence[Growth]) -> str:
    rows = [["trace", "operations", "seconds", "operations", "seconds", "ratio"]]
    for one in found:
        (short, long), (fast, slow) = one.operations, one.seconds
        rows.append([one.workload, str(short), f"{fast:.3f} s", str(long), f"{slow:.3f} s", f"{one.ratio:.2f}"])
    return _table("optimize, medians", rows)


def _table(title: str, rows: Rows) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([title, "", *lines, ""])


def as_json(races: Sequence[Race], validations: Sequence[Validation], growths: Sequence[Growth]) -> dict[str, Any]:
    return {
        "races": [
            {
                "workload": one.workload.name,
                "operations": one.operations,
                "on_heap": one.on_heap,
                "skipped": one.skipped,
                "contradictions": one.contradictions,
                "methods": {
                    record.method.name: {
                        "pairs": len(record.seconds),
                        "median_s": record.median,
                        "total_s": record.total,
                        **{answer.value: record.count(answer) for answer in Answer},
                    }
                    for record in one.records
                },
            }
            for one in races
        ],
        "large": [
            {
                "trace": one.workload,
                "operations": one.operations,
                "allocations": one.allocations,
                "verdict": one.verdict,
                "seconds": one.seconds,
                "peak_kilobytes": one.kilobytes,
            }
            for one in validations
        ],
        "optimize": [
            {"trace": one.workload, "operations": one.operations, "seconds": one.seconds, "ratio": one.ratio}
            for one in growths
        ],
    }
