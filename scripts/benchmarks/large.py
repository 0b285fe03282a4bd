"""Long traces, made to a pattern: what validator and optimizer need for them, in seconds and in memory.

Run as a program, it validates one large pair and prints what that took, so that the memory is that of a process of
its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from random import Random
from statistics import median

from benchmarks.measure import answer_of
from benchmarks.workloads import MIXED_SHAPE
from fuzz.draw.choices import RandomChoices
from fuzz.draw.generator import generate_from
from optimizer.ir.rows.ops import Kind
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.pipeline import optimize
from validator.prove.judge import validate

_DECLARATIONS = """+++
[struct.Box]
fields = { value = "int" }
[struct.Node]
fields = { value = "int", next = "ref" }
[array.Items]
item = "ref"
+++
"""

_LIVE = 20
"""The number of boxes that live at any place of a trace of boxes."""

_RUNS = 3


@dataclass(frozen=True, slots=True)
class Validation:
    """The cost of validating a large pair: `kilobytes` at the peak."""

    workload: str
    operations: int
    allocations: int
    verdict: str
    seconds: float
    kilobytes: int


@dataclass(frozen=True, slots=True)
class Optimization:
    """The seconds that `optimize` took for a trace, and for one of twice the length."""

    workload: str
    operations: tuple[int, int]
    seconds: tuple[float, float]

    @property
    def ratio(self) -> float:
        return self.seconds[1] / self.seconds[0]


def boxes(operations: int) -> Trace:
    """A trace of so many operations that computes on boxed integers, as an interpreter's loop does. So many boxes are
    live at any place, whatever its length."""
    lines = ["[p0, i0]", "guard_nonnull_class(p0, ConstClass(Node)) [p0, i0]"]
    lines += [line for k in range(_LIVE) for line in _box(f"b{k}", "i0")]
    box = [f"b{k}" for k in range(_LIVE)]
    for number in range(operations):
        if len(lines) >= operations:
            break
        old, other = box[number % _LIVE], box[(number * 7 + 3) % _LIVE]
        box[number % _LIVE] = f"n{number}"
        lines += _step(number, old, other)
    return parse("\n".join([_DECLARATIONS.strip(), *lines[:operations], "finish(p0)"]))


def _step(number: int, old: str, other: str) -> Iterator[str]:
    """The sum of two boxes goes into a new one; now and then the sum also goes to memory, or a box out of a guard."""
    yield f"guard_class({old}, ConstClass(Box)) [p0, {old}]"
    yield f"x{number} = getfield_gc_i({old}, descr=Box.value)"
    yield f"y{number} = getfield_gc_i({other}, descr=Box.value)"
    yield f"s{number} = int_add(x{number}, y{number})"
    yield from _box(f"n{number}", f"s{number}")
    if number % 4 == 1:
        yield f"v{number} = getfield_gc_i(p0, descr=Node.value)"
        yield f"w{number} = int_xor(v{number}, s{number})"
        yield f"setfield_gc(p0, w{number}, descr=Node.value)"
    if number % 4 == 3:
        yield f"c{number} = int_lt(x{number}, y{number})"
        yield f"guard_true(c{number}) [p0, n{number}, {other}]"


def _box(name: str, value: str) -> Iterator[str]:
    yield f"{name} = new_with_vtable(descr=Box)"
    yield f"setfield_gc({name}, {value}, descr=Box.value)"


def nodes(operations: int, allocations: int) -> Trace:
    """A trace of so many operations with so many allocations: linked nodes, of which some can be seen from outside."""
    lines = ["[p0, p1, i0]"]
    lines += [f"guard_nonnull_class({p}, ConstClass(Node)) [p0, p1, i0]" for p in ("p0", "p1")]
    last = "p1"
    for number in range(allocations):
        mine = f"n{number}"
        lines += [
            f"{mine} = new_with_vtable(descr=Node)",
            f"x{number} = getfield_gc_i({last}, descr=Node.value)",
            f"s{number} = int_add(x{number}, i0)",
            f"setfield_gc({mine}, s{number}, descr=Node.value)",
        ]
        match number % 5:
            case 0:
                lines.append(f"setfield_gc(p0, {mine}, descr=Node.next)")
            case 1 if number % 2:
                lines.append(f"guard_class({mine}, ConstClass(Node)) [p0, {mine}, {last}]")
            case 2:
                lines += [f"c{number} = int_lt(s{number}, 1000)", f"guard_true(c{number}) [p0, p1, {mine}]"]
            case 3:
                lines.append(f"setfield_gc({mine}, {last}, descr=Node.next)")
        if number % 40 == 39:
            lines.append(f"escape_n({mine})")
        last = mine
    lines += [f"z{k} = int_xor(i0, {k})" for k in range(operations - len(lines))]
    return parse("\n".join([_DECLARATIONS.strip(), *lines[:operations], "finish(p0)"]))


def integers(operations: int) -> Trace:
    """A generated trace of about so many operations on integers."""
    shape = replace(MIXED_SHAPE, min_operations=operations, max_operations=operations)
    return generate_from(RandomChoices(Random(1)), shape).trace


def validate_large() -> list[Validation]:
    """Validate pairs of about 1,000 operations, each in a process of its own."""
    # The peak is inherited from the process that starts this one: it is to be small still.
    found = []
    for name in LARGE:
        command = [sys.executable, "-m", "benchmarks.large", name]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        found.append(Validation(**json.loads(answer.stdout)))
    return found


def measure_optimizer(operations: int) -> list[Optimization]:
    """The time that `optimize` takes for traces of so many operations, and of twice as many, in seconds of a processor:
    the median of some runs, the lengths taking turns."""
    makers: dict[str, Callable[[int], Trace]] = {"integers": integers, "boxes": boxes}
    return [_optimization(name, make, operations) for name, make in makers.items()]


def _optimization(name: str, make: Callable[[int], Trace], operations: int) -> Optimization:
    traces = make(operations), make(2 * operations)
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(_RUNS):
        for trace, taken in zip(traces, seconds, strict=True):
            start = time.process_time()
            optimize(trace)
            taken.append(time.process_time() - start)
    lengths = len(traces[0].ops), len(traces[1].ops)
    return Optimization(name, lengths, (median(seconds[0]), median(seconds[1])))


LARGE: dict[str, Callable[[], tuple[Trace, Trace]]] = {
    "nodes": lambda: _with_optimized(nodes(1000, 200)),
    "nodes, itself": lambda: (nodes(1000, 200), nodes(1000, 200)),
}
"""The makers of the large pairs."""


def _with_optimized(trace: Trace) -> tuple[Trace, Trace]:
    return trace, optimize(trace)


def _main(name: str) -> None:
    before, after = LARGE[name]()
    start = time.perf_counter()
    verdict = answer_of(validate(before, after))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    allocations = sum(operation.op.kind is Kind.NEW for operation in before.ops)
    print(json.dumps(asdict(Validation(name, len(before.ops), allocations, verdict.value, seconds, peak))))


if __name__ == "__main__":
    _main(sys.argv[1])
