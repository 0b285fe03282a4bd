"""Pairs that are wrong for one reason each: a proof of one of them has taken two things for the same that are not.

In each the memory is the same at the end, so that only what was read in between can tell.
"""

from __future__ import annotations

import pytest
from declared_calls import event, functions

from optimizer.ir.text import parse
from validator import Proved, Unsupported, Verdict, validate

DECLARED = """[struct.N]
cleared = false
fields = { x = "int", "x written" = "bool" }
"""
CALLS = event("show", result="ref") + event("to_y", writes="y") + functions("find")
FRONT = f"+++\n{DECLARED}{CALLS}+++\n[p0, p1, i2, i3]\n"
PUT, SET, SET3 = "gc_store(p0, 8, i3, 8)", "setfield_gc(p0, i2, descr=x)", "setfield_gc(p0, i3, descr=x)"
GET, BYTE, BYTE9 = "i4 = getfield_gc_i(p0, descr=x)", "i4 = gc_load_i(p0, 8, 1)", "i4 = gc_load_i(p0, 9, 1)"
WAS9 = "i7 = gc_load_i(p0, 9, 1)"
ITEMS = "setarrayitem_gc(p0, 0, 7, descr=A); setarrayitem_gc(p0, 1, 7, descr=A)"
FRESH, SHOWN = "p5 = new(descr=S)", "p6 = call_r(7, p5, descr=show)"
STRING, CHAR = "p5 = newstr(2)", "i4 = strgetitem(p5, 0)"
TWO = f"{STRING}; {SHOWN}; {SHOWN.replace('p6', 'p7')}"
NAMED = "p5 = new(descr=N); setfield_gc(p5, 0, descr=N.x written)"
SETX, GETX = "setfield_raw(i2, 7, descr=x)", "i4 = getfield_raw_i(i2, descr=x)"
STORE, LOAD = "raw_store(i3, 0, i3, descr=word)", "i4 = raw_load_i(i3, 0, descr=<ArrayU 1>)"
WORD, HALF = "gc_store(p5, 24, i3, 2)", "gc_store(p5, 24, i3, 1)"

PAIRS = {
    # What a field holds behind a store to bytes is a function of all of these.
    "what is stored": (
        f"{PUT.replace('i3', 'i2')}; {GET}; {PUT}; {SET}; finish(i4)",
        f"{PUT}; {GET}; {PUT}; {SET}; finish(i4)",
    ),
    "where it is stored": (
        f"{PUT}; {GET}; {PUT.replace('8, i3', '16, i3')}; {SET}; finish(i4)",
        f"{PUT.replace('8, i3', '16, i3')}; {GET}; {PUT}; {SET}; finish(i4)",
    ),
    "how many bytes": (
        f"{PUT.replace('8)', '4)')}; {GET}; {PUT}; {SET}; finish(i4)",
        f"{PUT.replace('8)', '2)')}; {GET}; {PUT}; {SET}; finish(i4)",
    ),
    "what the field held": (f"{SET}; {PUT}; {GET}; {SET3}; finish(i4)", f"{PUT}; {GET}; {SET3}; finish(i4)"),
    "which field": (
        f"{SET}; {SET.replace('x', 'y')}; {PUT}; {GET}; finish(i4)",
        f"{SET}; {SET.replace('x', 'y')}; {PUT}; {GET.replace('x', 'y')}; finish(i4)",
    ),
    "which item": (
        f"{ITEMS}; {PUT}; i4 = getarrayitem_gc_i(p0, 0, descr=A); finish(i4)",
        f"{ITEMS}; {PUT}; i4 = getarrayitem_gc_i(p0, 1, descr=A); finish(i4)",
    ),
    # What a byte is behind a store to a field is a function of all of these.
    "what the byte was": (
        f"{SET}; {BYTE}; call_n(7, descr=to_y); finish(i4)",
        f"{SET}; call_n(7, descr=to_y); {BYTE}; finish(i4)",
    ),
    "which byte": (
        f"gc_store(p0, 8, 0, 2); {SET}; {BYTE}; finish(i4)",
        f"gc_store(p0, 8, 0, 2); {SET}; {BYTE9}; finish(i4)",
    ),
    "the stores to bytes behind the field's": (
        f"{WAS9}; {SET}; gc_store(p0, 8, i3, 1); gc_store(p0, 9, i7, 1); {BYTE9}; {SET3}; finish(i4)",
        f"{WAS9}; {SET}; gc_store(p0, 8, i3, 1); {BYTE9}; gc_store(p0, 9, i7, 1); {SET3}; finish(i4)",
    ),
    "those through another reference": (
        f"{WAS9}; {SET}; gc_store(p1, 9, i7, 1); {BYTE9}; {SET3}; finish(i4)",
        f"{WAS9}; {SET}; {BYTE9}; gc_store(p1, 9, i7, 1); {SET3}; finish(i4)",
    ),
    "a store ahead of an event that did not see the object": (
        f"{FRESH}; setfield_gc(p5, i2, descr=x); escape_n(0); i4 = gc_load_i(p5, 8, 1); finish(i4)",
        f"{FRESH}; escape_n(0); i4 = gc_load_i(p5, 8, 1); finish(i4)",
    ),
    "... and that another event gives": (
        f"{FRESH}; setfield_gc(p5, i2, descr=x); escape_n(0); {SHOWN}; i4 = gc_load_i(p6, 8, 1); finish(i4)",
        f"{FRESH}; escape_n(0); {SHOWN}; i4 = gc_load_i(p6, 8, 1); setfield_gc(p5, i2, descr=x); finish(i4)",
    ),
    "references": (
        "setfield_gc(p0, p1, descr=n); p4 = gc_load_r(p0, 8, 8); finish(p4)",
        "p4 = gc_load_r(p0, 8, 8); setfield_gc(p0, p1, descr=n); finish(p4)",
    ),
    # What was not written is not defined, though something was.
    "written by another object's store": (
        f"{TWO}; gc_store(p6, 24, i3, 1); gc_store(p7, 24, i3, 1); {CHAR}; finish(i3)",
        f"{TWO}; gc_store(p6, 24, i3, 1); {CHAR}; gc_store(p7, 24, i3, 1); finish(i3)",
    ),
    "written by any store": (f"{STRING}; {HALF}; finish(i3)", f"{STRING}; {HALF}; {CHAR}; finish(i3)"),
    "written by a store elsewhere": (
        f"{STRING}; {HALF}; {CHAR}; finish(i3)",
        f"{STRING}; {HALF.replace('24', '25')}; {CHAR}; finish(i3)",
    ),
    "another item": (
        f"{STRING}; {HALF}; {CHAR}; finish(i3)",
        f"{STRING}; {HALF}; {CHAR.replace('0)', '1)')}; finish(i3)",
    ),
    "written by a smaller store": (
        f"{STRING}; {WORD}; {CHAR.replace('0)', '1)')}; finish(i3)",
        f"{STRING}; {HALF}; {CHAR.replace('0)', '1)')}; finish(i3)",
    ),
    "a store of what another store before it has put there": (
        f"{SET}; {SET3.replace('p0', 'p1')}; {GET}; setfield_gc(p0, i4, descr=x); finish()",
        f"{SET3.replace('p0', 'p1')}; finish()",
    ),
    # Strings and addresses.
    "a hash": (
        "i4 = strhash(p0); gc_store(p0, 24, i3, 1); i5 = strhash(p0); finish(i5)",
        "i4 = strhash(p0); gc_store(p0, 24, i3, 1); finish(i4)",
    ),
    "an address": ("p4 = call_r(7, i2, descr=find); i5 = cast_ptr_to_int(p4); finish(i5)", "finish(i2)"),
    "what is at a number": ("i4 = getfield_gc_i(p0, descr=x); p5 = cast_int_to_ptr(i4); finish(p5)", "finish(p0)"),
    "a function of a strange name": (
        "p4 = call_r(ConstClass(the object at an address), i2, descr=find); i5 = cast_ptr_to_int(p4); finish(i5)",
        "finish(i2)",
    ),
    "a field of a strange name": (
        f"{NAMED}; escape_n(p5); i4 = getfield_gc_i(p5, descr=N.x); finish(1)",
        f"{NAMED}; escape_n(p5); i4 = getfield_gc_i(p5, descr=N.x); i6 = getfield_gc_i(p5, descr=N.x written); "
        "finish(i6)",
    ),
    # Raw memory.
    "the lowest bits": (
        "i4 = int_and(i2, 15); raw_store(i3, 0, i4, descr=<ArrayU 1>); finish()",
        "raw_store(i3, 0, i2, descr=<ArrayU 1>); finish()",
    ),
    "bits behind a sign": (
        "i4 = int_signext(i2, 1); raw_store(i3, 0, i4, descr=<ArrayU 2>); finish()",
        "raw_store(i3, 0, i2, descr=<ArrayU 2>); finish()",
    ),
    "shifts by other amounts": (
        "i4 = int_lshift(i2, 8); i5 = int_rshift(i4, 16); raw_store(i3, 0, i5, descr=<ArrayU 1>); finish()",
        "raw_store(i3, 0, i2, descr=<ArrayU 1>); finish()",
    ),
    "a byte elsewhere behind a field": (
        f"raw_store(i3, 0, 0, descr=<ArrayU 2>); {SETX}; {LOAD}; finish(i4)",
        f"raw_store(i3, 0, 0, descr=<ArrayU 2>); {SETX}; {LOAD.replace('0,', '1,')}; finish(i4)",
    ),
    "what the field before a byte holds": (
        f"{SETX}; {LOAD}; {SETX.replace('7', '8')}; finish(i4)",
        f"{SETX.replace('7', '9')}; {LOAD}; {SETX.replace('7', '8')}; finish(i4)",
    ),
    "which field is behind bytes": (
        f"{SETX}; {SETX.replace('x', 'y')}; {STORE}; {GETX}; finish(i4)",
        f"{SETX}; {SETX.replace('x', 'y')}; {STORE}; {GETX.replace('x', 'y')}; finish(i4)",
    ),
    "how many bytes before a field": (
        f"{STORE.replace('word', '<ArrayU 1>')}; {GETX}; {STORE}; {SETX}; finish(i4)",
        f"{STORE.replace('word', '<ArrayU 2>')}; {GETX}; {STORE}; {SETX}; finish(i4)",
    ),
    "bytes at another place before a field": (
        f"{STORE}; {STORE.replace('i3, 0', 'i2, 0')}; {GETX}; {STORE}; {SETX}; finish(i4)",
        f"{STORE.replace('i3, 0', 'i2, 0')}; {GETX}; {STORE}; {SETX}; finish(i4)",
    ),
    "fewer bytes at the same place": (
        f"{STORE}; {STORE.replace('word', '<ArrayU 1>')}; {GETX}; {STORE}; {SETX}; finish(i4)",
        f"{STORE.replace('word', '<ArrayU 1>')}; {GETX}; {STORE}; {SETX}; finish(i4)",
    ),
    "one more store": ("finish()", "raw_store(i3, 0, i2, descr=<ArrayU 1>); finish()"),
}

SAME = {
    "raw memory at what a guard says is the address": (
        "raw_store(i2, 0, i3, descr=<ArrayS 4>); guard_value(i2, 8) []; i4 = raw_load_i(8, 0, descr=<ArrayS 4>); "
        "finish(i4)",
        "raw_store(i2, 0, i3, descr=<ArrayS 4>); guard_value(i2, 8) []; i4 = int_signext(i3, 4); finish(i4)",
    ),
    "raw memory is no bytes of an object": (
        f"raw_store(i2, 0, i3, descr=w); setfield_raw(i3, i2, descr=x); {PUT}; i4 = getfield_raw_i(i3, descr=x); "
        "finish(i4)",
        f"{PUT}; raw_store(i2, 0, i3, descr=w); setfield_raw(i3, i2, descr=x); finish(i2)",
    ),
    "stores ahead of an event in another order": (
        f"{STORE}; {STORE.replace('0', '8')}; escape_n(0); {STORE}; finish()",
        f"{STORE.replace('0', '8')}; {STORE}; escape_n(0); {STORE}; finish()",
    ),
}


def judged(before: str, after: str) -> Verdict:
    return validate(*(parse(FRONT + one.replace("; ", "\n")) for one in (before, after)))


@pytest.mark.parametrize("name", PAIRS)
def test_what_differs_is_not_taken_for_the_same(name: str, rungs: str) -> None:
    assert not isinstance(judged(*PAIRS[name]), Proved)
    assert isinstance(judged(PAIRS[name][0], PAIRS[name][0]), Proved | Unsupported)


@pytest.mark.parametrize("name", SAME)
def test_what_is_the_same_is_proved(name: str) -> None:
    assert isinstance(judged(*SAME[name]), Proved)
