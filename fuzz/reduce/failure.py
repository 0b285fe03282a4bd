"""The failures that finds show, by which two finds are the same: their kind, and what is wrong without numbers and
names of variables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fuzz.campaign.examine import Find, FindKind


@dataclass(frozen=True, slots=True)
class Failure:
    """`what` is an obligation (`guard: failarg`), an exception with its place, or a message without what is numbered
    in it."""

    kind: FindKind
    what: str

    @property
    def is_difference(self) -> bool:
        """Do two runs differ?"""
        return self.kind is FindKind.REFUTED and self.what != ALWAYS_FAILS

    @property
    def words(self) -> str:
        """The failure in words, short enough for a name."""
        text = "" if self.kind is FindKind.HANG else self.what
        if self.kind in (FindKind.CRASH, FindKind.FAULT):
            text = text.partition(" /")[0]
        shown = shortened(re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-"))
        return shown if self.kind is FindKind.REFUTED else f"{self.kind.value}-{shown}".strip("-")


_LONGEST = 40

_PLACE = re.compile(r"^(?P<type>[A-Za-z_][\w.]*)(?::| ).*\((?P<place>[^()]*:\d+)\)$")
_NUMBERED = re.compile(r"'[^']*'|\b\w*\d\w*\b")
_LONG = re.compile(r"'[^']*'|\b(?!\d{1,3}\b)\w*\d\w*\b")
"""As above, but not numbers such as those of signals."""

_DEEP = ("RecursionError", "MemoryError")
"""The exceptions for which it is a matter of chance where they are raised."""

ALWAYS_FAILS = "guard always fails"
"""The optimizer's claim that a guard never passes, which is wrong."""


def failure_of(find: Find) -> Failure:
    """The failure that a find shows."""
    if find.obligation:
        return Failure(find.kind, obligation_kind(find.obligation))
    match find.kind:
        case FindKind.REFUTED:
            return Failure(find.kind, ALWAYS_FAILS)
        case FindKind.HANG:
            return Failure(find.kind, "hang")
        case FindKind.CRASH | FindKind.FAULT if found := _PLACE.match(find.message):
            place = "" if found["type"] in _DEEP else found["place"] or ""
            return Failure(find.kind, f"{found['type']} {place}".strip())
        case FindKind.CRASH | FindKind.FAULT:
            return Failure(find.kind, _LONG.sub("#", find.message))
        case _:  # the lines behind the first one show the text
            return Failure(find.kind, _NUMBERED.sub("#", find.message.partition("\n")[0]))


def shortened(words: str) -> str:
    """The first of words joined by `-`, as many as fit into a name."""
    return words if len(words) <= _LONGEST else words[:_LONGEST].rpartition("-")[0] or words[:_LONGEST]


def obligation_kind(name: str) -> str:
    """The words of an obligation's name without its numbers: `guard 3: failarg 2` is a `guard: failarg`, and what
    differs on a heap is a `heap` wherever it lies."""
    where, _, what = name.partition(": ")
    return f"{where.split()[0]}: {'heap' if what.startswith('heap ') else re.sub(r' [0-9]+$', '', what)}"
