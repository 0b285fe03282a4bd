"""The state that a trace is run on, from the texts of a command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from optimizer.ir.faults import InputError
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import Datum, Ref
from optimizer.ir.run.runs import World
from optimizer.ir.text.heap_reader import read_heap
from optimizer.ir.text.lexer import Source
from optimizer.ir.trace import Trace
from optimizer.ir.types.call_questions import is_event
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.trace_layout import layout_of
from validator.command.files import file_name
from validator.search.counterexample import State
from validator.tell.stored_state import restored_state

_PART = re.compile(r"""(?:"[^"]*"|\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\]|[^,"(\[])+""")


def parts(texts: Iterable[str]) -> list[str]:
    """The parts that commas separate, those in brackets and quotes left alone, and blanks where there are no brackets.

    Raises InputError for a bracket or quote that is not closed.
    """
    found: list[str] = []
    for text in texts:
        if _PART.sub("", text).strip(","):
            raise InputError(f"a bracket or quote is not closed: {text}")
        for part in _PART.findall(text):
            joined = re.sub(r"\s*=\s*", "=", part).strip()
            found += [joined] if re.search(r"[(\[]", joined) else joined.split()
    return found


def run_state(
    trace: Trace, texts: Sequence[str], sources: Sequence[Source], layout: Layout
) -> tuple[list[Datum], Heap]:
    """The values of the inputs, and the heap: from texts such as `i0=5` and `p0=Node(value=5)`, and descriptions of
    heaps. Raises InputError."""
    types = {var.name: var.type for var in trace.inputs}
    numbers: dict[str, int | Float] = {}
    lines: list[str] = []
    for text in parts(texts):
        name, equals, value = text.partition("=")
        if equals and types.get(name) in (Type.INT, Type.FLOAT):
            if name in numbers:
                raise InputError(f"--input: {name} is given twice")
            where = f"--input {name}"
            is_float = types[name] is Type.FLOAT
            numbers[name] = float_number(value, where) if is_float else number(value, where, trace.word)
        elif equals and (types.get(name) is Type.REF or re.search(r"[(\[]", text)):
            lines.append(text)
        else:
            known = f"the inputs are {', '.join(types)}" if types else "the trace has no inputs"
            mistake = f"there is no input {name}" if equals else f"expected NAME=VALUE, got {text}"
            raise InputError(f"--input: {mistake}; {known}")
    heap = read_heap([*sources, Source("--input", lines)], layout)
    return [_value(name, type_, numbers, heap) for name, type_ in types.items()], heap


def _value(name: str, type_: Type, numbers: dict[str, int | Float], heap: Heap) -> Datum:
    if name in numbers:
        return numbers[name]
    ref = heap.named(name)
    if type_ is Type.REF and ref is not None:
        return ref
    how = f"--input {name}=VALUE"
    if type_ is Type.REF:
        how = f"--input '{name}=NULL' or '{name}=Node(value=5)', or in the file of --heap"
    raise InputError(f"the input {name} has no value; give one with {how}")


def read_run_state(trace: Trace, path: str, layout: Layout) -> State:
    """The state in a file like the `case.toml` of a case of this trace. Raises InputError."""
    from fuzz.cases.store import read_state  # here: most runs have none

    stored = read_state(path)
    given, inputs = ({*dict(stored.inputs)}, {var.name for var in trace.inputs})
    if given != inputs:
        told, asked = (", ".join(sorted(names)) or "none" for names in (given, inputs))
        raise InputError(f"[inputs] of the state are {told}; those of the trace are {asked}", file=file_name(path))
    state = restored_state(stored, trace, layout, file_name(path))
    return state or State((), World())


def event_results(trace: Trace, text: str, heap: Heap) -> tuple[int | Float | Ref, ...]:
    """The results of the events of the trace: numbers, and objects by their names. Raises InputError."""
    layout = layout_of(trace)
    events = (operation for operation in trace.ops if is_event(meant(operation, layout), layout))
    types = [event.op.result for event in events]
    found = parts([text])
    return tuple(_result(part, type_, heap, trace.word) for part, type_ in zip_longest(found, types[: len(found)]))


def _result(text: str, type_: Type | None, heap: Heap, word: int) -> int | Float | Ref:
    if type_ is Type.FLOAT:
        return float_number(text, "--results")
    ref = heap.named(text)
    if type_ is Type.REF and ref is None:
        raise InputError(f"--results: expected NULL or the name of an object, got {text!r}")
    return number(text, "--results", word) if ref is None or type_ is Type.INT else ref


def float_number(text: str, where: str) -> Float:
    """A float as a trace writes it."""
    try:
        return Float.of(float.fromhex(text) if "x" in text.lower() else float(text))
    except (ValueError, OverflowError):
        raise InputError(f"{where}: expected a float, got {text!r}") from None


def number(text: str, where: str, word: int) -> int:
    """A decimal in the signed range of a word, or a bit pattern of `word` bits."""
    half = 1 << (word - 1)
    try:
        pattern = text.lower().startswith("0x")
        value = int(text, 16 if pattern else 10)
    except ValueError:
        raise InputError(f"{where}: expected a number, got {text!r}") from None
    if pattern and 0 <= value < 2 * half:
        return value if value < half else value - 2 * half
    if not -half <= value < half:
        raise InputError(f"{where}: expected a machine int of {word} bits, got {text}")
    return value
