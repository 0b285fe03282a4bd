"""Objects that no event has seen, as far as the recorded trace tells references apart or says that they are one."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from validator import Options, Proved, validate

DECLARED = """+++
[call.text]
result = "ref"
elidable = true
[call.raw]
result = "void"
reads = []
writes = []
[call.show]
result = "void"
reads = ["Text.hash"]
writes = ["Text.hash"]
[call.look]
result = "void"
reads = ["Box.next"]
writes = ["Box.count"]
+++
[p0, p1, i0]
"""
MADE = "p2 = new(descr=Node)\nsetfield_gc(p0, p2, descr=Box.next)\n"


def is_proved(before: str, after: str) -> bool:
    verdict = validate(parse(DECLARED + before), parse(DECLARED + after), Options(audit=True))
    if not isinstance(verdict, Proved):
        return False
    assert verdict.evidence.audit is not None
    assert not verdict.evidence.audit.unsettled
    return True


@pytest.mark.parametrize(
    ("asked", "shown", "is_hidden"),
    [
        ("i4 = strlen(p3)\n", "p3", True),
        ("", "p3", False),  # the function may give the node, which it finds in the box
        ("i4 = ptr_eq(p3, NULL)\n", "p3", False),
        ("i4 = strlen(p3)\n", "p0", False),
    ],
)
def test_a_string_is_no_object_of_another_class(asked: str, shown: str, *, is_hidden: bool) -> None:
    call = f"p3 = call_r(ConstClass(text), i0, descr=text)\n{asked}call_n(ConstClass(show), {shown}, descr=show)\n"
    guard, end = "guard_true(i0, origin=0) []", "finish(p0)"
    late = f"{guard} {{\n p9 = new(descr=Node)\n setfield_gc(p0, p9, descr=Box.next)\n}}\n"
    before = f"{MADE}{call}guard_true(i0) []\n{end}"
    assert is_proved(before, f"{MADE}{call}{guard}\n{end}")
    reads_box = shown == "p0"
    if reads_box:
        before = before.replace("descr=show", "descr=look")
        call = call.replace("descr=show", "descr=look")
    assert is_proved(before, f"{call}{late}{MADE}{end}") is is_hidden
    assert not is_proved(before, f"{call}{guard}\n{MADE}{end}")


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ("i5 = ptr_eq(p1, p0)\nrecord_exact_value_i(i5, 1)\n", True),
        ("i5 = ptr_eq(p0, p1)\nrecord_exact_value_i(i5, 1)\n", True),
        ("i5 = ptr_ne(p0, p1)\nrecord_exact_value_i(i5, 1)\n", False),
        ("", False),
    ],
)
def test_what_is_stored_over_under_another_name_is_not_seen(said: str, *, is_one: bool) -> None:
    event, end = "call_n(ConstClass(look), descr=look)\n", "finish(p2)"
    before = f"{said}{MADE}setfield_gc(p1, NULL, descr=Box.next)\n{event}{end}"
    late = f"setfield_gc(p1, NULL, descr=Box.next)\n{event}p2 = new(descr=Node)\n{end}"
    assert is_proved(before, late) is is_one
    assert not is_proved(before, f"{event}p2 = new(descr=Node)\n{end}")
    assert not is_proved(before.replace("p1, NULL", "p1, p2"), late)


@pytest.mark.parametrize("function", ["raw", "look", "show"])
def test_objects_are_told_apart_by_what_an_event_can_find(function: str) -> None:
    node, event = "p3 = new(descr=Node)\n", f"call_n(ConstClass({function}), descr={function})\n"
    shown = "setfield_gc(p0, p2, descr=Box.next)\ncall_n(ConstClass(look), descr=look)\n"
    hidden = "setfield_gc(p0, p3, descr=Box.next)\n"
    before = f"p2 = new(descr=Node)\n{node}{hidden}{event}{shown}{hidden}finish(p0)"
    late = f"p2 = new(descr=Node)\nsetfield_gc(p0, p2, descr=Box.next)\n{event}{shown}{node}{hidden}finish(p0)"
    assert is_proved(before, late) is (function != "look")
