"""The demands on the guards of an optimized trace."""

from __future__ import annotations

from enum import Enum


class Guards(Enum):
    """The places where a guard of the optimized trace may fail: see section 5 of the trace language."""

    SAME = "same"
    EARLY = "early"
    SAFE = "safe"


class Failargs(Enum):
    """Are the values that guards hand over compared?"""

    CHECK = "check"
    IGNORE = "ignore"
