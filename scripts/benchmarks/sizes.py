"""The growth of the time for a pair with its length: two kinds of traces, at some lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from benchmarks.measure import Judged, Method, timed
from benchmarks.workloads import COMPUTING_SHAPE, MIXED_SHAPE, optimized

_SHAPES = {"mix": MIXED_SHAPE, "computing": COMPUTING_SHAPE}

_PAIRS = {50: 5, 200: 3, 1000: 3, 5000: 3}
"""The lengths, in operations, and of how many pairs each median is."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The time that one method took for pairs of a length: the median, in seconds, or at least that long where not all
    ended in time. `judged` is what it said of each."""

    workload: str
    operations: int
    method: Method
    seconds: float
    judged: tuple[Judged, ...]

    @property
    def in_time(self) -> bool:
        return all(one.in_time for one in self.judged)


def grow(racing: Sequence[Method], largest: int, cap_s: float, progress: Callable[[int], None]) -> list[Growth]:
    """Judge pairs of every length up to `largest`, the methods in turns, each pair no longer than about `cap_s`."""
    found: list[Growth] = []
    for name, kind in _SHAPES.items():
        for operations, pairs in _PAIRS.items():
            if operations > largest:
                break
            shape = replace(kind, min_operations=operations, max_operations=operations)
            samples = [optimized(shape)(seed) for seed in range(1, pairs + 1)]
            taken = [[timed(method, sample, cap_s) for method in racing] for sample in samples]
            for method, results in zip(racing, zip(*taken, strict=True), strict=True):
                judged = tuple(one for one, _ in results)
                found.append(Growth(name, operations, method, median(seconds for _, seconds in results), judged))
            progress(operations)
    return found
