"""Traces written as canonical text: what it prints is read back as the same trace, and printed the same."""

from __future__ import annotations

from optimizer.ir.trace import Operation, Trace
from optimizer.ir.types.declared import NO_DECLARATIONS, Declarations


def format_trace(trace: Trace) -> str:
    """The text of the trace; it ends with a newline."""
    lines = [_front_matter(trace), f"[{', '.join(var.name for var in trace.inputs)}]\n"]
    for operation in trace.ops:
        lines.append(format_operation(operation))
        if operation.exit is not None and operation.exit.block:
            block = "".join(f"    {format_operation(inner)}\n" for inner in operation.exit.block)
            lines.append(f" {{\n{block}}}")
        lines.append("\n")
    return "".join(lines)


def format_operation(operation: Operation) -> str:
    """One line, without the exit block."""
    words = [str(value) for value in operation.args]
    if operation.descr is not None:
        words.append(f"descr={operation.descr}")
    exit_ = operation.exit
    if exit_ is not None and exit_.origin is not None:
        words.append(f"origin={exit_.origin}")
    target = f"{operation.result} = " if operation.result is not None else ""
    text = f"{target}{operation.op.name}({', '.join(words)})"
    if exit_ is None or exit_.failargs is None:
        return text
    failargs = ", ".join("None" if value is None else str(value) for value in exit_.failargs)
    return f"{text} [{failargs}]"


def _front_matter(trace: Trace) -> str:
    word = f"word = {trace.word}\n" if trace.word != 64 else ""
    declarations = _declared(trace.declarations)
    if not word and not declarations:
        return ""
    blank = "\n" if word and declarations else ""
    return f"+++\n{word}{blank}{declarations}+++\n"


def _declared(declarations: Declarations) -> str:
    if declarations == NO_DECLARATIONS:
        return ""
    from optimizer.ir.text.declaration_writer import format_declarations  # here: most traces declare nothing

    return format_declarations(declarations)
