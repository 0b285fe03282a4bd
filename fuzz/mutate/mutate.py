"""Traces made from other traces, each with an example on which it runs to its end.

A mutation is a function that proposes a change, whatever comes of it; `fuzz.mutate.settle` then makes the example go
on, or gives up. All that is known of an operation is read off its row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from random import Random

from fuzz.draw.choices import NotDrawable
from fuzz.draw.generator import GeneratedTrace
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from fuzz.mutate import drawn, operations, splice, values
from fuzz.mutate.settle import settle
from fuzz.mutate.sketch import Sketch, sketch_of
from fuzz.mutate.subject import Subject
from optimizer.riders import Names

_MOST_STACKED = 4
_TRIES = 4
_LONGEST = 80
"""Longer traces are not made: they would cost more than they tell."""


class Mutation(Enum):
    """The kinds of changes."""

    OPERAND = "operand"
    CONSTANT = "constant"
    OPERATION = "operation"
    DESCR = "descr"
    SENSE = "sense"
    FAILARG = "failarg"
    DEAD_SLOT = "dead slot"
    INPUT = "input"
    EQUAL = "equal"
    DUPLICATE = "duplicate"
    REPEAT = "repeat"
    MOVE = "move"
    DROP = "drop"
    END = "end"
    SPLICE = "splice"
    RANGE_CHECK = "range check"
    BITS_CHECK = "bits check"
    COMPARE = "compare"
    RELATE = "relate"


MUTATIONS: dict[Mutation, tuple[int, Callable[[Subject], Sketch | None]]] = {
    Mutation.OPERAND: (5, values.other_operand),
    Mutation.CONSTANT: (5, values.other_constant),
    Mutation.OPERATION: (5, operations.other_operation),
    Mutation.DESCR: (2, operations.other_descr),
    Mutation.SENSE: (2, operations.other_sense),
    Mutation.FAILARG: (2, values.other_failarg),
    Mutation.DEAD_SLOT: (1, values.dead_slot),
    Mutation.INPUT: (2, values.other_input),
    Mutation.EQUAL: (2, values.one_for_another),
    Mutation.DUPLICATE: (3, operations.duplicated),
    Mutation.REPEAT: (2, operations.repeated),
    Mutation.MOVE: (3, operations.moved),
    Mutation.DROP: (3, operations.without_one),
    Mutation.END: (1, operations.other_kind_of_end),
    Mutation.SPLICE: (2, splice.spliced),
    Mutation.RANGE_CHECK: (3, drawn.range_checked),
    Mutation.BITS_CHECK: (2, drawn.bits_checked),
    Mutation.COMPARE: (2, drawn.compared),
    Mutation.RELATE: (8, drawn.related),
}
"""The frequency of each kind of mutation, and the function that does it."""


def mutate(
    parent: GeneratedTrace,
    others: Sequence[GeneratedTrace],
    random: Random,
    vocabulary: Vocabulary = EVERYTHING,
) -> GeneratedTrace:
    """The trace with one to four mutations, of which few are likelier than many; the parent itself where none of them
    worked out. `others` are what it may be spliced with. What all of them keep to, the made one does."""
    kinds, weights = list(MUTATIONS), [weight for weight, _ in MUTATIONS.values()]
    current = parent
    for _ in range(1 + min(random.getrandbits(_MOST_STACKED - 1).bit_count(), random.randrange(_MOST_STACKED))):
        for kind in random.choices(kinds, weights, k=_TRIES):
            changed = apply(kind, current, random.choice(others) if others else parent, random, vocabulary)
            if changed is not None:
                current = changed
                break
    return current


def apply(
    kind: Mutation,
    parent: GeneratedTrace,
    other: GeneratedTrace,
    random: Random,
    vocabulary: Vocabulary = EVERYTHING,
) -> GeneratedTrace | None:
    """The trace with one mutation of that kind; None where none worked out that keeps to the vocabulary."""
    subject = Subject(sketch_of(parent), parent.values, other, random, Names(parent.trace), vocabulary)
    try:
        sketch = MUTATIONS[kind][1](subject)
    except NotDrawable:
        return None
    if sketch is None or len(sketch.trace.ops) > max(_LONGEST, len(parent.trace.ops)):
        return None
    made = settle(sketch, random)
    return None if made is None or made == parent or vocabulary.foreign(made.trace) else made
