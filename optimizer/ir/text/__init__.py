"""The text of traces, declarations and heaps: reading and writing it."""

from optimizer.ir.lazy_names import names_from

_HOMES = {
    "format_heap": "optimizer.ir.text.heap_printer",
    "format_operation": "optimizer.ir.text.trace_printer",
    "format_trace": "optimizer.ir.text.trace_printer",
    "parse": "optimizer.ir.dialects.reading",
    "parse_heap": "optimizer.ir.text.heap_reader",
}
__all__ = tuple(_HOMES)
__getattr__ = names_from(__name__, _HOMES)
