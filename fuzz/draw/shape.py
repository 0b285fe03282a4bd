"""The shape of generated traces: word width, sizes, and the frequency of each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.ops import Op

Mix = tuple[tuple[Callable[[Any], None], int], ...]
"""The steps that traces are made of, one to a few operations each, and how often each is taken."""


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
    has begun is completed, so that a trace may be a few operations longer. `mix` says how often each step occurs; where
    it is empty, that is `DEFAULT_MIX`. The percentages are of slots that are dead, of guards with an exit block, of
    guards without a list, and of constants that repeat, where they can, one from which the operand beside them was
    computed. `heap` is None where a trace has none. Rows that multiply are drawn `products` times as often as others,
    rows that divide `divisions` times as often. Operations of the rows in `left_out` are not drawn, as far as others
    can stand in their place; those that are not of the `vocabulary` never are. `floats` is the percentage of inputs
    that are floats.
    """

    word: int = 64
    inputs: int = 4
    min_operations: int = 0
    max_operations: int = 40
    failargs: int = 5
    mix: Mix = ()
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
