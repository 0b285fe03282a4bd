"""The state that a run starts from, and a state on which two traces differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from optimizer.ir.immutable import immutable
from optimizer.ir.run.runs import World

if TYPE_CHECKING:
    from optimizer.ir.run.heap import Heap
    from optimizer.ir.run.objects import Datum
    from optimizer.ir.run.runs import Run
    from optimizer.ir.trace import Trace


@immutable
class State:
    """The state that a run starts from: a value for each input, the script of the world outside, and the heap (None
    where there is none but the constants that the traces name). The heap is not to be changed: runs take copies."""

    inputs: tuple[Datum, ...]
    world: World = field(default_factory=World)
    heap: Heap | None = None


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A state on which two traces differ, both runs on it, and the obligation that it breaks.

    `difference` is a sentence. `origins` are those that it was found under, one for each guard of the optimized trace.
    `expected` is the run of the recorded trace up to the guard that the optimized one left for, if it left. `by` is the
    rung that found it: `running` or `solving`. Of a loop the traces are so many `iterations`, one behind the other, and
    `proof` is the one that failed.
    """

    traces: tuple[Trace, Trace] = field(compare=False)
    obligation: str
    state: State
    before: Run
    after: Run
    difference: str
    origins: tuple[int | None, ...] = ()
    expected: Run | None = None
    by: str = "running"
    proof: str = ""
    iterations: int = 0
