"""Values that never change, of which many are made.

The type checker holds everybody to it, and nothing does so while a program runs: an object of a frozen dataclass takes
four times as long to make.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from dataclasses import replace as replace
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def immutable(cls: type[T]) -> type[T]:
    """Makes a dataclass whose objects are told by their fields alone. One that has a hash of its own keeps it, or that
    has or inherits words of its own for them."""
    return dataclass(slots=True, unsafe_hash="__hash__" not in vars(cls), repr=cls.__repr__ is object.__repr__)(cls)
