"""Fields of no struct in particular, declared as narrow or immutable."""

from __future__ import annotations

import pytest

from optimizer.ir.faults import InputError
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.types.trace_layout import layout_of
from validator import Failed, Options, Proved, Refuted, validate

DECLARED = """+++
[field]
tag = { type = "u8", immutable = true }
small = "i16"
"<FieldP T.next 8 pure>" = { type = "ref", immutable = true }
+++
"""
NARROW = f"{DECLARED}[p0]\ni1 = getfield_gc_i(p0, descr=tag)\ni2 = int_and(i1, 255)\nfinish(i2)"
READ_TWICE = f"""{DECLARED}[p0]
p1 = getfield_gc_r(p0, descr=<FieldP T.next 8 pure>)
i2 = getfield_gc_i(p0, descr=small)
escape_n(p0)
p3 = getfield_gc_r(p0, descr=<FieldP T.next 8 pure>)
i4 = getfield_gc_i(p0, descr=small)
finish(p3, i4)
"""
ONCE = """[p0]
p1 = getfield_gc_r(p0, descr=<FieldP T.next 8 pure>)
i2 = getfield_gc_i(p0, descr=small)
escape_n(p0)
i4 = getfield_gc_i(p0, descr=small)
finish(p1, i4)
"""


def verdict(before: str, after: str) -> object:
    return validate(parse(before), parse(after), Options(audit=True))


def test_the_range_of_a_narrow_field_is_known() -> None:
    after = NARROW.replace("i2 = int_and(i1, 255)\n", "").replace("finish(i2)", "finish(i1)")
    assert isinstance(verdict(NARROW, after), Proved)
    assert isinstance(verdict(NARROW.replace("u8", "u16"), after.replace("u8", "u16")), Refuted)


def test_an_immutable_field_is_not_written_by_events_and_another_one_is() -> None:
    proved = verdict(READ_TWICE, ONCE)
    assert isinstance(proved, Proved)
    assert proved.evidence.audit is not None
    assert proved.evidence.audit.checked
    assert isinstance(verdict(READ_TWICE, ONCE.replace("finish(p1, i4)", "finish(p1, i2)")), Refuted)
    mutable = READ_TWICE.replace(", immutable = true }\n+++", " }\n+++")
    assert isinstance(verdict(mutable, ONCE), Refuted)


def test_any_object_may_have_it() -> None:
    after = f"{DECLARED}[p0]\np1 = new(descr=Any)\nsetfield_gc(p1, 7, descr=tag)\nfinish(7)"
    before = after.replace("finish(7)", "i2 = getfield_gc_i(p1, descr=tag)\nfinish(i2)")
    assert isinstance(verdict(before, after), Proved)


def test_a_store_keeps_to_the_range() -> None:
    before = f"{DECLARED}[p0, i1]\nsetfield_gc(p0, i1, descr=other)\nfinish()"
    after = before.replace("descr=other", "descr=small")
    assert isinstance(verdict(before, after), Refuted)


def test_a_heap_keeps_to_the_range() -> None:
    layout = layout_of(parse(NARROW))
    assert parse_heap("p0 = object(tag=255)", layout)
    with pytest.raises(InputError):
        parse_heap("p0 = object(tag=256)", layout)


def test_the_type_is_that_of_its_uses() -> None:
    with pytest.raises(InputError, match="tag is declared to hold a machine int, and getfield_gc_r uses it for"):
        parse(f"{DECLARED}[p0]\np1 = getfield_gc_r(p0, descr=tag)\nfinish()")


def test_both_traces_declare_the_same() -> None:
    after = NARROW.replace('"u8"', '"u16"')
    assert isinstance(verdict(NARROW, after), Failed)


def test_it_is_printed_as_it_is_read() -> None:
    trace = parse(READ_TWICE)
    assert parse(format_trace(trace)) == trace
    assert "[field]" in format_trace(trace)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[struct.A]\nfields = { x = "int" }\n[field]\n"A.x" = "int"', "A.x is a field of a declared struct"),
        ('[array.x]\nitem = "u8"\n[field]\nx = "int"', "x is declared twice, as an array and as a field"),
        ('[field]\nx = { type = "int", immutable = true, quasi_immutable = true }', "field x is either immutable or"),
        ("[field]\nx = { immutable = true }", "field.x lacks its type"),
    ],
)
def test_what_cannot_be_declared(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(f"+++\n{text}\n+++\n[p0]\nfinish()")
