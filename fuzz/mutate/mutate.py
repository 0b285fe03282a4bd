"""Traces made from other traces, each with an example on which it runs to its end.

A mutation is a function that proposes a change, whatever comes of it; `fuzz.mutate.settle` then makes the example go
on, or gives up. All that is known of an operation is read off its row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


Mutation = Callable[[Subject], Sketch | None]

MUTATIONS: dict[Mutation, int] = {
    values.other_operand: 5,
    values.other_constant: 5,
    operations.other_operation: 5,
    operations.other_descr: 2,
    operations.other_sense: 2,
    values.other_failarg: 2,
    values.dead_slot: 1,
    values.other_input: 2,
    values.one_for_another: 2,
    operations.duplicated: 3,
    operations.repeated: 2,
    operations.moved: 3,
    operations.without_one: 3,
    operations.other_kind_of_end: 1,
    splice.spliced: 2,
    drawn.range_checked: 3,
    drawn.bits_checked: 2,
    drawn.compared: 2,
    drawn.related: 8,
}
"""The kinds of changes, and how often each is made."""


def mutate(
    parent: GeneratedTrace,
    others: Sequence[GeneratedTrace],
    random: Random,
    vocabulary: Vocabulary = EVERYTHING,
) -> GeneratedTrace:
    """The trace with one to four mutations, of which few are likelier than many; the parent itself where none of them
    worked out. `others` are what it may be spliced with. What all of them keep to, the made one does."""
    kinds, weights = list(MUTATIONS), list(MUTATIONS.values())
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
        sketch = kind(subject)
    except NotDrawable:
        return None
    if sketch is None or len(sketch.trace.ops) > max(_LONGEST, len(parent.trace.ops)):
        return None
    made = settle(sketch, random)
    return None if made is None or made == parent or vocabulary.foreign(made.trace) else made
