"""The demands on the guards of an optimized trace, and the certificate that a prover hands to the checker: hints, which
can make it fail and never make it accept.

- `origins` of the guards of the optimized trace, in order.
- `partners`: which of its allocations stands for which one of the recorded trace, by the numbers of the operations.
- `equal` are cuts: a variable, of the trace `before` or `after`, is one of the recorded trace or a machine int. Each is
  proved where the variable is defined, and used behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from optimizer.ir.faults import InputError

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


def read_certificate(text: str, file: str = "certificate") -> Certificate:
    """The certificate of that text. Raises InputError."""
    import json  # here: most certificates are handed over as they are

    parts = {field.name for field in fields(Certificate)}
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or set(data) != parts:
            raise ValueError(f"it must have {', '.join(sorted(parts))}, and nothing else")
        return Certificate(
            tuple(None if one is None else _number(one) for one in data["origins"]),
            tuple((_number(one), _number(other)) for one, other in data["partners"]),
            tuple((_of(trace, str), _of(var, str), _of(other, str, int)) for trace, var, other in data["equal"]),
        )
    except (ValueError, TypeError, RecursionError) as problem:
        raise InputError(f"this is no certificate: {problem}", file=file) from None


def _number(value: Any) -> int:
    if _of(value, int) < 0:
        raise ValueError(f"expected the number of a guard or an operation, got {value}")
    return int(value)


def _of(value: Any, *types: type) -> Any:
    if type(value) not in types:
        raise TypeError(f"expected a number, or the name of a trace or variable, got {value!r}")
    return value
