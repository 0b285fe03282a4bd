"""Random traces together with an example on which they run to their end.

All that is known of an operation is read off its row of the table, so that a new row is generated without a
change here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from fuzz.draw.aimed_draft import AimedDraft
from fuzz.draw.choices import Choices, NotDrawable, RandomChoices
from fuzz.draw.draft import Draft
from fuzz.draw.mixes import DEFAULT_MIX, HEAP_MIX, RAW_MIX, draw_shape
from fuzz.draw.round import going_round
from fuzz.draw.shape import Shape
from fuzz.draw.steps.integers import count, event
from fuzz.draw.steps.pointers import heap_event
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from optimizer.ir.immutable import immutable
from optimizer.ir.run.interpreter import run
from optimizer.ir.run.objects import Datum
from optimizer.ir.trace import Trace, Value, Var
from validator.search.counterexample import State


@immutable
class GeneratedTrace:
    """A trace and an example: the state that it runs on, and the values of its variables.

    On the example every operation is defined and every guard passes.
    """

    trace: Trace
    state: State
    values: dict[str, Datum]

    def __str__(self) -> str:
        from validator.search.replay import Runs  # here: hardly any is printed
        from validator.tell.state_text import state_lines

        done = run(self.trace, self.state.inputs, self.state.world, heap=self.state.heap)
        return "\n".join([*state_lines(Runs(self.state, done, done), self.trace), "", str(self.trace)])

    __repr__ = __str__

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(str(self))  # Hypothesis looks at fields otherwise


_DEFAULT = Shape()

_TRIED = 20


def generate(random: Random, shape: Shape = _DEFAULT) -> GeneratedTrace:
    """A trace of that shape; the same for the same state of `random`."""
    return generate_from(RandomChoices(random), shape)


def generate_for(seed: int, vocabulary: Vocabulary = EVERYTHING) -> GeneratedTrace:
    """The trace that a campaign makes from that seed, which draws the shape as well. It keeps to the vocabulary."""
    choices = RandomChoices(Random(seed))
    return generate_from(choices, draw_shape(choices, vocabulary=vocabulary))


def can_draw(vocabulary: Vocabulary) -> bool:
    """Are there traces with more than an end?"""
    return any(len(generate_for(seed, vocabulary).trace.ops) > 1 for seed in range(_TRIED))


def generate_from(choices: Choices, shape: Shape) -> GeneratedTrace:
    """A trace of that shape from any source of choices."""
    draft = Draft(choices, shape) if shape.heap is None else AimedDraft(choices, shape, shape.heap)
    others: dict[Any, Callable[[Any], None]]
    others = dict.fromkeys(_ON_HEAPS, _nothing) if shape.heap is None else {event: heap_event}
    steps = [others.get(step, step) for step, weight in shape.mix or DEFAULT_MIX for _ in range(weight)]

    def step() -> None:
        if len(draft.ops) < shape.max_operations:
            try:
                choices.pick(steps)(draft)
            except NotDrawable:
                draft.kept = ()

    choices.repeat(shape.min_operations, shape.max_operations, step)
    _end(draft)
    trace, state, values = draft.finished()
    if shape.vocabulary.loops:
        trace = going_round(trace, state)
    return GeneratedTrace(trace, state, values)


def _nothing(draft: Draft) -> None:
    """A step on a heap where there is none."""


def _end(draft: Draft) -> None:
    """The end carries almost everything that nothing else shows; that of a loop has a value for each input."""
    if draft.shape.vocabulary.loops:
        jump = next(row for row in draft.rows.ends if row.jumps)
        draft.add(jump, tuple([_handed_on(draft, var) for var in draft.inputs]))
        return
    kept = [var for var in draft.unused.values() if draft.choices.chance(draft.shown_at_end(var))]
    draft.add(draft.choices.pick(draft.rows.ends), (*kept, *draft.some_handed(3)))


def _handed_on(draft: Draft, var: Var) -> Value:
    """The value that an input has in the next iteration: now and then the one that it has or the next one of a counter,
    else one that nothing else shows, or any."""
    if draft.choices.chance(_INVARIANT):
        return var
    if var in draft.numbers and draft.choices.chance(_COUNTED):
        with suppress(NotDrawable):
            return count(draft, var)
    results = [op.result for op in draft.ops if op.result is not None and op.result.type is var.type]
    unused = [result for result in results if result.name in draft.unused]
    return draft.choices.pick(unused or results or [other for other in draft.inputs if other.type is var.type])


_INVARIANT = 50
_COUNTED = 60

_ON_HEAPS = {step for step, _ in (*HEAP_MIX, *RAW_MIX)} - {step for step, _ in DEFAULT_MIX}
