"""Reading plain lines at once gives what reading them word by word gives."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.draw.generator import generate
from fuzz.draw.shape import HEAP_MIX, HeapShape, Shape
from optimizer.ir.faults import InputError
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.lexer import read_lines
from optimizer.ir.text.parser import _read_carefully
from optimizer.ir.text.plain_lines import read_plainly
from optimizer.ir.trace import Trace, all_operations
from optimizer.ir.types.declared import NO_DECLARATIONS

LINES = st.sampled_from(
    [
        *["i2 = int_add(i0, 10)", "i3 = int_sub(i2, -1)", "i4 = int_mul_ovf(i0, i0)", "guard_no_overflow() [i0]"],
        *["guard_true(i0) [i0, None, p1]", "guard_true(i0, origin=3) []", "guard_nonnull(p1)", "# nothing", ""],
        *["guard_true(i0) [p5, i0] {", "    p5 = new_with_vtable(descr=A)", "    setfield_gc(p5, i0, descr=A.x)", "}"],
        *["guard_class(p1, ConstClass(A)) [p1]", "i6 = getfield_gc_i(p1, descr=A.x)", "escape_n(i0, p1, NULL)"],
        *["p7 = new_with_vtable(ConstClass(A))", "i8 = same_as_i(0xff)", "jit_debug(0, anything)", "finish(i2, p1)"],
        *["jump(ConstPtr(a, b))", 'escape_n("a, b")', "+25: i9 = int_neg(i0)", "label(i0)", "v3 = add(i0, i2)", "[i0]"],
    ]
)
MARKS = st.sampled_from([*"()[]{},=-+.$ #_/", ", ", "descr=", "origin=", "None", "NULL", "i0", "i2", "p5", "9", "\t"])


def both(text: str) -> tuple[Trace | None, Trace | None]:
    """The trace as it is read plainly, and carefully."""
    source = read_lines(text, "f")
    careful = None
    with suppress(InputError):
        careful = _read_carefully(source, 1, 64, NO_DECLARATIONS)
    return read_plainly(source, 1, 64, NO_DECLARATIONS), careful


def everything(trace: Trace | None) -> object:
    """The trace with its line numbers, which are no part of its equality."""
    return trace and (trace, trace.header_line, [operation.line for operation in all_operations(trace)])


@given(st.lists(LINES, max_size=6), st.lists(st.tuples(st.integers(0, 200), st.integers(0, 3), MARKS), max_size=2))
@example(["escape_n(, descr=A)"], [])
@example(["p5 = new_with_vtable(, descr=A)"], [])
@example(["i2 = int_add(i0 , 1)"], [])
@example(["NULL = int_add(i0, 1)"], [])
@example(["guard_true(i0) [i2] {", "i2 = int_add(i0, 1)", "}", "finish(i2)"], [])
def test_what_is_read_at_once_is_what_is_read_word_by_word(
    lines: list[str], damages: list[tuple[int, int, str]]
) -> None:
    text = "\n".join(["[i0, p1]", *lines])
    for place, length, mark in damages:
        text = text[:place] + mark + text[place + length :]
    if not text.strip():
        return
    plain, careful = both(text)
    assert plain is None or everything(plain) == everything(careful)


@pytest.mark.parametrize("heap", [False, True])
def test_what_the_printer_writes_is_plain(heap: bool) -> None:
    shape = Shape(heap=HeapShape(), mix=HEAP_MIX) if heap else Shape()
    for seed in range(20):
        trace = generate(Random(seed), shape).trace
        lines = format_trace(trace).splitlines(keepends=True)
        source = read_lines("".join(lines), "f")
        first = 1 + max((number for number, line in enumerate(lines, start=1) if line == "+++\n"), default=0)
        assert read_plainly(source, first, 64, trace.declarations) == trace


@pytest.mark.parametrize(
    "line",
    [
        "i2 = int_add(i0, i9)",
        "i0 = int_add(i0, 1)",
        "i2 = int_add(i0)",
        "i2 = int_ad(i0, 1)",
        "guard_true(i0) [i0] {",
        "i2 = int_add(i0, 99999999999999999999)",
        "finish(None)",
    ],
)
def test_what_is_wrong_is_told_as_ever(line: str) -> None:
    text = f"[i0]\n{line}\n"
    with pytest.raises(InputError) as careful:
        _read_carefully(read_lines(text, "f"), 1, 64, NO_DECLARATIONS)
    with pytest.raises(InputError) as told:
        parse(text, file="f")
    assert str(told.value) == str(careful.value)


def test_every_operation_can_be_read_at_once() -> None:
    """No row is left to the slow way for its name alone."""
    for row in OPS.values():
        if row.args is not None and not row.raw and row.memory is None and not row.constant_args:
            inputs = [f"{'ipf'[['int', 'ref', 'float'].index(type_.value)]}{k}" for k, type_ in enumerate(row.args)]
            target = f"{row.result.value[0].replace('r', 'p')}9 = " if row.result.value != "void" else ""
            exit_ = " []" if row.is_guard else ""
            flag = "i8 = int_add_ovf(1, 1)\n" if row.reads_flag else ""
            behind = "guard_no_overflow() []\n" if row.overflows is not None else ""
            text = f"[{', '.join(inputs)}]\n{flag}{target}{row.name}({', '.join(inputs)}){exit_}\n{behind}"
            plain, careful = both(text)
            assert everything(plain) == everything(careful)
            assert plain is not None, text
