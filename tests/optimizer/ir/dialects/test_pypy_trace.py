"""What a recorded trace of PyPy becomes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_trace import read_recorded
from optimizer.ir.faults import InputError
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace
from optimizer.pipeline import optimize
from validator import Proved, validate


def read(text: str, *, bare: bool = True) -> Trace:
    return read_recorded(Section(10, tuple(text.splitlines()), None, True), "run.log", bare=bare)


def body(text: str, *, bare: bool = True) -> str:
    printed = format_trace(read(text, bare=bare))
    assert format_trace(parse(printed)) == printed
    return printed.split("+++\n")[-1]


def test_null_is_no_constant_object() -> None:
    assert "guard_value(p0, NULL)" in body("[p0]\nguard_value(p0, ConstPtr(null))\nguard_value(p0, ConstPtr(ptr1))")


def test_a_class_is_a_class_however_it_is_printed() -> None:
    text = (
        "[p0, p1]\nguard_class(p0, 140310492508064)\nguard_class(p1, ConstClass(W_Int))\ni2 = int_add(5, 14031049250)"
    )
    printed = body(text)
    assert "guard_class(p0, ConstClass(140310492508064))" in printed
    assert "int_add(5, 14031049250)" in printed


def test_two_classes_or_functions_may_have_one_printed_name() -> None:
    printed = body("[p0, p1]\nguard_class(p0, ConstClass(W_Int))\nguard_class(p1, ConstClass(W_Int))")
    assert "guard_class(p0, ConstClass(W_Int$1))\nguard_class(p1, ConstClass(W_Int$2))" in printed


def test_two_allocations_of_one_size_may_be_of_two_classes() -> None:
    printed = body("[]\np0 = new_with_vtable(descr=<SizeDescr 16>)\np1 = new(descr=<SizeDescr 16>)")
    assert "p0 = new_with_vtable(descr=<SizeDescr 16 $1>)\np1 = new(descr=<SizeDescr 16 $2>)" in printed


def test_a_printed_float_is_not_known() -> None:
    printed = body("[f0]\nf1 = float_add(f0, 0.100000)\nf2 = float_add(-1.500000, 0.100000)\njump(f2)")
    assert printed.startswith("[f0, f$0, f$1, f$2]\nf1 = float_add(f0, f$0)\nf2 = float_add(f$1, f$2)\n")


@pytest.mark.parametrize(
    ("descr", "declared"),
    [
        ("<Calli 8 ii EF=0 OS=12>", 'result = "int"\nelidable = true\noopspec = "int_py_div"\n'),
        ("<Calli 8 ii EF=0 OS=14>", 'result = "int"\nelidable = true\noopspec = "int_py_mod"\n'),
        (
            "<Calli 8 i EF=1 OS=5>",
            'result = "int"\nloop_invariant = true\noopspec = "threadlocalref_get"\nreads = []\nwrites = []\n',
        ),
        (
            "<Calli 8 i EF=1>",
            'result = "int"\nloop_invariant = true\ncan_invalidate = true\nwrites = []\n',
        ),
        ("<Calli 8 i EF=2>", 'result = "int"\ncan_invalidate = true\n'),
        ("<Calli 8 i EF=3>", 'result = "int"\nelidable = true\ncan_raise = true\n'),
        ("<Calli 8 i EF=3 OS=22>", 'result = "int"\nelidable = true\noopspec = "strconcat"\n'),
        ("<Calli 8 i EF=4 OS=23>", 'result = "int"\nelidable = true\ncan_raise = true\noopspec = "strslice"\n'),
        ("<Calli 8 i EF=0 OS=51>", 'result = "int"\nelidable = true\noopspec = "unicodeeq_lengthok"\n'),
        ("<Calli 8 i EF=4>", 'result = "int"\nelidable = true\ncan_raise = true\n'),
        ("<Calli 8 i EF=5 OS=4>", 'result = "int"\ncan_raise = true\ncan_invalidate = true\n'),
        ("<Calli 8 i EF=6>", 'result = "int"\ncan_raise = true\ncan_invalidate = true\n'),
        ("<Calli 8 i EF=7>", 'result = "int"\ncan_raise = true\ncan_invalidate = true\n'),
    ],
)
def test_what_a_call_does_is_read_off_its_descr(descr: str, declared: str) -> None:
    printed = format_trace(read(f"[i0]\ni1 = call_i(ConstClass(f), i0, descr={descr})"))
    assert f'[call."{descr}"]\n{declared}+++\n' in printed


@pytest.mark.parametrize("letter", ["v", "n"])
def test_a_call_without_a_result(letter: str) -> None:
    printed = format_trace(read(f"[i0]\ncall_n(140310492508064, i0, descr=<Call{letter} 0 i EF=5>)"))
    assert 'result = "void"' in printed


def test_items_narrower_than_a_word_are_declared() -> None:
    text = "[p0]\ni1 = getarrayitem_gc_i(p0, 0, descr=<ArrayU 1>)\ni2 = getarrayitem_gc_i(p0, 0, descr=<ArrayS 8>)"
    printed = format_trace(read(text))
    assert '[array."<ArrayU 1>"]\nitem = "u8"\n' in printed
    assert '[array."<ArrayS 8>"]' not in printed


def test_a_guard_hands_over_what_is_used_later() -> None:
    text = """[p0, i1, i2]
        i3 = int_add_ovf(i1, 1)
        guard_no_overflow()
        i4 = int_lt(i3, i2)
        guard_true(i4)
        i5 = int_add(i2, 1)
        jump(p0, i3)"""
    printed = body(text, bare=False)
    assert "guard_no_overflow() [p0, i2, i3]\n" in printed
    assert "guard_true(i4) [p0, i2, i3]\n" in printed
    assert "guard_true(i4)\n" in body(text)


def test_a_mistake_is_told_with_its_line_of_the_log() -> None:
    with pytest.raises(InputError) as raised:
        read("# heading\n[p0]\ni1 = no_such_operation(p0)")
    assert (raised.value.file, raised.value.line, raised.value.column) == ("run.log", 12, 6)


def test_a_trace_without_inputs_is_a_mistake() -> None:
    with pytest.raises(InputError, match="no inputs"):
        read("i1 = int_add(1, 2)")


STORES_ZERO = """[i0]
p1 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p1, 0, descr=<FieldS W.value 8>)
setfield_gc(p1, ConstPtr(null), descr=<FieldP W.next 16>)
escape_n(p1)
jump(i0)
"""


@pytest.mark.parametrize(("dropped", "proved"), [("value", False), ("next", True)])
def test_an_allocation_clears_references_only(dropped: str, proved: bool) -> None:
    before = read(STORES_ZERO)
    after = replace(before, ops=tuple(one for one in before.ops if one.descr is None or dropped not in one.descr))
    assert isinstance(validate(before, after), Proved) == proved


def test_our_optimizer_keeps_the_zeros() -> None:
    assert [one.descr for one in optimize(read(STORES_ZERO)).ops if one.op.name == "setfield_gc"] == [
        "<FieldS W.value 8>"
    ]
