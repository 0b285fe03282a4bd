"""Operations that PyPy's optimizer and ours leave of the same recorded traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fuzz.cases.recorded import log_stem, traces_of
from optimizer.ir.dialects.pypy_pairs import Count, LogPair, counts_of, counts_of_names, pair_sections
from optimizer.ir.dialects.pypy_trace import read_recorded
from optimizer.ir.faults import InputError, Unsupported
from optimizer.pipeline import run_passes
from recorded_traces.tables import table

_Counts = tuple[Counter[Count], Counter[Count], Counter[Count]]
"""The numbers of what was recorded, of what PyPy leaves, and of what ours does."""


def beside_table(logs: Sequence[str]) -> str:
    """A line for each program, and one for all."""
    rows = {log_stem(log): _of_log(log) for log in logs}
    lines = [_line(name, pairs) for name, pairs in rows.items()]
    lines.append(_line("all", [pair for pairs in rows.values() for pair in pairs]))
    return table(["program", "traces", *(count.value for count in Count)], lines)


def _of_log(log: str) -> list[_Counts]:
    pairs = (item for item in pair_sections(traces_of(log)) if isinstance(item, LogPair))
    return [counts for pair in pairs if (counts := _of_pair(pair, log)) is not None]


def _of_pair(pair: LogPair, log: str) -> _Counts | None:
    try:
        ours = run_passes(read_recorded(pair.recorded, log)).trace
    except (InputError, Unsupported):
        return None
    left = counts_of_names(operation.op.name for operation in ours.ops)
    return counts_of(pair.recorded), counts_of(pair.optimized), left


def _line(name: str, pairs: Sequence[_Counts]) -> list[str]:
    recorded, theirs, ours = (sum((counts[side] for counts in pairs), Counter()) for side in range(3))
    counts = [f"{recorded[what]:,} → {theirs[what]:,} / {ours[what]:,}" for what in Count]
    return [name, str(len(pairs)), *counts]
