"""The shape of generated traces: word width, sizes, and the frequency of each kind of step."""

from __future__ import annotations

from enum import Enum

from fuzz.draw.choices import Choices
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.ops import OPS, REF, Op


class Step(Enum):
    """The kinds of the generator's steps; one step is one to a few operations."""

    PURE = "pure"
    OVERFLOW = "overflow"
    CHAIN = "chain"  # an operation with a constant on the result of one with a constant
    REPEAT = "repeat"  # an operation that was there already
    RANGE_CHECK = "range check"
    BITS_CHECK = "bits check"
    RELATE = "relate"  # an operation on the result of another and one of its operands
    LAW = "law"  # two operations that together do what one does, or none
    ORDER = "order"  # a guard on a comparison, then another comparison of the same two words
    INFERENCE = "inference"  # a check of an operation's result, then a test of its operand
    RELATIVE = "relative"  # what a relative of an operation computes of the same
    BORDER = "border"  # ranges, an operation, and a test of it at their borders
    GUARD = "guard"
    EVENT = "event"
    POSITION = "position"

    # On floats.
    FLOAT = "float"  # any operation
    FLOAT_LAW = "float law"  # one with a constant or with itself, of which there seems to be a law
    FLOAT_SIGNS = "float signs"  # signs of signs
    FLOAT_AGAIN = "float again"  # one that was there already
    FLOAT_CAST = "float cast"  # to a float and back, or the other way round
    FLOAT_TEST = "float test"  # a comparison, and what it says of another
    FLOAT_VALUE = "float value"  # a guard that says which float it is

    # On a heap; where there is none they are left out.
    LOAD = "load"
    STORE = "store"
    ALIASES = "aliases"  # accesses through two pointers to the same memory
    OVERWRITE = "overwrite"  # two stores to one place, with something between them
    WRITE_BACK = "write back"  # a store of what was read from there
    REREAD = "reread"  # two loads from one place, with an event between them
    ALLOCATE = "allocate"  # an object with some of its fields set
    REBUILD = "rebuild"  # an object that guards hand over, and that changes between them
    NEST = "nest"  # a fresh object put into another, or into itself
    LEAK = "leak"  # a fresh object put where it can be seen
    IDENTITY = "identity"  # a test of two pointers
    CHECK = "check"  # guards on a pointer
    CHECK_IN_TWO = "check in two"  # guards on a pointer that could be one
    LENGTH = "length"  # of an array
    ITEMS = "items"  # accesses to one array at constant and variable indices
    FACT = "fact"
    CALLED = "called"  # an immutable field of an object that a call initializes
    CALL = "call"  # functions, exceptions, conditional and loop-invariant calls
    TEXT = "text"  # copies between strings, and their hashes
    WATCH = "watch"  # a quasi-immutable field, and the check that it is still what it was

    # In raw memory, beside a heap.
    RAW_ACCESS = "raw access"
    RAW_OVERLAP = "raw overlap"  # a store, and a load that may overlap with it
    RAW_OVERWRITE = "raw overwrite"  # two stores that may overlap, with something between them
    RAW_REREAD = "raw reread"  # two loads that may overlap, with something between them

    __hash__ = object.__hash__  # that of enums is slow


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
    (Step.LAW, 6),
    (Step.ORDER, 2),
)


_AIMED_MIX: Mix = (*DEFAULT_MIX, (Step.RELATIVE, 4), (Step.BORDER, 8))
"""The same of an optimizer that is not ours."""

_FEW: Mix = tuple((step, -(-weight // 4)) for step, weight in DEFAULT_MIX)
"""The same, beside others."""

FLOAT_MIX: Mix = (
    (Step.FLOAT, 8),
    (Step.FLOAT_LAW, 10),
    (Step.FLOAT_SIGNS, 4),
    (Step.FLOAT_AGAIN, 4),
    (Step.FLOAT_CAST, 5),
    (Step.FLOAT_TEST, 8),
    (Step.FLOAT_VALUE, 1),
)


HEAP_MIX: Mix = (
    (Step.LOAD, 6),
    (Step.STORE, 6),
    (Step.ALIASES, 8),
    (Step.OVERWRITE, 4),
    (Step.WRITE_BACK, 3),
    (Step.REREAD, 3),
    (Step.ALLOCATE, 8),
    (Step.REBUILD, 2),
    (Step.NEST, 3),
    (Step.LEAK, 4),
    (Step.IDENTITY, 2),
    (Step.CHECK, 5),
    (Step.CHECK_IN_TWO, 4),
    (Step.LENGTH, 2),
    (Step.ITEMS, 3),
    (Step.FACT, 1),
    (Step.CALLED, 3),
    (Step.TEXT, 2),
    (Step.WATCH, 2),
    (Step.CALL, 7),
    (Step.GUARD, 2),
    (Step.EVENT, 2),
)


RAW_MIX: Mix = (
    (Step.RAW_OVERLAP, 10),
    (Step.RAW_ACCESS, 6),
    (Step.RAW_OVERWRITE, 6),
    (Step.RAW_REREAD, 5),
)


@immutable
class HeapShape:
    """Upper limits: of declared structs, arrays, calls and constants, and of the objects that exist before a trace.

    `references` is the percentage of inputs that are references; `undeclared` says whether there is memory that no
    declaration describes, `floats` whether there is memory of floats, `strings` whether there are strings. `exceptions`
    is the percentage of events that raise, of those that can.
    """

    structs: int = 3
    arrays: int = 2
    calls: int = 2
    constants: int = 2
    objects: int = 4
    references: int = 65
    undeclared: bool = True
    strings: bool = True
    floats: bool = False
    functions: int = 2
    exceptions: int = 5
    vocabulary: Vocabulary = EVERYTHING


@immutable
class Shape:
    """The size of a trace, and its ingredients.

    `inputs`, `max_operations` (the end not counted), `failargs` (of one guard) are upper limits; a step that
    has begun is completed, so that a trace may be a few operations longer. `mix` says how often each kind of
    step occurs. The percentages are of slots that are dead, of guards with an exit block, of guards without a list,
    and of constants that repeat, where they can, one from which the operand beside them was computed. `heap` is None
    where a trace has none. Rows that multiply are drawn `products` times as often as others, rows that divide
    `divisions` times as often. Operations of the rows in `left_out` are not drawn, as far as others can stand in their
    place; those that are not of the `vocabulary` never are. `floats` is the percentage of inputs that are floats.
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
    same_constants: int = 30
    heap: HeapShape | None = None
    products: int = 1
    divisions: int = 1
    left_out: frozenset[Op] = frozenset()
    floats: int = 0
    vocabulary: Vocabulary = EVERYTHING


_FLOATS_FROM = 16

WORDS = (64, 64, 64, 64, 64, 64, 64, 32, 32, 16, 8, 4)


_HEAPS = 70
"""The percentage of traces that have a heap."""

_FLOATS = 35
"""The percentage of traces that have floats, where words are wide enough."""
_RAW = 35
"""The percentage of traces with a heap that use raw memory too, half of these hardly anything else."""

_SHORT = (4, 8, 12, 20, 40)
"""The lengths of traces without a heap, where it was chosen what is in them: of short ones there are more in a
second."""

_SWARMS = 60
"""The percentage of traces that do without most of the operations on integers."""


def draw_shape(choices: Choices, word: int | None = None, vocabulary: Vocabulary = EVERYTHING) -> Shape:
    """A shape as each seed of a campaign has: most are of 64 bits, if nothing is said of the word, some leave out kinds
    of steps."""
    word = word or vocabulary.word or choices.pick(WORDS)
    # What little was chosen is in most traces.
    heaps, floats = (_HEAPS, _FLOATS) if vocabulary.has("integers") else (100, 100)
    has_floats = word >= _FLOATS_FROM and vocabulary.has("floats") and choices.chance(floats)
    has_heap = any(map(vocabulary.has, _ON_HEAPS)) and choices.chance(heaps)
    heap = _draw_heap_shape(choices, has_floats, vocabulary) if has_heap else None
    is_short = heap is None and not vocabulary.is_all
    longest = choices.pick(_SHORT if is_short else (20, 40, 40, 60))
    mix = DEFAULT_MIX if vocabulary.is_all else _AIMED_MIX
    if heap is not None:
        texts = ((Step.TEXT, choices.pick((10, 20, 60))),) if heap.strings else ()
        calls = ((Step.CALL, choices.pick((0, 0, 0, 40))),)
        mix = HEAP_MIX + texts + calls + choices.pick((_FEW, DEFAULT_MIX, ()))
        has_others = heap.references > 0 or vocabulary.has("calls")
        if vocabulary.has("raw") and choices.chance(_RAW if has_others else 100):
            mix = RAW_MIX + choices.pick((mix, (*_FEW, (Step.EVENT, 2))))
    if has_floats:
        mix = FLOAT_MIX + choices.pick((mix, mix, ()))
    if choices.chance(50):
        mix = (mix[0], *[(step, weight * choices.integer(0, 3)) for step, weight in mix[1:]])
    return Shape(
        word=word,
        inputs=choices.integer(1, 6) if heap is None else choices.integer(2, 7),
        min_operations=2 if is_short else 5,
        max_operations=longest,
        mix=mix,
        unknown_failargs=choices.pick((0, 0, 0, 10)),
        same_constants=choices.pick((10, 30, 50, 80)),
        heap=heap,
        left_out=_draw_left_out(choices),
        floats=choices.pick((20, 40, 70)) if has_floats else 0,
        vocabulary=vocabulary,
    )


_PURE = tuple(row for row in OPS.values() if row.is_pure)


def _draw_left_out(choices: Choices) -> frozenset[Op]:
    """The operations to leave out: none, or most of those on integers, so that the others meet each other often."""
    if not choices.chance(_SWARMS):
        return frozenset()
    return frozenset(choices.some(_PURE, choices.pick((50, 70, 85))))


_ON_HEAPS = ("objects", "arrays", "strings", "raw", "calls")


def _draw_heap_shape(choices: Choices, has_floats: bool, vocabulary: Vocabulary) -> HeapShape:
    drawn = _draw_any_heap_shape(choices, has_floats)
    if vocabulary.is_all:
        return drawn
    has_calls, has_references = vocabulary.has("calls"), REF in vocabulary.types
    return replace(
        drawn,
        structs=drawn.structs if vocabulary.has("objects") else 0,
        arrays=drawn.arrays if vocabulary.has("arrays") else 0,
        calls=drawn.calls if has_calls else 0,
        constants=drawn.constants if has_references else 0,
        references=drawn.references if has_references else 0,
        strings=drawn.strings and vocabulary.has("strings"),
        functions=drawn.functions if has_calls else 0,
        vocabulary=vocabulary,
    )


def _draw_any_heap_shape(choices: Choices, has_floats: bool) -> HeapShape:
    structs = choices.integer(0, 4)
    return HeapShape(
        structs=structs,
        arrays=choices.pick((0, 1, 2, 2)),
        calls=choices.integer(0, 3),
        constants=choices.pick((0, 0, 2, 3)),
        objects=choices.integer(2, 6),
        references=choices.pick((40, 65, 80)),
        undeclared=structs == 0 or choices.chance(35),
        strings=choices.chance(30),
        floats=has_floats and choices.chance(80),
        functions=choices.integer(0, 3),
        exceptions=choices.pick((0, 5, 20)),
    )
