"""The layout of a trace that is asked about again and again: who makes it, optimizes it and judges it asks in turn."""

from __future__ import annotations

from weakref import ReferenceType, ref

from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Layout, learned_of, pair_layout

_COPIED = ("texts", "uses", "_roles", "_resolved", "_learned", "_raw_fields")
"""The attributes that hold what a layout learns."""


def layout_of(*traces: Trace) -> Layout:
    """The layout that the traces share; see `pair_layout`."""
    return pair_layout(*traces, of_first=_latest.of)


class _Latest:
    """The layout of the trace that was asked about last. The trace is not kept, and its layout is changed by nobody:
    everyone gets a copy."""

    def __init__(self) -> None:
        self._kept: tuple[ReferenceType[Trace], Layout] | None = None  # changed at once: threads may ask

    def of(self, trace: Trace) -> Layout:
        kept = self._kept
        if kept is None or kept[0]() is not trace:
            kept = self._kept = ref(trace), learned_of(trace)
        return _copy(kept[1])


def _copy(layout: Layout) -> Layout:
    """Another one that knows the same; what either learns the other does not."""
    copy, known = Layout.__new__(Layout), vars(layout)
    vars(copy).update(known, known_calls={}, **{name: known[name].copy() for name in _COPIED})
    return copy


_latest = _Latest()
