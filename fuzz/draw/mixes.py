"""The mixes of steps that traces are made of, and the shapes that campaigns draw."""

from __future__ import annotations

from fuzz.draw.choices import Choices
from fuzz.draw.shape import HeapShape, Mix, Shape
from fuzz.draw.steps import bounds, calls, floats, heaps, integers, pointers, raw, strings
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, REF

DEFAULT_MIX: Mix = (
    (integers.compute_any, 12),
    (integers.compute_checked, 4),
    (integers.repeat, 5),
    (integers.check_range, 4),
    (integers.bits_check, 2),
    (integers.guard, 2),
    (integers.event, 1),
    (integers.position, 1),
    (integers.infer, 4),
    (integers.follow_law, 6),
    (integers.pair, 18),
    (bounds.check_bounds, 6),
    (integers.follow_near_law, 3),
)


AIMED_MIX: Mix = (*DEFAULT_MIX, (integers.take_relative, 4), (integers.test_border, 8), (integers.keep_within, 6))
"""The same of an optimizer that is not ours."""

_FEW: Mix = tuple((step, -(-weight // 4)) for step, weight in DEFAULT_MIX)
"""The same, beside others."""

FLOAT_MIX: Mix = (
    (floats.any_float, 8),
    (floats.float_law, 10),
    (floats.float_signs, 4),
    (floats.float_again, 4),
    (floats.cast_float, 4),
    (floats.floats_of_ints, 2),
    (floats.compare_floats, 8),
    (floats.guard_float, 1),
)

AIMED_FLOAT_MIX: Mix = (*FLOAT_MIX, (floats.test_border, 8))

HEAP_MIX: Mix = (
    (heaps.load, 6),
    (heaps.store, 6),
    (heaps.access_aliases, 8),
    (heaps.overwrite, 4),
    (heaps.write_back, 3),
    (heaps.reread, 3),
    (heaps.allocate, 8),
    (heaps.rebuild, 2),
    (heaps.nest, 3),
    (heaps.leak, 4),
    (pointers.test_identity, 2),
    (pointers.check_any, 5),
    (pointers.check_in_two, 4),
    (heaps.take_length, 8),
    (heaps.access_items, 3),
    (pointers.record_fact, 1),
    (heaps.initialize_by_call, 3),
    (strings.use_strings, 2),
    (heaps.watch_field, 2),
    (calls.call_something, 7),
    (integers.guard, 2),
    (integers.event, 2),
)


RAW_MIX: Mix = (
    (raw.overlap_raw, 10),
    (raw.access_raw, 6),
    (raw.overwrite_raw, 6),
    (raw.reread_raw, 5),
)


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

_PURE = tuple(row for row in OPS.values() if row.is_pure)
_SWARMS, _LEFT_OUT = 60, (50, 70, 85)
"""The percentage of traces that do without most of the operations on integers, so that the others meet each other
often, and the percentages of these that are left out."""


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
    mix = DEFAULT_MIX if vocabulary.is_all else AIMED_MIX
    if heap is not None:
        texts = ((strings.use_strings, choices.pick((10, 20, 60))),) if heap.strings else ()
        called = ((calls.call_something, choices.pick((0, 0, 0, 40))),)
        mix = HEAP_MIX + texts + called + choices.pick((_FEW, DEFAULT_MIX, ()))
        has_others = heap.references > 0 or vocabulary.has("calls")
        if vocabulary.has("raw") and choices.chance(_RAW if has_others else 100):
            mix = RAW_MIX + choices.pick((mix, (*_FEW, (integers.event, 2))))
    if has_floats:
        mix = (FLOAT_MIX if vocabulary.is_all else AIMED_FLOAT_MIX) + choices.pick((mix, mix, ()))
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
        left_out=frozenset(choices.some(_PURE, choices.pick(_LEFT_OUT)) if choices.chance(_SWARMS) else ()),
        floats=choices.pick((20, 40, 70)) if has_floats else 0,
        vocabulary=vocabulary,
    )


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
