from optimizer.ir.dialects.reading import parse as parse
from optimizer.ir.text.heap_printer import format_heap as format_heap
from optimizer.ir.text.heap_reader import parse_heap as parse_heap
from optimizer.ir.text.trace_printer import format_operation as format_operation
from optimizer.ir.text.trace_printer import format_trace as format_trace
