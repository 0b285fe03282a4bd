"""What rules ask about values."""

from __future__ import annotations

from typing import Protocol

from integers import Machine, Range
from trace_text import number

Call = tuple[str, list[str]]
Answer = str | Call | None


class Facts(Protocol):
    """What is known where the operation stands."""

    machine: Machine

    def range(self, value: str) -> Range: ...

    def possible_bits(self, value: str) -> int:
        """All bits but those that are 0 for certain."""

    def producer(self, value: str) -> Call | None: ...


def is_bool(value: str, facts: Facts) -> bool:
    low, high = facts.range(value)
    return low >= 0 and high <= 1


def constant_operation(name: str, value: str, facts: Facts) -> tuple[str, int] | None:
    """The first argument and the constant of that operation, if the value is made by one with a constant."""
    producer = facts.producer(value)
    if producer is None or producer[0] != name:
        return None
    constant = number(producer[1][1])
    return None if constant is None else (producer[1][0], constant)
