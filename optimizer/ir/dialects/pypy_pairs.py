"""Pairs of a log: each recorded trace with what PyPy's optimizer made of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.text.syntax import OPERATION

_POINT = re.compile(
    r"# (?:Loop [0-9]+(?: \((?P<point>.*)\))? : (?P<kind>loop|entry bridge)|bridge out of Guard (?P<guard>\S+)) with "
)
_POSITION = re.compile(r"\s*(?:\+[0-9]+:\s*)?debug_merge_point\((?P<whole>.*'(?P<point>.*)'.*)\)")
_LABEL = re.compile(r"\s*(?:\+[0-9]+:\s*)?label\(")


class Kind(Enum):
    LOOP = "loop"
    ENTRY = "entry bridge"
    BRIDGE = "bridge"


@dataclass(frozen=True, slots=True)
class Parent:
    """The pair of that number, whose optimized trace is left at a guard."""

    number: int
    recorded: Section
    optimized: Section
    guard: str


@dataclass(frozen=True, slots=True)
class LogPair:
    """A recorded trace and the optimized one; the place in the program, and of a bridge the guard that it starts at,
    and the traces on the way there, from one that starts anywhere on, where the log has them (`Parents`). `target` is
    the loop to whose inner label it jumps, if it does (`Targets`); `is_target_lost`: to a label of which nothing is
    known."""

    number: int
    kind: Kind
    point: str
    guard: str | None
    recorded: Section
    optimized: Section
    parents: tuple[Parent, ...] = ()
    target: LogPair | None = None
    is_target_lost: bool = False


class Count(StrEnum):
    """A number that tells how much a trace does."""

    OPERATIONS = "operations"
    GUARDS = "guards"
    ALLOCATIONS = "allocations"
    LOADS = "loads"
    STORES = "stores"
    CALLS = "calls"


UNCOUNTED = re.compile(
    r"debug_merge_point|jit_debug|(enter|leave)_portal_frame|guard_future_condition"
    r"|same_as_|record_|assert_|label\Z|keepalive|quasiimmut_field"
)
"""The names of positions, facts and copies, which are not counted."""

_COUNTED = {
    Count.OPERATIONS: re.compile(r""),
    Count.GUARDS: re.compile(r"guard_"),
    Count.ALLOCATIONS: re.compile(r"new|virtual_ref\Z"),
    Count.LOADS: re.compile(r"get(field|array|interior)|gc_load|raw_load|(str|unicode)(getitem|len)"),
    Count.STORES: re.compile(r"set|(str|unicode)setitem|gc_store|raw_store"),
    Count.CALLS: re.compile(r"call_|cond_call"),
}


def counts(names: Iterable[str]) -> Counter[Count]:
    """The numbers of operations with these names."""
    counted = [name for name in names if not UNCOUNTED.match(name)]
    return Counter({count: sum(1 for name in counted if look.match(name)) for count, look in _COUNTED.items()})


def counts_of(section: Section) -> Counter[Count]:
    """The numbers of a trace, of the loop alone where it has labels."""
    names = [found[2] for line in section.lines if (found := OPERATION.match(line))]
    if "label" in names:
        names = names[len(names) - names[::-1].index("label") :]
    return counts(names)


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A trace without its counterpart, and the reason."""

    number: int
    section: Section
    reason: str


def pair_sections(sections: Iterable[Section]) -> Iterator[LogPair | Unpaired]:
    """The pairs of the sections of a log: PyPy prints what its optimizer has left directly behind what it recorded."""
    waiting: Section | None = None
    number = 0
    for section in sections:
        if section.is_recorded:
            if waiting is not None:
                number += 1
                yield Unpaired(number, waiting, "no optimized trace follows: PyPy gave it up, or the log has none")
            waiting = section
            continue
        number += 1
        if waiting is None:
            yield Unpaired(number, section, "no recorded trace stands in front of it")
        elif loss := waiting.loss or section.loss:
            yield Unpaired(number, section, loss)
        else:
            yield _pair(number, waiting, section)
        waiting = None
    if waiting is not None:
        yield Unpaired(number + 1, waiting, "no optimized trace follows: PyPy gave it up, or the log has none")


def _pair(number: int, recorded: Section, optimized: Section) -> LogPair | Unpaired:
    said = _POINT.match(optimized.heading)
    if said is None:
        return Unpaired(number, optimized, f"what it is of is not known: {optimized.heading}")
    passed = [found for line in recorded.lines if (found := _POSITION.match(line))]
    whole_way = [found["whole"] for found in passed]
    if any(part != whole_way for part in _passed_by_parts(optimized)):
        return Unpaired(number, optimized, "it passes other places of the program than the recorded trace before it")
    point = said["point"] or (passed[0]["point"] if passed else "")
    if said["guard"] is None:
        return LogPair(number, Kind(said["kind"]), point, None, recorded, optimized)
    return LogPair(number, Kind.BRIDGE, point, said["guard"].removeprefix("0x"), recorded, optimized)


def _passed_by_parts(optimized: Section) -> Iterator[list[str]]:
    """The places of the program that a trace passes, of each part of it between labels: each goes the whole way of the
    recorded trace, so that others are of another trace, as where two processes write into one log."""
    passed: list[str] = []
    for line in optimized.lines:
        if passed and _LABEL.match(line):
            yield passed
            passed = []
        elif found := _POSITION.match(line):
            passed.append(found["whole"])
    yield passed
