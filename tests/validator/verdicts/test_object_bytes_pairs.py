"""Verdicts on pairs of traces that use objects by their bytes."""

from __future__ import annotations

import pytest

from optimizer import optimize
from optimizer.ir.text import format_trace, parse
from validator import Proved, Refuted, Unknown, Unsupported, Verdict, validate

LOAD = "i4 = gc_load_indexed_i(p0, i2, 1, 24, -4)\n"
HERE = "i4 = gc_load_i(p0, 8, 8)\n"
STORE = "gc_store(p0, 8, i3, 8)\n"
SET = "setfield_gc(p0, i2, descr=x)\n"
NEW = "p5 = newstr(6)\ngc_store_indexed(p5, 0, i2, 1, 24, 4)\ngc_store_indexed(p5, 4, i3, 1, 24, 2)\n"
BYTE = "i4 = gc_load_i(p0, 8, 1)\n"
SET5 = "setfield_gc(p5, i2, descr=x)\n"
STORE5 = "gc_store(p5, 8, i3, 1)\n"
OWN = f"p5 = new(descr=S)\n{STORE5}"
HELD = "p6 = new(descr=S)\ngc_store(p0, 8, p6, 8)\n"


def judged(before: str, after: str) -> Verdict:
    header = "[p0, p1, i2, i3]\n"
    return validate(parse(header + before), parse(header + after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{LOAD}finish(i4)", f"{LOAD}finish(i4)"),
        (f"{LOAD}{LOAD.replace('i4', 'i5')}finish(i4, i5)", f"{LOAD}finish(i4, i4)"),
        (f"{STORE}{STORE}finish()", f"{STORE}finish()"),
        (f"{STORE}i4 = gc_load_i(p0, 8, 8)\nfinish(i4)", f"{STORE}finish(i3)"),
        (f"{STORE}i4 = gc_load_i(p0, 8, 2)\nfinish(i4)", f"{STORE}i4 = int_and(i3, 65535)\nfinish(i4)"),
        (f"{NEW}finish(p5)", f"{NEW}finish(p5)"),
        (f"{NEW}i6 = strgetitem(p5, 0)\nfinish(p5, i6)", f"{NEW}i6 = strgetitem(p5, 0)\nfinish(p5, i6)"),
        (f"{SET}{STORE}{SET.replace('i2', 'i3')}finish()", f"{SET}{STORE}{SET.replace('i2', 'i3')}finish()"),
        # what is not the object keeps what it holds
        (
            f"p5 = new(descr=S)\nsetfield_gc(p5, i2, descr=x)\n{STORE}i4 = getfield_gc_i(p5, descr=x)\nfinish(i4)",
            f"{STORE}finish(i2)",
        ),
        # an event in front of which both have done the same
        (f"{STORE}escape_n(p0)\n{LOAD}finish(i4)", f"{STORE}escape_n(p0)\n{LOAD}finish(i4)"),
        # references and floats
        ("p4 = gc_load_r(p0, 8, 8)\nfinish(p4)", "p4 = gc_load_r(p0, 8, 8)\nfinish(p4)"),
        ("gc_store(p0, 8, p1, 8)\np4 = gc_load_r(p0, 8, 8)\nfinish(p4)", "gc_store(p0, 8, p1, 8)\nfinish(p1)"),
        (f"{HELD}finish()", f"{HELD}finish()"),
        ("f4 = gc_load_f(p0, 8, 8)\nfinish(f4)", "f4 = gc_load_f(p0, 8, 8)\nfinish(f4)"),
        # numbers are not where references are
        (f"setfield_gc(p0, p1, descr=n)\n{STORE}p4 = getfield_gc_r(p0, descr=n)\nfinish(p4)",
         f"setfield_gc(p0, p1, descr=n)\n{STORE}finish(p1)"),
    ],
)  # fmt: skip
def test_proved(before: str, after: str) -> None:
    assert isinstance(judged(before, after), Proved)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{LOAD}finish(i4)", f"{LOAD.replace('-4', '4')}finish(i4)"),
        (f"{LOAD}finish(i4)", f"{LOAD.replace('24', '25')}finish(i4)"),
        (f"{STORE}finish()", "finish()"),
        (f"{STORE}finish()", f"{STORE.replace('i3, 8', 'i3, 4')}finish()"),
        (f"{STORE}i4 = gc_load_i(p1, 8, 8)\nfinish(i4)", f"{STORE}finish(i3)"),
        (f"{NEW}finish(p5)", f"{NEW.replace('i3', 'i2')}finish(p5)"),
        (f"{NEW}escape_n(p5)\ni6 = gc_load_i(p5, 24, 4)\nfinish(p5, i6)", f"{NEW}escape_n(p5)\nfinish(p5, i2)"),
        (f"escape_n(0)\n{LOAD}finish(i4)", f"{LOAD}escape_n(0)\nfinish(i4)"),
        (f"{STORE}guard_true(i2) [i3]\nfinish()", f"guard_true(i2, origin=0) [i3]\n{STORE}finish()"),
        ("p4 = gc_load_r(p0, 8, 8)\nfinish(p4)", "p4 = gc_load_r(p0, 16, 8)\nfinish(p4)"),
        (f"{HELD}finish()", "finish()"),
        ("f4 = gc_load_f(p0, 8, 8)\nfinish(f4)", "f4 = gc_load_f(p1, 8, 8)\nfinish(f4)"),
    ],
)
def test_refuted(before: str, after: str) -> None:
    assert isinstance(judged(before, after), Refuted)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{SET}{STORE}i4 = getfield_gc_i(p0, descr=x)\nfinish(i4)", f"{SET}{STORE}finish(i2)"),
        (f"{SET}{STORE}finish()", f"{STORE}{SET}finish()"),
        (f"{STORE}{SET}finish()", f"{SET}finish()"),
        (f"{SET}{HERE}finish(i4)", f"{HERE}{SET}finish(i4)"),
        # where the field is the byte, the last store is none of what is there
        (f"{HERE}{SET}gc_store(p0, 8, i4, 8)\nfinish()", f"{HERE}{SET}finish()"),
        # ... and the store before it is not there any more, even where nobody sees the object
        (
            f"{OWN}{SET5}{STORE5}i6 = gc_load_i(p5, 8, 1)\nfinish(i6)",
            f"{OWN}{SET5}i6 = gc_load_i(p5, 8, 1)\nfinish(i6)",
        ),
        (
            f"{OWN}i7 = gc_load_i(p5, 8, 1)\n{SET5}{STORE5.replace('i3', 'i7')}i6 = gc_load_i(p5, 8, 1)\nfinish(i6)",
            f"{OWN}{SET5}i6 = gc_load_i(p5, 8, 1)\nfinish(i6)",
        ),
        (
            f"{BYTE}{SET}gc_store(p0, 8, i4, 1)\n{BYTE.replace('i4', 'i5')}{SET.replace('i2', 'i3')}finish(i5)",
            f"{BYTE}{SET}{BYTE.replace('i4', 'i5')}{SET.replace('i2', 'i3')}finish(i5)",
        ),
        # the other object may be the same one
        (
            f"setfield_gc(p1, i2, descr=x)\n{STORE}i4 = getfield_gc_i(p1, descr=x)\nfinish(i4)",
            f"setfield_gc(p1, i2, descr=x)\n{STORE}finish(i2)",
        ),
        (
            f"setarrayitem_gc(p1, i2, 7, descr=A)\n{STORE}i4 = getarrayitem_gc_i(p1, i2, descr=A)\nfinish(i4)",
            f"setarrayitem_gc(p1, i2, 7, descr=A)\n{STORE}finish(7)",
        ),
        # a length or a hash may be among the bytes, and so may the characters of a constant
        ("p5 = newstr(6)\ni6 = gc_load_i(p5, 16, 8)\nfinish(i6)", "finish(6)"),
        ("p5 = newstr(6)\ni6 = gc_load_i(p5, 8, 8)\nfinish(i6)", "finish(0)"),
        ('i4 = gc_load_i("abc", 24, 1)\nfinish(i4)', "finish(97)"),
        ('i4 = gc_load_i("abc", 24, 1)\nfinish(i4)', "finish(0)"),
        ('i4 = gc_load_i("abc", 1, 1)\nfinish(i4)', "finish(98)"),
        ('i5 = ptr_eq(p0, "abc")\nguard_true(i5) []\ni4 = gc_load_i(p0, 1, 1)\nfinish(i4)',
         'i5 = ptr_eq(p0, "abc")\nguard_true(i5, origin=0) []\nfinish(98)'),
        ("setfield_gc(p0, p1, descr=n)\np4 = gc_load_r(p0, 8, 8)\nfinish(p4)",
         "setfield_gc(p0, p1, descr=n)\nfinish(p1)"),
        ("gc_store(p0, 8, p1, 8)\np4 = getfield_gc_r(p0, descr=n)\nfinish(p4)",
         "p4 = getfield_gc_r(p0, descr=n)\ngc_store(p0, 8, p1, 8)\nfinish(p4)"),
    ],
)  # fmt: skip
def test_neither(before: str, after: str) -> None:
    assert isinstance(judged(before, after), Unknown | Unsupported)


FRONT = """+++
[struct.Node]
fields = { value = "int", fixed = { type = "int", immutable = true }, next = "ref" }
[const.a]
struct = "Node"
fields = { fixed = 7 }
+++
[p0, p1, i2, i3]
"""


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ("setfield_gc(p0, i2, descr=Node.value)\ni4 = gc_load_i(p1, 8, 8)\nsetfield_gc(p0, i3, descr=Node.value)", 3),
        ("setfield_gc(p0, i2, descr=x)\ngc_store(p1, 8, i3, 8)\ni4 = getfield_gc_i(p0, descr=x)", 3),
        ("i5 = getfield_gc_i(p0, descr=Node.fixed)\nescape_n(i5)\ngc_store(p1, 8, i3, 8)\n"
         "i4 = getfield_gc_i(p0, descr=Node.fixed)", 4),
        ("gc_store(p1, 8, i3, 8)\ni4 = getfield_gc_i(ConstPtr(a), descr=Node.fixed)", 2),
        ("p5 = new(descr=Node)\nsetfield_gc(p5, i2, descr=Node.value)\ni4 = gc_load_i(p5, 8, 8)", 3),
        ("p5 = new(descr=Node)\ngc_store(p5, 8, i2, 8)\ni4 = getfield_gc_i(p5, descr=Node.value)", 3),
        ("p5 = new(descr=Node)\ngc_store(p0, 8, p5, 8)\nsetfield_gc(p5, i2, descr=Node.value)\nescape_n()\n"
         "i4 = getfield_gc_i(p5, descr=Node.value)", 5),
        ("p5 = new(descr=Node)\nsetfield_gc(p5, i2, descr=Node.value)\ngc_store(p0, 8, i3, 8)\n"
         "i4 = getfield_gc_i(p5, descr=Node.value)", 1),
        ("p5 = new(descr=Node)\np6 = new(descr=Node)\nsetfield_gc(p5, p6, descr=Node.next)\np7 = gc_load_r(p5, 8, 8)\n"
         "setfield_gc(p7, i3, descr=Node.value)\ni4 = getfield_gc_i(p6, descr=Node.value)", 6),
    ],
)  # fmt: skip
def test_the_optimizer_knows_nothing_of_what_may_be_among_the_bytes(lines: str, kept: int) -> None:
    before = parse(f"{FRONT}{lines}\nfinish(i4, i2)\n")
    after = optimize(before)
    assert len(after.ops) == kept + 1, format_trace(after)
    assert isinstance(validate(before, after), Proved | Unsupported)


def test_what_may_have_been_overwritten_as_a_field_is_not_surely_seen() -> None:
    front = FRONT.replace("i2, i3]", "i2, i3]\np5 = new(descr=Node)\nsetfield_gc(p5, 5, descr=Node.fixed)")
    held = "gc_store(p0, 16, p5, 8)\nsetfield_gc(p0, NULL, descr=Node.next)\nescape_n(i2)\n"
    read = "i4 = getfield_gc_i(p5, descr=Node.fixed)\n"
    before = f"{front}{held}{read}setfield_gc(p5, 6, descr=Node.fixed)\n{read.replace('i4', 'i5')}finish(i5)"
    assert not isinstance(validate(parse(before), parse(f"{front}{held}finish(99)")), Proved)
