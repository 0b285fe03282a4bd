"""The text of traces, declarations and heaps: reading and writing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimizer.ir.lazy_names import names_from

if TYPE_CHECKING:
    from optimizer.ir.dialects.reading import parse
    from optimizer.ir.trace import format_operation, format_trace

__all__ = ["format_operation", "format_trace", "parse"]

_TRACE = "optimizer.ir.trace"

__getattr__ = names_from(
    __name__, {"parse": "optimizer.ir.dialects.reading", "format_operation": _TRACE, "format_trace": _TRACE}
)
