"""Enumerations whose members are looked up as fast as the attributes of any class.

Before Python 3.12 the class of all enumerations has a `__getattr__`, for members that are no attributes. There are none
of those, but because of it every look-up of a member takes 900 instructions instead of 150.
"""

from __future__ import annotations

from enum import Enum, EnumMeta
from typing import TypeVar

E = TypeVar("E", bound=Enum)

_KEPT = ("__call__", "__contains__", "__getitem__", "__iter__", "__len__", "__members__", "__repr__", "__reversed__")
_Quick = type("_Quick", (type,), {name: vars(EnumMeta)[name] for name in _KEPT})


def quick(cls: type[E]) -> type[E]:
    """Makes an enumeration one of another class, which does all the same and has no `__getattr__`."""
    if hasattr(EnumMeta, "__getattr__"):
        type.__setattr__(cls, "__class__", _Quick)
    return cls
