"""Pairs of traces on raw memory, right and wrong, and what a verdict says of each."""

from __future__ import annotations

import pytest
from declared_calls import event

from optimizer.ir.text import parse
from optimizer.ir.types.trace_layout import layout_of
from validator import Proved, Refuted, Unknown, Unsupported, validate
from validator.tell.state_text import state_json, state_lines
from validator.tell.stored_state import restored_state, stored_state

DECLARATIONS = (
    """+++
[array.Byte]
item = "u8"
[struct.Node.fields]
value = "int"
tag = "u8"
"""
    + event("look", reads="raw", result="int")
    + event("poke", writes="raw")
    + event("blind")
    + event("to_value", writes="Node.value")
    + "+++\n"
)

PAIRS = {
    "a narrow store keeps the bytes beside it": (
        "proved",
        "raw_store(i0, 0, i1, descr=w); raw_store(i0, 0, i2, descr=<ArrayU 1>); "
        "i5 = raw_load_i(i0, 1, descr=<ArrayU 1>)",
        "raw_store(i0, 0, i1, descr=w); raw_store(i0, 0, i2, descr=<ArrayU 1>); i4 = uint_rshift(i1, 8); "
        "i5 = int_and(i4, 255)",
    ),
    "a narrow store is not the whole word": (
        "end: argument 0",
        "raw_store(i0, 0, i1, descr=<ArrayU 2>); i5 = raw_load_i(i0, 0, descr=w)",
        "raw_store(i0, 0, i1, descr=<ArrayU 2>); i5 = same_as_i(i1)",
    ),
    "an unsigned load has no sign": (
        "end: argument 0",
        "i5 = raw_load_i(i0, 0, descr=<ArrayU 1>)",
        "i5 = raw_load_i(i0, 0, descr=<ArrayS 1>)",
    ),
    "what has no sign extends to itself": (
        "proved",
        "i4 = raw_load_i(i0, 0, descr=Byte); i5 = int_and(i4, 255)",
        "i5 = gc_load_i(i0, 0, 1)",
    ),
    "a signed load is a sign-extended unsigned one": (
        "proved",
        "i5 = raw_load_i(i0, 0, descr=<ArrayS 2>)",
        "i4 = raw_load_i(i0, 0, descr=<ArrayU 2>); i5 = int_signext(i4, 2)",
    ),
    "items of one byte are as far apart as bytes": (
        "proved",
        "i5 = getarrayitem_raw_i(i0, i1, descr=Byte)",
        "i5 = raw_load_i(i0, i1, descr=Byte)",
    ),
    "items of two bytes are not": (
        "end: argument 0",
        "i5 = getarrayitem_raw_i(i0, i1, descr=<ArrayU 2>)",
        "i5 = raw_load_i(i0, i1, descr=<ArrayU 2>)",
    ),
    "an index is scaled": (
        "proved",
        "i5 = gc_load_indexed_i(i0, i1, 4, 2, -4)",
        "i3 = int_lshift(i1, 2); i4 = int_add(i0, i3); i5 = raw_load_i(i4, 2, descr=<ArrayS 4>)",
    ),
    "the store to what may overlap is not ignored": (
        "end: argument 0",
        "raw_store(i0, 0, 7, descr=w); raw_store(i1, 0, 8, descr=<ArrayU 1>); i5 = raw_load_i(i0, 0, descr=w)",
        "raw_store(i0, 0, 7, descr=w); raw_store(i1, 0, 8, descr=<ArrayU 1>); i5 = same_as_i(7)",
    ),
    "stores that may overlap are not swapped": (
        "end: heap raw[]",
        "raw_store(i0, 0, 7, descr=w); raw_store(i1, 0, 8, descr=w); i5 = int_add(0, 1)",
        "raw_store(i1, 0, 8, descr=w); raw_store(i0, 0, 7, descr=w); i5 = int_add(0, 1)",
    ),
    "stores that lie beside each other are": (
        "proved",
        "raw_store(i0, 0, 7, descr=w); raw_store(i0, 8, 8, descr=w); i5 = int_add(0, 1)",
        "raw_store(i0, 8, 8, descr=w); raw_store(i0, 0, 7, descr=w); i5 = int_add(0, 1)",
    ),
    "a store that another covers is dead": (
        "proved",
        "raw_store(i0, 2, 7, descr=<ArrayU 2>); raw_store(i0, 0, 8, descr=w); i5 = int_add(0, 1)",
        "raw_store(i0, 0, 8, descr=w); i5 = int_add(0, 1)",
    ),
    "one that another covers in part is not": (
        "end: heap raw[]",
        "raw_store(i0, 7, 7, descr=<ArrayU 2>); raw_store(i0, 0, 8, descr=w); i5 = int_add(0, 1)",
        "raw_store(i0, 0, 8, descr=w); i5 = int_add(0, 1)",
    ),
    "two halves are a whole": (
        "proved",
        "i3 = int_rshift(i1, 32); raw_store(i0, 0, i1, descr=<ArrayU 4>); raw_store(i0, 4, i3, descr=<ArrayU 4>); "
        "i5 = int_add(0, 1)",
        "raw_store(i0, 0, i1, descr=w); i5 = int_add(0, 1)",
    ),
    "addresses wrap around": (
        "proved",
        "raw_store(-1, 0, i1, descr=<ArrayU 2>); i5 = raw_load_i(0, 0, descr=<ArrayU 1>)",
        "raw_store(-1, 0, i1, descr=<ArrayU 2>); i4 = uint_rshift(i1, 8); i5 = int_and(i4, 255)",
    ),
    "an event may write": (
        "end: argument 0",
        "raw_store(i0, 0, 7, descr=w); escape_n(); i5 = raw_load_i(i0, 0, descr=w)",
        "raw_store(i0, 0, 7, descr=w); escape_n(); i5 = same_as_i(7)",
    ),
    "one that says so too": (
        "end: argument 0",
        "raw_store(i0, 0, 7, descr=w); call_n(1, descr=poke); i5 = raw_load_i(i0, 0, descr=w)",
        "raw_store(i0, 0, 7, descr=w); call_n(1, descr=poke); i5 = same_as_i(7)",
    ),
    "one that does not say so does not": (
        "proved",
        "raw_store(i0, 0, 7, descr=w); i4 = call_i(1, descr=look); call_n(1, descr=blind); "
        "i5 = raw_load_i(i0, 0, descr=w)",
        "raw_store(i0, 0, 7, descr=w); i4 = call_i(1, descr=look); call_n(1, descr=blind); i5 = same_as_i(7)",
    ),
    "an event that reads sees the store": (
        "event 0: heap raw[]",
        "raw_store(i0, 0, 7, descr=w); i5 = call_i(1, descr=look); raw_store(i0, 0, 8, descr=w)",
        "i5 = call_i(1, descr=look); raw_store(i0, 0, 8, descr=w)",
    ),
    "one that is blind does not": (
        "proved",
        "raw_store(i0, 0, 7, descr=w); call_n(1, descr=blind); raw_store(i0, 0, 8, descr=w); i5 = int_add(0, 1)",
        "call_n(1, descr=blind); raw_store(i0, 0, 8, descr=w); i5 = int_add(0, 1)",
    ),
    "a guard that fails shows memory": (
        "guard 0: heap raw[]",
        "raw_store(i0, 0, 7, descr=w); guard_value(i1, 1) []; i5 = int_add(0, 1)",
        "guard_value(i1, 1, origin=0) []; raw_store(i0, 0, 7, descr=w); i5 = int_add(0, 1)",
    ),
    "its exit block may make up for it": (
        "proved",
        "raw_store(i0, 0, 7, descr=w); guard_value(i1, 1) []; raw_store(i0, 0, 8, descr=w); i5 = int_add(0, 1)",
        "guard_value(i1, 1, origin=0) [] {; raw_store(i0, 0, 7, descr=w); }; raw_store(i0, 0, 8, descr=w); "
        "i5 = int_add(0, 1)",
    ),
    "a guard tells that addresses are one": (
        "proved",
        "raw_store(i0, 0, i2, descr=w); guard_value(i0, i1) []; i5 = raw_load_i(i1, 0, descr=w)",
        "raw_store(i0, 0, i2, descr=w); guard_value(i0, i1, origin=0) []; i5 = same_as_i(i2)",
    ),
    "a field of one struct is not that of another": (
        "end: argument 0",
        "setfield_raw(i0, 1, descr=F); setfield_raw(i1, 2, descr=F); i5 = getfield_raw_i(i0, descr=F)",
        "setfield_raw(i0, 1, descr=F); setfield_raw(i1, 2, descr=F); i5 = same_as_i(1)",
    ),
    "fields are apart": (
        "proved",
        "setfield_raw(i0, 1, descr=F); setfield_raw(i1, 2, descr=G); i5 = getfield_raw_i(i0, descr=F)",
        "setfield_raw(i0, 1, descr=F); setfield_raw(i1, 2, descr=G); i5 = same_as_i(1)",
    ),
    "a declared narrow field is narrow": (
        "proved",
        "i4 = getfield_raw_i(i0, descr=Node.tag); i5 = int_and(i4, 255)",
        "i5 = getfield_raw_i(i0, descr=Node.tag)",
    ),
    "a field of an object is not that of a raw struct": (
        "proved",
        "setfield_raw(i0, 1, descr=Node.value); setfield_gc(p3, 2, descr=Node.value); "
        "i5 = getfield_raw_i(i0, descr=Node.value)",
        "setfield_raw(i0, 1, descr=Node.value); setfield_gc(p3, 2, descr=Node.value); i5 = same_as_i(1)",
    ),
    "a call that names the field writes to both": (
        "end: argument 0",
        "setfield_raw(i0, 1, descr=Node.value); call_n(1, descr=to_value); i5 = getfield_raw_i(i0, descr=Node.value)",
        "setfield_raw(i0, 1, descr=Node.value); call_n(1, descr=to_value); i5 = same_as_i(1)",
    ),
    "a store to bytes may be one to a field": (
        "unknown",
        "setfield_raw(i0, 1, descr=F); raw_store(i1, 0, 2, descr=w); i5 = getfield_raw_i(i0, descr=F)",
        "setfield_raw(i0, 1, descr=F); raw_store(i1, 0, 2, descr=w); i5 = same_as_i(1)",
    ),
    "and one to a field one to bytes": (
        "unknown",
        "i4 = raw_load_i(i1, 0, descr=w); setfield_raw(i0, 1, descr=F); i5 = raw_load_i(i1, 0, descr=w)",
        "i4 = raw_load_i(i1, 0, descr=w); setfield_raw(i0, 1, descr=F); i5 = same_as_i(i4)",
    ),
    "they are not swapped": (
        "unknown",
        "raw_store(i1, 0, 2, descr=w); setfield_raw(i0, 1, descr=F); i5 = int_add(0, 1)",
        "setfield_raw(i0, 1, descr=F); raw_store(i1, 0, 2, descr=w); i5 = int_add(0, 1)",
    ),
    "nor is a store to another field forgotten that stands between": (
        "unknown",
        "i3 = getfield_raw_i(i0, descr=G); i4 = int_add(i3, 1); setfield_raw(i0, i4, descr=G); "
        "setfield_raw(i1, 1, descr=F); "
        "i5 = raw_load_i(i2, 0, descr=w); setfield_raw(i0, i3, descr=G)",
        "i3 = getfield_raw_i(i0, descr=G); setfield_raw(i1, 1, descr=F); i5 = raw_load_i(i2, 0, descr=w); "
        "setfield_raw(i0, i3, descr=G)",
    ),
    "nor what a call may write": (
        "unknown",
        "i4 = raw_load_i(i0, 0, descr=w); call_n(1, descr=to_value); i5 = raw_load_i(i0, 0, descr=w); "
        "i6 = getfield_raw_i(i0, descr=Node.value)",
        "i4 = raw_load_i(i0, 0, descr=w); call_n(1, descr=to_value); i5 = same_as_i(i4); "
        "i6 = getfield_raw_i(i0, descr=Node.value)",
    ),
    "a load of a field stays where bytes are used": (
        "proved",
        "i4 = getfield_raw_i(i0, descr=F); raw_store(i1, 0, 1, descr=w); i5 = getfield_raw_i(i0, descr=F)",
        "i4 = getfield_raw_i(i0, descr=F); raw_store(i1, 0, 2, descr=w); raw_store(i1, 0, 1, descr=w); "
        "i5 = getfield_raw_i(i0, descr=F)",
    ),
    "a float is its bytes": (
        "proved",
        "raw_store(i0, 0, f4, descr=<ArrayF 8>); f6 = raw_load_f(i0, 0, descr=<ArrayF 8>); "
        "i5 = raw_load_i(i0, 0, descr=w); i7 = float_eq(f6, f6)",
        "raw_store(i0, 0, f4, descr=<ArrayF 8>); i5 = convert_float_bytes_to_longlong(f4); i7 = float_eq(f4, f4)",
    ),
    "a store to some of them is not ignored": (
        "end: argument 0",
        "raw_store(i0, 0, f4, descr=<ArrayF 8>); raw_store(i0, 3, 1, descr=<ArrayU 1>); "
        "f6 = raw_load_f(i0, 0, descr=<ArrayF 8>); i5 = convert_float_bytes_to_longlong(f6)",
        "raw_store(i0, 0, f4, descr=<ArrayF 8>); raw_store(i0, 3, 1, descr=<ArrayU 1>); "
        "i5 = convert_float_bytes_to_longlong(f4)",
    ),
    "a float in a raw struct": (
        "proved",
        "setfield_raw(i0, f4, descr=D); f6 = getfield_raw_f(i0, descr=D); i5 = convert_float_bytes_to_longlong(f6)",
        "setfield_raw(i0, f4, descr=D); i5 = convert_float_bytes_to_longlong(f4)",
    ),
    "is not another one": (
        "end: argument 0",
        "setfield_raw(i0, f4, descr=D); setfield_raw(i1, 1.5, descr=D); f6 = getfield_raw_f(i0, descr=D); "
        "i5 = convert_float_bytes_to_longlong(f6)",
        "setfield_raw(i0, f4, descr=D); setfield_raw(i1, 1.5, descr=D); i5 = convert_float_bytes_to_longlong(f4)",
    ),
    "a reference in a raw struct": (
        "proved",
        "setfield_raw(i0, p3, descr=R); p4 = getfield_raw_r(i0, descr=R); i5 = ptr_eq(p3, p4)",
        "setfield_raw(i0, p3, descr=R); i5 = int_add(0, 1)",
    ),
    "is visible": (
        "end: heap Node.value",
        "p4 = new(descr=Node); setfield_raw(i0, p4, descr=R); setfield_gc(p4, 1, descr=Node.value); i5 = int_add(0, 1)",
        "p4 = new(descr=Node); setfield_raw(i0, p4, descr=R); i5 = int_add(0, 1)",
    ),
    "not beside bytes": (
        "unsupported",
        "setfield_raw(i0, p3, descr=R); i5 = raw_load_i(i0, 0, descr=w)",
        "setfield_raw(i0, p3, descr=R); i5 = raw_load_i(i0, 0, descr=w)",
    ),
}


def trace_of(body: str) -> str:
    lines = [line.strip() for line in body.split(";")]
    return DECLARATIONS + "\n".join(["[i0, i1, i2, p3, f4]", *lines, "finish(i5)"])


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_come_out_as_they_are(name: str, rungs: str) -> None:
    wanted, one, other = PAIRS[name]
    before, after = parse(trace_of(one)), parse(trace_of(other))
    match validate(before, after):
        case Proved():
            said = "proved"
        case Refuted(_, found):
            said = found.obligation
            stored = stored_state(found.state, before)
            again = restored_state(stored, before, layout_of(before, after), "case")
            assert again is not None
            assert stored_state(again, before) == stored
            assert state_json(found, before)["inputs"]
            assert list(state_lines(found, before))
        case Unknown():
            said = "unknown"
        case Unsupported():
            said = "unsupported"
        case verdict:
            raise AssertionError(verdict)
    assert said == wanted


def test_a_trace_refines_itself() -> None:
    for wanted, *bodies in PAIRS.values():
        for body in bodies if wanted != "unsupported" else ():
            assert isinstance(validate(parse(trace_of(body)), parse(trace_of(body))), Proved)


def test_a_counterexample_tells_the_bytes() -> None:
    before, after = (parse(f"[i0]\ni1 = raw_load_i(i0, {k}, descr=<ArrayU 1>)\nfinish(i1)") for k in (0, 1))
    verdict = validate(before, after)
    assert isinstance(verdict, Refuted)
    lines = list(state_lines(verdict.counterexample, before))
    assert lines[0].startswith("On i0 = 0")
    assert len(lines) == 2
    assert "raw[" in lines[1]


def test_a_counterexample_tells_what_events_write() -> None:
    before = parse("[i0]\nescape_n()\ni1 = raw_load_i(i0, 0, descr=<ArrayU 1>)\nfinish(i1)")
    after = parse("[i0]\ni1 = raw_load_i(i0, 0, descr=<ArrayU 1>)\nescape_n()\nfinish(i1)")
    verdict = validate(before, after)
    assert isinstance(verdict, Refuted)
    found = verdict.counterexample
    assert next(iter(state_lines(found, before))).startswith("On i0 = 0, event 0 writes raw memory[0] = ")
    stored = stored_state(found.state, before)
    assert restored_state(stored, before, layout_of(before, after), "case") == found.state
