"""Verdicts on calls that hide something: of objects that a trace has just made, of conditions that bounds decide, of
objects that are raised."""

from __future__ import annotations

import pytest
from declared_calls import event, functions
from pairs import judge

from validator import Proved, Refuted, Unknown, Verdict

DECLARATIONS = (
    """+++
[struct.Error]
[struct.Node]
fields = { value = "int", next = "ref", tag = { type = "int", immutable = true } }
"""
    + functions("find quiet hash")
    + event("calm")
    + event("poke", writes="Node.value", can_raise=True)
    + "+++\n[p0, p1, i2, i3]\n"
)
NEW = "{} = new(descr=Node)\n"
RAISE = "restore_exception(ConstClass(Error), {})\n"

GIVEN = NEW.format("p5") + "record_known_result(p5, 1, i2, descr=find)\np6 = call_r(1, i2, descr=find)\n"
RECORDED = GIVEN + "i7 = ptr_eq(p5, p6)\n"
TAGGED = GIVEN + "i7 = getfield_gc_i(p6, descr=Node.tag)\nsetfield_gc(p6, 5, descr=Node.tag)\n"
FOUND = (
    NEW.format("p5")
    + "setfield_gc(p0, p5, descr=Node.next)\np6 = call_r(1, p0, descr=find)\nsetfield_gc(p0, NULL, descr=Node.next)\n"
)
ASKED = (
    NEW.format("p4")
    + NEW.format("p5")
    + "p6 = call_r(1, p5, descr=find)\nrecord_known_result(ConstPtr(c), 1, p4, descr=find)\n"
)
BEHIND = "i9 = getfield_gc_i(p5, descr=Node.value)\n"
LINKED = "setfield_gc(p1, p6, descr=Node.next)\nescape_n()\n"
BOX = "{0} = new(descr=Node)\nsetfield_gc({0}, i2, descr=Node.value)\nsetfield_gc(p0, {0}, descr=Node.next)\n"
ASK = "p6 = call_r(1, i3, descr=find)\ncall_n(1, descr=calm)\n"
READ = "i4 = getfield_gc_i(p0, descr=Node.value)\n"
NEVER = READ + "i6 = ptr_eq(p0, NULL)\ncond_call(i6, 1, i3, descr=poke)\n"
SLICE = "p5 = newstr(i2)\ncopystrcontent(p0, p5, 0, 0, i2)\nescape_n()\n"

RIGHT = {
    "a function gives a new object": (RECORDED + "finish(i7)", "finish(1)"),
    "a condition that bounds decide": (
        "i5 = int_and(i2, 7)\ni6 = int_rshift(i5, 3)\ncond_call(i6, 1, i3, descr=poke)\nfinish()",
        "finish()",
    ),
    "a condition that a load decides, in both": (NEVER + "finish(i4)",) * 2,
    "a condition that a load decides": (NEVER + "finish(i4)", READ + "finish(i4)"),
    "a new object is raised": (
        "p5 = new(descr=Error)\n" + RAISE.format("p5") + "finish()",
        "p5 = new(descr=Error)\np6 = new(descr=Error)\n" + RAISE.format("p6") + "finish()",
    ),
    "a new object is raised at a guard": (
        "p5 = new(descr=Error)\n" + RAISE.format("p5") + "guard_true(i2) []\nfinish()",
        "p6 = new(descr=Error)\n" + RAISE.format("p6") + "guard_true(i2, origin=0) []\nfinish()",
    ),
    "of two names the one that flows": (
        SLICE + "p6 = newstr(i2)\ncopystrcontent(p5, p6, 0, 0, i2)\nfinish(p6)",
        SLICE + "finish(p5)",
    ),
    "what nobody sees may have another length": (
        "i4 = strgetitem(p0, i2)\np5 = newstr(i4)\nfinish()",
        "i4 = strgetitem(p0, i2)\np5 = newstr(3)\nfinish()",
    ),
    "what a function gave is older than what the next one saw": (
        "p5 = call_r(1, p0, descr=find)\n"
        + NEW.format("p6")
        + "p7 = call_r(2, p6, descr=find)\ni8 = ptr_eq(p5, p6)\nfinish(i8, p7)",
        "p5 = call_r(1, p0, descr=find)\n" + NEW.format("p6") + "p7 = call_r(2, p6, descr=find)\nfinish(0, p7)",
    ),
    "the class that is saved": (
        "call_n(1, descr=poke)\ni4 = save_exc_class()\np5 = guard_exception(ConstClass(Error)) []\nfinish(i4)",
        "call_n(1, descr=poke)\np5 = guard_exception(ConstClass(Error), origin=0) []\nfinish(ConstClass(Error))",
    ),
    "the class that is saved, not declared": (
        "call_n(1, descr=poke)\ni4 = save_exc_class()\np5 = guard_exception(ConstClass(Any)) []\nfinish(i4)",
        "call_n(1, descr=poke)\np5 = guard_exception(ConstClass(Any), origin=0) []\nfinish(ConstClass(Any))",
    ),
    "functions of new objects, of which one goes": (
        NEW.format("p5")
        + "p6 = call_r(1, p5, descr=find)\n"
        + NEW.format("p7")
        + "escape_n()\np8 = call_r(1, p7, descr=find)\nfinish(p8)",
        "escape_n()\n" + NEW.format("p7") + "p8 = call_r(1, p7, descr=find)\nfinish(p8)",
    ),
    "what is said of one new object, and what a function gives of another one": (
        ASKED + "i7 = int_add(i2, 1)\ni8 = int_mul(i7, i3)\ni9 = int_mul(i2, i3)\ni10 = int_sub(i8, i9)\nfinish(i10)",
        ASKED + "finish(i3)",
    ),
    "what a function may have found no event has seen": (
        FOUND + "escape_n()\n" + BEHIND + "finish(i9)",
        FOUND + "escape_n()\nfinish(0)",
    ),
    "a store to what it may have found is kept": (
        FOUND
        + "setfield_gc(p5, 5, descr=Node.value)\nescape_n()\ni9 = getfield_gc_i(p6, descr=Node.value)\n"
        + "i8 = ptr_eq(p5, p6)\nguard_true(i8) []\nfinish(i9)",
        FOUND
        + "setfield_gc(p5, 5, descr=Node.value)\nescape_n()\ni8 = ptr_eq(p5, p6)\nguard_true(i8, origin=0) []\n"
        + "finish(5)",
    ),
    "made behind a function and an event": (
        BOX.format("p5") + ASK + "guard_true(i2) [p6]\nfinish()",
        READ + ASK + "guard_true(i2, origin=0) [p6] {\n" + BOX.format("p7") + "}\n" + BOX.format("p5") + "finish()",
    ),
    "nothing raised has no class": (
        "call_n(1, descr=poke)\ni4 = save_exc_class()\nguard_no_exception() []\nfinish(i4)",
        "call_n(1, descr=poke)\nguard_no_exception(origin=0) []\nfinish(0)",
    ),
    "what an event gave is older than what a function saw": (
        "p5 = escape_r()\n" + NEW.format("p6") + "p7 = call_r(2, p6, descr=find)\ni8 = ptr_eq(p5, p6)\nfinish(i8, p7)",
        "p5 = escape_r()\n" + NEW.format("p6") + "p7 = call_r(2, p6, descr=find)\nfinish(0, p7)",
    ),
}

WRONG = {
    "a new object is given, and is another one": (RECORDED + "finish(i7)", "finish(0)"),
    "a new object is given, and the rest is wrong": (RECORDED + "finish(i2)", "finish(i3)"),
    "a function that raises instead of one that does not": (
        "i5 = call_i(1, i2, descr=quiet)\nfinish(i5)",
        "i5 = call_i(1, i2, descr=hash)\nfinish(i5)",
    ),
    "another class is saved": (
        "call_n(1, descr=poke)\ni4 = save_exc_class()\np5 = guard_exception(ConstClass(Error)) []\nfinish(i4)",
        "call_n(1, descr=poke)\np5 = guard_exception(ConstClass(Error), origin=0) []\nfinish(ConstClass(Any))",
    ),
    "what is restored is of the class": (
        "guard_no_exception() []\nrestore_exception(ConstClass(Node), p1)\nfinish(i2)",
        "guard_no_exception(origin=0) []\nrestore_exception(ConstClass(Node), p1)\nfinish(i3)",
    ),
    "another new object is raised": (
        "p5 = new(descr=Error)\n" + RAISE.format("p5") + "finish(p5)",
        "p5 = new(descr=Error)\np6 = new(descr=Error)\n" + RAISE.format("p6") + "finish(p5)",
    ),
}

NOT_PROVED = {
    "what a function gives may be new, and its immutable field change": (TAGGED + "finish(i7)", TAGGED + "finish(7)"),
    "what a function gives may be what it was shown": (
        NEW.format("p6") + "p7 = call_r(1, p6, descr=find)\ni8 = ptr_eq(p7, p6)\nfinish(i8)",
        NEW.format("p6") + "p7 = call_r(1, p6, descr=find)\nfinish(0)",
    ),
    "and what one before it was shown": (
        NEW.format("p6")
        + "p7 = call_r(1, p6, descr=find)\np8 = call_r(1, p0, descr=find)\ni9 = ptr_eq(p8, p6)\nfinish(i9)",
        NEW.format("p6") + "p7 = call_r(1, p6, descr=find)\np8 = call_r(1, p0, descr=find)\nfinish(0)",
    ),
    "and is handed to an event": (
        FOUND + "escape_n(p6)\n" + BEHIND + "finish(i9)",
        FOUND + "escape_n(p6)\nfinish(0)",
    ),
    "or held where an event finds it": (FOUND + LINKED + BEHIND + "finish(i9)", FOUND + LINKED + "finish(0)"),
    "or seen at the end": (
        FOUND + "setfield_gc(p5, 3, descr=Node.value)\nfinish(p6)",
        FOUND + "finish(p6)",
    ),
    "what it holds is found with it": (
        FOUND
        + NEW.format("p8")
        + "setfield_gc(p6, p8, descr=Node.next)\nescape_n(p5)\ni9 = getfield_gc_i(p8, descr=Node.value)\nfinish(i9)",
        FOUND + NEW.format("p8") + "setfield_gc(p6, p8, descr=Node.next)\nescape_n(p5)\nfinish(0)",
    ),
    "where it is not made at first": (
        "p5 = cond_call_value_r(p0, 1, i2, descr=find)\n"
        + NEW.format("p6")
        + "escape_n(p6)\np7 = call_r(1, i2, descr=find)\ni8 = ptr_eq(p7, p6)\nfinish(i8)",
        "p5 = cond_call_value_r(p0, 1, i2, descr=find)\n"
        + NEW.format("p6")
        + "escape_n(p6)\np7 = call_r(1, i2, descr=find)\nfinish(0)",
    ),
    "of equal arguments": (
        NEW.format("p6")
        + "escape_n(p6)\np7 = call_r(1, i2, descr=find)\ni5 = int_eq(i2, i3)\nguard_true(i5) []\n"
        + "i8 = ptr_eq(p7, p6)\nfinish(i8)",
        NEW.format("p6")
        + "escape_n(p6)\ni5 = int_eq(i2, i3)\nguard_true(i5, origin=0) []\np7 = call_r(1, i3, descr=find)\nfinish(0)",
    ),
}


@pytest.mark.parametrize(
    ("expected", "before", "after"),
    [
        pytest.param(expected, *pair, id=name)
        for expected, pairs in ((Proved, RIGHT), (Refuted, WRONG), (Refuted | Unknown, NOT_PROVED))
        for name, pair in pairs.items()
    ],
)
def test_verdicts(expected: type[Verdict], before: str, after: str) -> None:
    found = judge(f"{DECLARATIONS}{before}\n", f"{DECLARATIONS}{after}\n")
    assert isinstance(found, expected), found
