"""Calls that copy items of arrays: pairs that are right, pairs that are not, and runs against lists of Python."""

from __future__ import annotations

from random import Random

import pytest
from certificates import is_checked
from declared_calls import array_copies, event

from optimizer import optimize
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Finished, Undefined, run
from optimizer.ir.run.objects import Object, Ref
from optimizer.ir.text import parse
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Array
from optimizer.ir.types.trace_layout import layout_of
from validator import Proved, Refuted, validate

DECLARED = (
    """+++
[array.Ints]
item = "int"
[array.Refs]
item = "ref"
[struct.Fixed.fields]
held = { type = "int", immutable = true }
[struct.Node.fields]
value = "int"
"""
    + array_copies()
    + event("digest", reads="Ints", result="int", elidable=True)
    + event("share", reads="Refs", writes="Refs", oopspec="arraycopy")
    + "+++\n"
)
HEADER = "[p0, p1, i2, i3, i4, i5]\n"
COPY = "call_n(ConstClass(f), p0, p1, i2, i3, i4, descr=copy)\n"
FROM_START = (
    f"{HEADER}i9 = ptr_eq(p0, p1)\nguard_false(i9) []\ncall_n(ConstClass(f), p0, p1, 0, 0, i4, descr=copy)\n"
    "i6 = uint_lt(i5, i4)\nguard_true(i6) []\n"
)
MOVE = "[p0, i1]\ncall_n(ConstClass(f), p0, 0, 1, 2, descr=move)\nfinish()"
FIRST = "i2 = getarrayitem_gc_i(p0, 0, descr=Ints)\n"
SECOND = "i3 = getarrayitem_gc_i(p0, 1, descr=Ints)\n"
NODE = "[p0, i1]\np1 = new_array_clear(3, descr=Refs)\np2 = new(descr=Node)\n"
SET = "setfield_gc(p2, 5, descr=Node.value)\n"
FIXED = NODE.replace("Node", "Fixed") + "setfield_gc(p2, 5, descr=Fixed.held)\n"
HOLD = "setarrayitem_gc(p1, 0, p2, descr=Refs)\n"
LEAK = "call_n(ConstClass(f), p1, p0, 0, 0, i1, descr=share)\n"
TAKE = "call_n(ConstClass(f), p0, p1, 0, 0, i1, descr=share)\n"
LOOK = "escape_n()\ni3 = getfield_gc_i(p2, descr=Node.value)\nfinish(i3)"

CLEARED = "p10 = new_array_clear(2, descr=Ints)\n"
NEW = "p9 = new_array({}, descr=Ints)\n"
OF_OLD = "i{} = getarrayitem_gc_i(p1, 0, descr=Ints)\n"
DIGEST = "i{} = call_i(1, p1, descr=digest)\n"
TWO_PARTS = (
    f"{HEADER}i7 = int_le(0, i3)\nguard_true(i7) []\ni8 = int_le(i3, i2)\nguard_true(i8) []\ni9 = int_sub(i2, i3)\n"
)
FROM_0 = "call_n(ConstClass(f), p0, p1, 0, 0, i2, descr=copy)\n"
INTO_OLD = "call_n(ConstClass(f), p9, p1, 0, 0, {}, descr=copy)\n"

RIGHT = {
    "a copy of what is not written is not needed": (
        f"{HEADER}{NEW.format(2)}p10 = new_array(2, descr=Ints)\n"
        f"{INTO_OLD.format(2).replace('p1,', 'p10,')}finish(p10)",
        f"{HEADER}p10 = new_array(2, descr=Ints)\nfinish(p10)",
    ),
    "what is not written may be anything": (
        f"{HEADER}{OF_OLD.format(6)}{NEW.format(2)}{INTO_OLD.format(1)}finish()",
        "[p0, p1, i2, i3, i4, i5]\nfinish()",
    ),
    "an immutable field of what was copied": (
        f"{FIXED}{HOLD}{LEAK}escape_n()\ni3 = getfield_gc_i(p2, descr=Fixed.held)\nfinish(i3)",
        f"{FIXED}{HOLD}{LEAK}escape_n()\nfinish(5)",
    ),
    "an item that was copied": (
        f"{FROM_START}i7 = getarrayitem_gc_i(p1, i5, descr=Ints)\nfinish(i7)",
        f"{FROM_START}i7 = getarrayitem_gc_i(p0, i5, descr=Ints)\nfinish(i7)",
    ),
    "item by item": (
        "[p0]\np1 = new_array_clear(3, descr=Ints)\ncall_n(ConstClass(f), p0, p1, 0, 0, 2, descr=copy)\nfinish(p1)",
        f"[p0]\np1 = new_array_clear(3, descr=Ints)\n{FIRST}{SECOND}setarrayitem_gc(p1, 1, i3, descr=Ints)\n"
        "setarrayitem_gc(p1, 0, i2, descr=Ints)\nfinish(p1)",
    ),
    "a move, item by item": (
        MOVE,
        f"[p0, i1]\n{FIRST}{SECOND}setarrayitem_gc(p0, 1, i2, descr=Ints)\nsetarrayitem_gc(p0, 2, i3, descr=Ints)\n"
        "finish()",
    ),
    "a copy to what nobody sees": (
        "[p0, i1]\np1 = new_array_clear(i1, descr=Ints)\ncall_n(ConstClass(f), p0, p1, 0, 0, i1, descr=copy)\nfinish()",
        "[p0, i1]\nfinish()",
    ),
    "an object that no copy shares": (f"{NODE}{SET}{TAKE}{LOOK}", f"{NODE}{TAKE}escape_n()\nfinish(5)"),
}
WRONG = {
    "another result behind a copy of what is not written": (
        f"{HEADER}{NEW.format(2)}{INTO_OLD.format(2)}finish(i2)",
        f"{HEADER}{NEW.format(2)}{INTO_OLD.format(2)}finish(i3)",
    ),
    "a load of an old array that is not written any more": (
        f"{HEADER}{OF_OLD.format(6)}{NEW.format(2)}{INTO_OLD.format(2)}finish(i2)",
        f"{HEADER}{OF_OLD.format(6)}{NEW.format(2)}{INTO_OLD.format(2)}{OF_OLD.format(7)}finish(i2)",
    ),
    "an array that is cleared only until a copy of what is not written": (
        f"{HEADER}{NEW.format(2)}p10 = new_array(2, descr=Ints)\nsetarrayitem_gc(p10, 0, 0, descr=Ints)\nfinish(p10)",
        f"{HEADER}{NEW.format(2)}{CLEARED}{INTO_OLD.format(2).replace('p1,', 'p10,')}finish(p10)",
    ),
    "a load of a cleared array that is not written any more": (
        f"{HEADER}{NEW.format(2)}{CLEARED}{INTO_OLD.format(2).replace('p1,', 'p10,')}finish(i2)",
        f"{HEADER}{NEW.format(2)}{CLEARED}{INTO_OLD.format(2).replace('p1,', 'p10,')}"
        f"{OF_OLD.format(7).replace('p1,', 'p10,')}finish(i2)",
    ),
    "more items of an old array are not written": (
        f"{HEADER}{NEW.format(3)}{INTO_OLD.format(2)}finish()",
        f"{HEADER}i7 = arraylen_gc(p1, descr=Ints)\ni8 = int_ge(i7, 3)\n{NEW.format(3)}{INTO_OLD.format('i7')}finish()",
    ),
    "a stale item": (
        f"{HEADER}i7 = getarrayitem_gc_i(p1, i5, descr=Ints)\n{COPY}i8 = getarrayitem_gc_i(p1, i5, descr=Ints)\n"
        "finish(i7, i8)",
        f"{HEADER}i7 = getarrayitem_gc_i(p1, i5, descr=Ints)\n{COPY}finish(i7, i7)",
    ),
    "no copy": (f"{HEADER}{COPY}finish()", f"{HEADER}finish()"),
    "one item less": (
        f"{HEADER}{COPY}finish()",
        f"{HEADER}i6 = int_sub(i4, 1)\ni7 = int_force_ge_zero(i6)\n{COPY.replace('i4', 'i7')}finish()",
    ),
    "a move that reads what it wrote": (
        MOVE,
        f"[p0, i1]\n{FIRST}setarrayitem_gc(p0, 1, i2, descr=Ints)\n{SECOND}setarrayitem_gc(p0, 2, i3, descr=Ints)\n"
        "finish()",
    ),
    "what an event can change that a copy shares": (
        f"{NODE}{SET}{HOLD}{LEAK}{LOOK}",
        f"{NODE}{SET}{HOLD}{LEAK}escape_n()\nfinish(5)",
    ),
    "a field of an object that a copy shares": (
        f"{NODE}{SET}{HOLD}{LEAK}finish()",
        f"{NODE}{HOLD}{LEAK}finish()",
    ),
    "a function that finds some items as at one call, and the rest as at another": (
        f"{TWO_PARTS}{DIGEST.format(10)}{FROM_0}{DIGEST.format(11)}finish(i10)",
        f"{TWO_PARTS}{FROM_0.replace('0, 0, i2', 'i3, i3, i9')}{DIGEST.format(10)}{FROM_0}finish(i10)",
    ),
    "a copy ahead of a guard": (
        f"{HEADER}i6 = int_lt(i5, 3)\nguard_true(i6) []\n{COPY}finish()",
        f"{HEADER}i6 = int_lt(i5, 3)\n{COPY}guard_true(i6, origin=0) []\nfinish()",
    ),
}


@pytest.mark.parametrize(("before", "after"), RIGHT.values(), ids=RIGHT)
def test_right_copies_are_proved(before: str, after: str) -> None:
    assert isinstance(validate(parse(DECLARED + before), parse(DECLARED + after)), Proved)


@pytest.mark.parametrize(("before", "after"), WRONG.values(), ids=WRONG)
def test_wrong_copies_are_refuted(before: str, after: str) -> None:
    pair = parse(DECLARED + before), parse(DECLARED + after)
    assert isinstance(validate(*pair), Refuted)
    assert "digest" in before or not is_checked(*pair)  # on that one Z3 gives up after seconds


@pytest.mark.usefixtures("no_samples")
@pytest.mark.parametrize("name", WRONG)
def test_wrong_copies_are_not_proved_without_samples(name: str) -> None:
    assert not isinstance(validate(*(parse(DECLARED + text) for text in WRONG[name])), Proved)


@pytest.mark.parametrize("text", [one for pair in (*RIGHT.values(), *WRONG.values()) for one in pair])
def test_what_the_optimizer_makes_of_copies_is_proved(text: str) -> None:
    trace = parse(DECLARED + text)
    assert isinstance(validate(trace, optimize(trace)), Proved)


@pytest.mark.parametrize(
    ("declared", "call"),
    [
        ('writes = ["Ints"]', "call_may_force_n(1, p0, p1, 0, 0, 1"),
        ('writes = ["Ints"]', "call_n(1, p0, p1, 0, 1"),
        ('writes = ["Ints"]\ncan_raise = true', "call_n(1, p0, p1, 0, 0, 1"),
        ('writes = ["Ints", "Words"]', "call_n(1, p0, p1, 0, 0, 1"),
        ('writes = ["*"]', "call_n(1, p0, p1, 0, 0, 1"),
        ('writes = ["Fixed"]', "call_n(1, p0, p1, 0, 0, 1"),
        ('writes = ["Floats"]', "call_n(1, p0, p1, 0, 0, 1"),
        ('writes = ["Structs"]', "call_n(1, p0, p1, 0, 0, 1"),
        ('writes = ["Undeclared"]', "call_n(1, p0, p1, 0, 0, 1"),
        ('writes = ["str"]', "call_n(1, p0, p1, 0, 0, 1"),
    ],
)
def test_what_is_not_known_to_be_a_copy_is_an_event(declared: str, call: str) -> None:
    arrays = {"Ints": '"int"', "Words": '"int"', "Fixed": '"int"\nimmutable = true', "Floats": '"float"'}
    text = "".join(f"[array.{name}]\nitem = {item}\n" for name, item in arrays.items())
    text += '[array.Structs.fields]\na = "int"\n'
    text = f'+++\n{text}[call.f]\nresult = "void"\noopspec = "arraycopy"\n{declared}\n+++\n[p0, p1]\n{call}, descr=f)\n'
    trace = parse(f"{text}finish()\n")
    assert meant(trace.ops[0], layout_of(trace)) is trace.ops[0]


def an_array(array: Array, held: list[int | None], *, cleared: bool) -> Object:
    """An array of these items, None where nothing has been written."""
    cells = {("Ints[]", index): item for index, item in enumerate(held) if item is not None}
    unwritten = frozenset(("Ints[]", index) for index, item in enumerate(held) if item is None)
    return Object(array, len(held), cells, cleared, unwritten=unwritten if cleared else frozenset())


def test_copies_run_as_those_of_lists() -> None:
    random = Random(1)
    trace = parse(f"{DECLARED}{HEADER}{COPY}finish()")
    layout = layout_of(trace)
    outcomes = set()
    for _ in range(600):
        items = [*range(9), None, None]
        lists = [[random.choice(items) for _ in range(random.randrange(4))] for _ in range(2)]
        heap = Heap(layout)
        for name, held in zip(("p0", "p1"), lists, strict=True):
            heap.add(name, an_array(layout.array("Ints"), held, cleared=random.random() < 0.5))
        one, other = random.choice([(0, 1), (0, 0)])
        start, at, count = (random.randrange(-1, 3) for _ in range(3))
        done = run(trace, [Ref(f"p{one}"), Ref(f"p{other}"), start, at, count, 0], heap=heap)
        fits = min(start, at, count) >= 0 and start + count <= len(lists[one]) and at + count <= len(lists[other])
        assert isinstance(done.outcome, Finished if fits else Undefined)
        assert done.events == ()
        outcomes.add(fits)
        if fits:
            lists[other][at : at + count] = lists[one][start : start + count]
        assert done.heap is not None
        for name, held in zip(("p0", "p1"), lists, strict=True):
            found = done.heap.objects[Ref(name)]
            assert [found.value(("Ints[]", index), 0) for index in range(found.length or 0)] == held
    assert outcomes == {True, False}
