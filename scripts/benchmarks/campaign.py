"""The speed of a campaign on traces of 20 to 60 operations: how many are drawn, optimized and judged with their
failargs, in one process.

Each seed draws its shape as in a campaign, and then a size: 20 to 40, or to 60 where the shape has traces that long.
Measured once as it is drawn, and once without the steps and objects that are not of integers and typed memory.
Steps are taken until the trace has that size; few are longer than 60, and left out, but making them counts.

Run as a program, it does that for some seeds and tells what that took. The start and the end of Python count as
nothing, those of the solvers that it starts count.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import count, islice
from random import Random

from benchmarks.measure import answer_of
from fuzz.draw.choices import Choices, RandomChoices
from fuzz.draw.generator import GeneratedTrace, generate_from
from fuzz.draw.mixes import DEFAULT_MIX, HEAP_MIX, draw_shape
from fuzz.draw.shape import Shape
from fuzz.draw.steps.calls import call_something
from fuzz.draw.steps.strings import use_strings
from optimizer.ir.immutable import replace
from optimizer.pipeline import optimize
from validator.command.exits import collect_seldom
from validator.prove.judge import validate
from validator.solvers.answers import SolverChoice
from validator.solvers.process import end_all
from validator.verdict import Options

_SOLVERS = {"z3": SolverChoice.Z3, "Bitwuzla": SolverChoice.BITWUZLA}

_FEWEST, _MIDDLE, _MOST = 20, 40, 60


@dataclass(frozen=True, slots=True)
class Campaign:
    """The cost of making and judging that many traces: seconds of processors, solvers included, and of the clock."""

    kinds: str
    solver: str
    traces: int
    operations: float
    cpu_seconds: float
    seconds: float
    verdicts: dict[str, int]

    @property
    def rate(self) -> float:
        """Traces for each second of a processor."""
        return self.traces / self.cpu_seconds


def measure_campaigns(traces: int) -> list[Campaign]:
    """The campaigns of that many traces, with Z3 alone, and with Bitwuzla alone where that is installed."""
    solvers = [name for name in _SOLVERS if name == "z3" or find_spec("bitwuzla") is not None]
    return [_measure(kinds, solver, traces) for kinds in _SHAPES for solver in solvers]


def _measure(kinds: str, solver: str, traces: int) -> Campaign:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-m", "benchmarks.campaign", kinds, solver, str(traces)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return Campaign(**json.loads(done.stdout))


def main(kinds: str, solver: str, most: int) -> None:
    collect_seldom()  # as the processes of a campaign do
    options = Options(effort=1_000_000, timeout_s=5.0, solver=_SOLVERS[solver])
    verdicts: Counter[str] = Counter()
    before, start, operations = _used(), time.perf_counter(), 0
    for made in islice(_of_those_sizes(_SHAPES[kinds]), most):
        verdict = validate(made.trace, optimize(made.trace), options, examples=(made.state,), runs_to_end=True)
        verdicts[answer_of(verdict).value] += 1
        operations += len(made.trace.ops)
    end_all()
    seconds = time.perf_counter() - start
    measured = Campaign(kinds, solver, most, operations / most, _used() - before, seconds, dict(verdicts))
    print(json.dumps(asdict(measured)))


def _used() -> float:
    """Seconds of processors, of this process and those that it has started and that have ended."""
    return sum(os.times()[:4])


def _of_those_sizes(shape_of: Callable[[Choices], Shape]) -> Iterator[GeneratedTrace]:
    made = (_made(shape_of, seed) for seed in count())
    return (one for one in made if _FEWEST <= len(one.trace.ops) <= _MOST)


def _made(shape_of: Callable[[Choices], Shape], seed: int) -> GeneratedTrace:
    choices = RandomChoices(Random(seed))
    shape = shape_of(choices)
    size = choices.integer(_FEWEST, max(_MIDDLE, shape.max_operations))
    return generate_from(choices, replace(shape, min_operations=size, max_operations=size))


def _of_integers_and_memory(choices: Choices) -> Shape:
    shape = draw_shape(choices)
    mix = tuple((step, weight) for step, weight in shape.mix if step in _PLAIN_STEPS)
    heap = shape.heap and replace(shape.heap, strings=False, floats=False, functions=0, exceptions=0)
    return replace(shape, mix=mix or DEFAULT_MIX, heap=heap, floats=0)


_PLAIN_STEPS = {step for step, _ in DEFAULT_MIX + HEAP_MIX} - {call_something, use_strings}

_SHAPES = {"integers and memory": _of_integers_and_memory, "all kinds": draw_shape}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
