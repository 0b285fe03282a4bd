"""Pairs of traces on concrete heaps, both written as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reference_heap import DECLARATIONS

from optimizer.ir.run.runs import World
from optimizer.ir.text import parse
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace, Var
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import Counterexample, State
from validator.search.replay import Replay
from validator.verdict import Failargs, Guards, Options


@dataclass(frozen=True)
class HeapPair:
    """Two traces with one header and one layout."""

    before: Trace
    after: Trace
    options: Options

    @property
    def layout(self) -> Layout:
        return layout_of(self.before, self.after)

    @property
    def replay(self) -> Replay:
        return Replay(self.before, self.after, self.options, self.layout)

    def state(self, heap: str, world: World | None = None, **numbers: int) -> State:
        """The inputs are the objects of those names, and `numbers`."""
        read = parse_heap(heap, self.layout)

        def value(var: Var) -> object:
            return numbers.get(var.name, read.named(var.name))

        values = [value(var) for var in self.before.inputs]
        assert None not in values, (heap, numbers)
        return State(tuple(values), world or World(), read)  # type: ignore[arg-type]  # checked above

    def counterexample(self, state: State, origins: Sequence[int | None] | None = None) -> Counterexample | None:
        """The guards of the second trace stand for those of the same numbers, if nothing else is said."""
        given = range(len(self.after.guards)) if origins is None else origins
        return self.replay.counterexample(state, tuple(given))


def heap_pair(
    before: str, after: str, header: str = "[p0, p1]", *, guards: str = "early", failargs: str = "check"
) -> HeapPair:
    """Bodies of traces under one header, with the declarations of `reference_heap`."""
    one, other = (
        parse(f"{DECLARATIONS}{header}\n{body}\n", file=file) for file, body in (("before", before), ("after", after))
    )
    return HeapPair(one, other, Options(Guards(guards), Failargs(failargs)))
