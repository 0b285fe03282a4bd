"""The measurements as a Markdown table, beside the earlier ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from statistics import median

from subjects_table.measure import Failed, Measured, Sorted


def read(path: Path) -> list[Measured]:
    """The measurements that `write` has written. Raises Failed."""
    try:
        return [Measured(**one) for one in json.loads(path.read_text())]
    except (ValueError, TypeError):
        raise Failed(f"{path} holds no results of this script") from None


def write(path: Path, measured: Sequence[Measured]) -> None:
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(json.dumps([asdict(one) for one in measured], indent=1) + "\n")
    beside.rename(path)


def table(columns: Sequence[tuple[str, Sequence[Measured]]]) -> str:
    """A row for each fault of the last column, and what each column says of it; at the end the sums of the halves."""
    faults = list(dict.fromkeys((one.subject, one.fault, one.half) for one in columns[-1][1]))
    heads = [f"{name + ' ' if name else ''}{what}" for name, _ in columns for what in ("found", "traces", "CPU s")]
    lines = [_row(["subject", "fault", "half", *heads]), "|---" * (3 + len(heads)) + "|"]
    for subject, fault, half in faults:
        campaigns = [
            [one for one in measured if (one.subject, one.fault) == (subject, fault)] for _, measured in columns
        ]
        lines.append(_row([subject, fault, half, *(cell for some in campaigns for cell in _cells(some))]))
    return "\n".join([*lines, "", *_sums(columns, faults)]) + "\n"


def bucket_table(measured: Sequence[Sorted]) -> str:
    """A row for each fault, and how many buckets each subject's faults share."""
    heads = ["subject", "fault", "finds", "not reduced", "buckets", "largest", "its name"]
    lines = [_row(heads), "|---" * len(heads) + "|"]
    for one in measured:
        name, largest = next(iter(one.buckets.items()), ("", 0))
        numbers = map(str, (one.finds, one.not_reduced, len(one.buckets), largest))
        lines.append(_row([one.subject, one.fault, *numbers, name]))
    lines.append("")
    for subject in dict.fromkeys(one.subject for one in measured):
        found = [one for one in measured if one.subject == subject and one.buckets]
        names = {name for one in found for name in one.buckets}
        pairs = list(combinations([set(one.buckets) for one in found], 2))
        shared = sum(not one.isdisjoint(other) for one, other in pairs)
        lines.append(
            f"- {subject}: {len(names)} buckets of {len(found)} faults; {shared} of {len(pairs)} pairs share one"
        )
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(campaigns: Sequence[Measured]) -> list[str]:
    """The number of times that it was found, and the median of what that took, or of what was tried in vain."""
    if not campaigns:
        return ["", "", ""]
    counted = [one for one in campaigns if one.found] or campaigns
    found = sum(one.found for one in campaigns)
    said = ("no", "yes")[found] if len(campaigns) == 1 else f"{found} of {len(campaigns)}"
    return [said, f"{median(one.traces for one in counted):.0f}", f"{median(one.cpu_seconds for one in counted):.1f}"]


def _sums(columns: Sequence[tuple[str, Sequence[Measured]]], faults: Sequence[tuple[str, str, str]]) -> list[str]:
    lines = []
    for subject, half in dict.fromkeys((subject, half) for subject, _, half in faults):
        names = [fault for of, fault, its_half in faults if (of, its_half) == (subject, half)]
        told = []
        for name, measured in columns:
            campaigns = [one for one in measured if one.subject == subject and one.fault in names]
            found, cpu = sum(one.found for one in campaigns), sum(one.cpu_seconds for one in campaigns)
            told.append(f"{name + ': ' if name else ''}{found} of {len(campaigns)} campaigns find it, {cpu:.0f} CPU s")
        lines.append(f"- {subject}, {half}: {'; '.join(told)}")
    return lines
