"""What those who know a part of it ask of all that is known at a place (`optimizer.facts.facts.Facts`)."""

from __future__ import annotations

from typing import Protocol

from optimizer.facts.bounds_inference import BoundsInference
from optimizer.facts.references import References
from optimizer.ir.trace import Operation, Value
from optimizer.ir.types.layout import Field, Layout


class Contents(Protocol):
    """The contents of memory."""

    def contents_of(self, key: str, object: Value) -> Value | None:
        """What the field of that key holds, of an object; None where it is not known."""

    def escape(self, value: Value) -> None:
        """The object is seen by others from here on."""


class Known(Protocol):
    """The equalities, the bounds, the references and the contents of memory."""

    layout: Layout
    word: int
    now: int
    slots: dict[str, Field]
    is_valid: bool
    references: References
    bounds: BoundsInference

    @property
    def memory(self) -> Contents: ...

    def find(self, value: Value) -> Value: ...

    def definition(self, value: Value) -> Operation | None: ...
