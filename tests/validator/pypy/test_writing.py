"""Traces written operation by operation: what they read back as, and what is wrong with them."""

from __future__ import annotations

import pytest

from optimizer.ir.faults import InputError
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace
from optimizer.ir.types.declared import NO_DECLARATIONS, Call, Declarations
from validator.pypy.writing import Writing

TEXT = """\
[p0, i1, f_1d5]
i2 = int_add_ovf(i1, -9223372036854775808)
guard_no_overflow() []
p3 = new_with_vtable(descr=<SizeDescr 16 $0>)
setfield_gc(p3, "text", descr=<FieldP W_List.inst_items 8 pure>)
setfield_gc(p3, NULL, descr=<FieldP W_List.inst_next 16>)
guard_class(p0, ConstClass(W_IntObject)) [i2, p3]
guard_value(p0, ConstPtr(k1))
jump(p0, i2, f_1d5)
"""


def written() -> Writing:
    writing = Writing(["p0", "i1", "f_1d5"])
    writing.add("int_add_ovf", ["i1", "-9223372036854775808"], "i2")
    writing.add("guard_no_overflow", [], handed=[])
    writing.add("new_with_vtable", [], "p3", "<SizeDescr 16 $0>")
    writing.add("setfield_gc", ["p3", '"text"'], descr="<FieldP W_List.inst_items 8 pure>")
    writing.add("setfield_gc", ["p3", "NULL"], descr="<FieldP W_List.inst_next 16>")
    writing.add("guard_class", ["p0", "ConstClass(W_IntObject)"], handed=["i2", "p3"])
    writing.add("guard_value", ["p0", "ConstPtr(k1)"])
    return writing


def test_a_written_trace_is_the_one_that_its_text_says() -> None:
    writing = written()
    writing.add("jump", ["p0", "i2", "f_1d5"])
    trace = writing.trace(NO_DECLARATIONS)
    assert trace == parse(TEXT)
    assert format_trace(trace) == TEXT
    assert [op.line for op in trace.ops] == [op.line for op in parse(TEXT).ops]


@pytest.mark.parametrize(
    ("name", "args", "result", "said"),
    [
        ("int_sum", ["i1"], "i9", "there is no operation int_sum"),
        ("int_neg", ["i7"], "i9", "i7 is not defined"),
        ("int_neg", ["9223372036854775808"], "i9", "9223372036854775808"),
        ("int_neg", ["p0"], "i9", "p0"),
        ("int_neg", ["i1", "i2"], "i9", "int_neg"),
        ("int_neg", ["i1"], "i2", "i2"),
    ],
)
def test_what_is_not_well_formed_is_a_fault_of_the_log(name: str, args: list[str], result: str, said: str) -> None:
    def write() -> Trace:
        writing = written()
        writing.add(name, args, result)
        writing.add("finish", [])
        return writing.trace(NO_DECLARATIONS)

    with pytest.raises(InputError, match=said):
        write()


def test_declarations_have_to_fit_together() -> None:
    writing = written()
    writing.add("finish", [])
    calls = (Call("f", "int", reads=("list[]",)),)
    with pytest.raises(InputError, match=r"list\[\]"):
        writing.trace(Declarations(calls=calls))
