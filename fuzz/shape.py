"""What generated traces look like: word width, sizes, and how often each kind of step occurs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fuzz.choices import Choices, chance, pick


class Step(Enum):
    """What the generator does next; one step is one to a few operations."""

    PURE = "pure"
    OVERFLOW = "overflow"
    CHAIN = "chain"  # an operation with a constant on the result of one with a constant
    REPEAT = "repeat"  # an operation that was there already
    RANGE_CHECK = "range check"
    BITS_CHECK = "bits check"
    RELATE = "relate"  # an operation on the result of another and one of its operands
    INFERENCE = "inference"  # a check of an operation's result, then a test of its operand
    GUARD = "guard"
    EVENT = "event"
    POSITION = "position"


Mix = tuple[tuple[Step, int], ...]

DEFAULT_MIX: Mix = (
    (Step.PURE, 12),
    (Step.OVERFLOW, 4),
    (Step.CHAIN, 4),
    (Step.REPEAT, 3),
    (Step.RANGE_CHECK, 4),
    (Step.BITS_CHECK, 2),
    (Step.GUARD, 2),
    (Step.EVENT, 1),
    (Step.POSITION, 1),
    (Step.INFERENCE, 4),
    (Step.RELATE, 8),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a trace is, and what it consists of.

    `inputs`, `max_operations` (the end not counted), `failargs` (of one guard) are upper limits; a step that
    has begun is completed, so that a trace may be a few operations longer. `mix` says how often each kind of
    step occurs. The last three are percentages: of slots that are dead, of guards with an exit block, and of
    guards without a list.
    """

    word: int = 64
    inputs: int = 4
    min_operations: int = 0
    max_operations: int = 40
    failargs: int = 5
    mix: Mix = DEFAULT_MIX
    dead_slots: int = 6
    exit_blocks: int = 5
    unknown_failargs: int = 2


WORDS = (64, 64, 64, 64, 64, 64, 64, 32, 32, 16, 8, 4)


def draw_shape(choices: Choices) -> Shape:
    """A shape as each seed of a campaign has: most are of 64 bits, some leave out kinds of steps."""
    longest = pick(choices, (20, 40, 40, 60))
    mix = DEFAULT_MIX
    if chance(choices, 50):
        mix = ((Step.PURE, 4), *((step, weight * choices.integer(0, 3)) for step, weight in mix[1:]))
    return Shape(
        word=pick(choices, WORDS),
        inputs=choices.integer(1, 6),
        min_operations=5,
        max_operations=longest,
        mix=mix,
        unknown_failargs=pick(choices, (0, 0, 0, 10)),
    )
