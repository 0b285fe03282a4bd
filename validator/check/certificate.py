"""The demands on the guards of an optimized trace, and the certificate that a prover hands to the checker: hints, which
can make it fail and never make it accept.

- `origins` of the guards of the optimized trace, in order.
- `partners`: which of its allocations stands for which one of the recorded trace, by the numbers of the operations.
- `equal` are cuts: a variable, of the trace `before` or `after`, is one of the recorded trace or a machine int. Each is
  proved where the variable is defined, and used behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

BEFORE, AFTER = "before", "after"


class Guards(Enum):
    """The places where a guard of the optimized trace may fail: see section 5 of the trace language."""

    SAME = "same"
    EARLY = "early"
    SAFE = "safe"


class Failargs(Enum):
    """Are the values that guards hand over compared?"""

    CHECK = "check"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class Certificate:
    origins: tuple[int | None, ...] = ()
    partners: tuple[tuple[int, int], ...] = ()
    equal: tuple[tuple[str, str, str | int], ...] = ()
