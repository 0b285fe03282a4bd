"""Traces as canonical text: what is printed is read back as the same trace, and printed the same."""

from __future__ import annotations

from optimizer.ir.trace import Operation, Trace
from optimizer.ir.types.declared import NO_DECLARATIONS


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
    blocks = [f"word = {trace.word}\n"] if trace.word != 64 else []
    if trace.declarations != NO_DECLARATIONS:
        from optimizer.ir.text.declaration_writer import format_declarations  # here: most traces declare nothing

        blocks.append(format_declarations(trace.declarations))
    return "+++\n" + "\n".join(blocks) + "+++\n" if blocks else ""


def represent(trace: Trace) -> str:
    """The trace as an expression of Python that makes it."""
    try:
        return f"parse({_quoted(format_trace(trace))})"
    except Exception:  # it is ill-formed
        return f"Trace({trace.inputs!r}, {trace.ops!r}, {trace.word!r}, {trace.declarations!r})"


def _quoted(text: str) -> str:
    """The text as Python reads it, on lines of its own where that can be."""
    if '"""' in text:
        return repr(text)
    prefix = "r" if chr(92) in text else ""
    return f'{prefix}"""\n{text}"""'
