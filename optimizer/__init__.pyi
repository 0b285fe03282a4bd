from optimizer.ir.run.interpreter import run as run
from optimizer.ir.text import format_trace as format_trace
from optimizer.ir.text import parse as parse
from optimizer.ir.trace import Trace as Trace
from optimizer.pipeline import optimize as optimize
