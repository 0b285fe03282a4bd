"""The text of traces, declarations and heaps: reading and writing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimizer.ir.lazy_names import names_from

if TYPE_CHECKING:
    from optimizer.ir.dialects.reading import parse
    from optimizer.ir.text.heap_printer import format_heap
    from optimizer.ir.text.heap_reader import parse_heap
    from optimizer.ir.text.trace_printer import format_operation, format_trace

__all__ = ["format_heap", "format_operation", "format_trace", "parse", "parse_heap"]

_PRINTER = "optimizer.ir.text.trace_printer"

__getattr__ = names_from(
    __name__,
    {
        "format_heap": "optimizer.ir.text.heap_printer",
        "format_operation": _PRINTER,
        "format_trace": _PRINTER,
        "parse": "optimizer.ir.dialects.reading",
        "parse_heap": "optimizer.ir.text.heap_reader",
    },
)
