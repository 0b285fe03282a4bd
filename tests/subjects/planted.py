"""Planted faults of a subject: which there are, and which are switched on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

_switched_on: set[str] = set()


@dataclass(frozen=True)
class Fault:
    """A mistake that the subject can be told to make."""

    name: str
    breaks: str


def halves(faults: Sequence[Fault]) -> dict[str, str]:
    """Each name with `tuning` or `held-out`, by the order of their digests: fixed before anything was measured."""
    names = sorted((fault.name for fault in faults), key=lambda name: hashlib.sha256(name.encode()).digest())
    return {name: ("tuning", "held-out")[place % 2] for place, name in enumerate(names)}


def switch_on(names: Sequence[str]) -> None:
    _switched_on.clear()
    _switched_on.update(names)


def faulty(name: str) -> bool:
    """Is that fault switched on?"""
    return name in _switched_on
