"""The text of traces, declarations and heaps: reading and writing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimizer.ir.lazy_names import names_from

if TYPE_CHECKING:
    from optimizer.ir.text.parser import parse
    from optimizer.ir.text.printer import format_operation, format_trace

__all__ = ["format_operation", "format_trace", "parse"]

_PRINTER = "optimizer.ir.text.printer"

__getattr__ = names_from(
    __name__, {"parse": "optimizer.ir.text.parser", "format_operation": _PRINTER, "format_trace": _PRINTER}
)
