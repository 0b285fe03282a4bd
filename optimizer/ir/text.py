"""The text of traces: reading and writing it."""

from optimizer.ir.parser import parse as parse
from optimizer.ir.printer import format_operation as format_operation
from optimizer.ir.printer import format_trace as format_trace
