"""The outcome of a rule that is to be proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from optimizer.ir.floats import Float

NET_S = 60.0
"""The limit of seconds for a query about a rule, whatever its effort."""


@dataclass(frozen=True, slots=True)
class Proved:
    """The rule is right for all inputs at `width` bits, as `method` says, and for all at `small_width` too."""

    width: int
    method: str
    small_width: int


@dataclass(frozen=True, slots=True)
class Refuted:
    """The status of a rule that is wrong at these values of its names and this width."""

    width: int
    values: Mapping[str, int | Float]


@dataclass(frozen=True, slots=True)
class NeverFires:
    """No input fulfils the conditions at this width."""

    width: int


@dataclass(frozen=True, slots=True)
class Unproved:
    """Not settled at the full width, for this reason, and with too many inputs to try at a small one."""

    reason: str


Status = Proved | Refuted | NeverFires | Unproved


def status_words(status: Status) -> tuple[str, str]:
    """The status in a word or two, and how it came about."""
    match status:
        case Proved(width, method, small):
            also = f", and all inputs at {small} bits" if small != width else ""
            return "proved", f"at {width} bits by {method}{also}"
        case Refuted(width, values):
            shown = ", ".join(f"{name} = {value}" for name, value in values.items())
            return "wrong", f"at {width} bits for {shown}"
        case NeverFires(width):
            return "never fires", f"at {width} bits"
        case Unproved(reason):
            return "not settled", reason
