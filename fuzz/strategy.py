"""Traces as a Hypothesis strategy, for property tests of optimizers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from random import Random

from hypothesis import strategies as st

from fuzz.draw.choices import Choices, RandomChoices
from fuzz.draw.generator import GeneratedTrace, generate_from
from fuzz.draw.mixes import draw_shape
from fuzz.draw.shape import Shape
from fuzz.draw.vocabulary import Vocabulary, check_names
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace


class DrawnChoices(Choices):
    """Decisions that Hypothesis draws, and therefore shrinks."""

    __slots__ = ("draw",)

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def integer(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def repeat(self, low: int, high: int, turn: Callable[[], None]) -> None:
        for _ in range(low):
            turn()
        for _ in range(low, high):
            if not self.draw(_one_more(turn, max(3, high // 2))):
                return


@st.composite
def _one_more(draw: st.DrawFn, turn: Callable[[], None], mean: int) -> bool:
    # Hypothesis deletes at once what one strategy draws: the decision to go on together with the turn.
    if draw(st.integers(0, mean)) == 0:
        return False
    turn()
    return True


@st.composite
def generated_traces(draw: st.DrawFn, shape: Shape) -> GeneratedTrace:
    """Traces of that shape with their examples."""
    return generate_from(DrawnChoices(draw), shape)


def traces(word: int = 64, max_ops: int = 20, kinds: Collection[str] = ()) -> st.SearchStrategy[Trace]:
    """Well-formed traces, each with a state on which it runs to its end; they shrink to short ones.

    `word` is the width of a machine word, 4 to 64 bits; `max_ops` limits the operations before the end (a
    trace may have a few more). `kinds` are those of `traceproof fuzz --kinds`, such as "integers" and "objects"; all of
    them if none is given. Raises ValueError for a word, limit or kind outside of these.
    """
    if not 4 <= word <= 64:
        raise ValueError(f"word is {word}, expected 4 to 64 bits")
    if max_ops < 0:
        raise ValueError(f"max_ops is {max_ops}, expected 0 or more")
    vocabulary = Vocabulary(tuple(kinds), word=word)
    try:
        check_names(vocabulary, str)
    except InputError as mistake:
        raise ValueError(str(mistake)) from None
    return st.sampled_from(_shapes(vocabulary, max_ops)).flatmap(generated_traces).map(lambda made: made.trace)


_SHAPES = 40


def _shapes(vocabulary: Vocabulary, max_ops: int) -> list[Shape]:
    """A plain shape for integers, and those for other kinds that seeds of a campaign have. They are fixed: a trace
    whose shape changes while it shrinks is another one."""
    drawn = [draw_shape(RandomChoices(Random(n)), vocabulary=vocabulary) for n in range(_SHAPES)]
    if vocabulary.has("integers"):
        plain = Shape(word=drawn[0].word, vocabulary=vocabulary)
        drawn = [plain, *(shape for shape in drawn if shape.heap is not None or shape.floats)]
    return [replace(shape, min_operations=0, max_operations=max_ops) for shape in drawn]
