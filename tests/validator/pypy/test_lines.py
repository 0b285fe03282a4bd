"""Lines of a log: plain ones are read as the reader of all traces reads them."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from optimizer.ir.dialects.pypy_log import Section, read_traces
from optimizer.ir.faults import InputError
from validator.pypy.printed.lines import Printed, read_printed

PAIRS = Path("tests/programs/pairs")
PLAIN = (
    "# a comment",
    "",
    "+12: --end of the loop--",
    "debug_merge_point(0, 0, 'f;a.py:1-2~#4 LOAD_FAST (x), \"y\" # z')",
    "+3: i7 = getfield_gc_i(p1, descr=<FieldS a.W_X.inst_y 8 pure>)",
    "p8 = getinteriorfield_gc_r(p0, i1, descr=<InteriorFieldDescr <FieldP odictentry.key 0>>)",
    "p9 = call_may_force_r(ConstClass(f), p1, ConstPtr(null), -1, 1.500000, 2.0e-05, descr=<Callr 8 rrif EF=7>)",
    "+40: guard_not_forced(descr=<Guard0x7f926989c020>) [p1, None, i7]",
    "guard_true(i7, descr=<Guard0x7f926989c020>) []",
    "guard_no_exception() [None]",
    "jump(p0, i1, descr=TargetToken(140240348725520))",
    "leave_portal_frame(0)",
)
ODD = (
    "i7 = int_add(i1 , 1)",
    "i7 = int_add(i1, 1) # sum",
    "i7 = int_add(i1, origin)",
    "i7 = f(p1, descr=<Fie<l<1>>d>)",
    "i7 = f(p1, descr=<Fie<ld>)",
    "i7 = f(i1, ConstClass(g(a, b)))",
    "i7 = int_add(i1, 1,)",
    "i7 = int_add(i1, 1, )",
    "i7 = int_add(i1 1)",
    "i7 = int_add(i1, ) [i1]",
    "i7 = int_add(i1, 1) [i1, ]",
    "i7 = int_add(i1, 1) [i1 i2]",
    "f(descr=<A>, i1)",
    "f(i1, descr=<A>, descr=<B>)",
    "f(, descr=<A>)",
    "f(i1 descr=<A>)",
    "i7 = debug_merge_point(0, 0)",
    "debug_merge_point(0, 0) [i1]",
    "jit_debug(0, 0)",
    "[i1]",
    "x7 = f(y)",
    "{",
    "f",
)


def read(lines: tuple[str, ...]) -> Printed | str:
    try:
        return read_printed(Section(1, lines, None, ends=True), "log")
    except InputError as mistake:
        return str(mistake)


def all_of(printed: Printed | str) -> object:
    if isinstance(printed, str):
        return printed
    return printed.inputs, [(line, line.point, line.passed) for line in printed.lines]


@pytest.mark.parametrize("line", PLAIN + ODD)
@pytest.mark.parametrize("header", [("[p0, i1]",), ("[]",), ()])
def test_a_line_is_read_as_in_front_of_one_that_is_not_plain(header: tuple[str, ...], line: str) -> None:
    lines = ("# Loop", *header, line, "i8 = int_neg(i1)")
    assert all_of(read(lines)) == all_of(read((*lines, "  ")))


def test_the_lines_of_logs_are_read_alike() -> None:
    with lzma.open(PAIRS / "floats.log.xz", "rt") as log:
        for section in read_traces(log):
            assert all_of(read(section.lines)) == all_of(read((*section.lines, "  ")))


def test_lines_of_logs_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.pypy.printed.lines._read", None)
    read(("# Loop", "[p0, i1]", *PLAIN))
    with lzma.open(PAIRS / "floats.log.xz", "rt") as log:
        assert all(isinstance(read(section.lines), Printed) for section in read_traces(log))


@pytest.mark.parametrize(
    "line",
    [
        "i3 = int_add(i1)",
        "i3 = getfield_gc_foo(descr=<FieldS A.x 8>)",
        "setfield_gc_foo(p0, descr=<FieldS A.x 8>)",
        "setarrayitem_gc_foo(p0, i1, descr=<ArrayS 8>)",
        "call_n(descr=<Callv 0 EF=5>)",
        "cond_call_n(i1, descr=<Callv 0 EF=5>)",
        "record_exact_value_q(p0)",
    ],
)
def test_an_operation_has_the_arguments_that_it_needs_whatever_it_is(line: str) -> None:
    assert "too few arguments" in str(read(("# Loop", "[p0, i1]", line)))


def test_compiled_code_may_be_called_without_any() -> None:
    assert isinstance(read(("# Loop", "[p0]", "call_assembler_n(descr=<Loop1>)")), Printed)
