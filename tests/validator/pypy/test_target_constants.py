"""Constants of the loop that a bridge jumps to: what the loop's recorded trace says of them."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.immutable import replace
from tests.pypy_logs import WORK, bridge, judged, judged_last, loop, recorded
from validator import Proved
from validator.pypy.inferred.classes import with_classes
from validator.pypy.inferred.constants.indices import with_indices
from validator.pypy.inferred.constants.zeros import with_zeros
from validator.pypy.inferred.executed import with_constants
from validator.pypy.inferred.sameness import NOTHING, Sameness
from validator.pypy.pair_text import translated
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.rows import rows_of
from validator.pypy.printed.straight import AFTER, BEFORE, Sides
from validator.pypy.study import study

KEY, VALUE = (f"<FieldP Node.inst_{name}>" for name in ("key 8", "value 16"))
MARK = "setfield_gc(p0, 7, descr=<FieldS Node.inst_mark 24>)"
FOUND, CLASS = "guard_value(p2, ConstPtr(ptr{}){})", "guard_class(p{}, ConstClass({}){})"


def iteration(at: int, *, is_recorded: bool) -> list[str]:
    """An iteration, which finds a value to be a constant, and asks for the class of another one. Where it is recorded
    the value is found to be an instance first."""
    guard = "" if is_recorded else f", descr=<Guard0x7f{at}"
    lines = (
        f"p2 = getfield_gc_r(p0, descr={KEY})",
        *((CLASS.format(2, "Key", ""),) if is_recorded else ()),
        FOUND.format(at, guard and f"{guard}1>"),
        f"p3 = getfield_gc_r(p0, descr={VALUE})",
        CLASS.format(3, "Value", guard and f"{guard}2>"),
        WORK.format("p0"),
        f"guard_no_exception({guard[2:] and f'{guard[2:]}3>'})",
    )
    return [line if is_recorded else f"+1: {line}{' [p0]' * line.startswith('guard')}" for line in lines]


def again(lines: list[str]) -> list[str]:
    return [line.replace("p2", "p12").replace("p3", "p13") for line in lines]


LOOP = recorded("[p0]", *iteration(1, is_recorded=True), "jump(p0, descr=<Loop-1>)") + loop(
    "[p0]",
    "+1: label(p0, descr=TargetToken(140))",
    *iteration(2, is_recorded=False),
    "+1: label(p0, descr=TargetToken(141))",
    *again(iteration(3, is_recorded=False)),
    "+1: jump(p0, descr=TargetToken(141))",
)
BRIDGE = recorded("[p0]", MARK, "jump(p0, descr=<Loop-1>)") + bridge(
    "[p0]", f"+1: {MARK}", "+1: jump(p0, descr=TargetToken(141))"
).replace("0x7f10", "0x7f32")


def test_a_bridge_may_rely_on_the_classes_of_the_constants_of_its_loop() -> None:
    whole, after = judged(LOOP + BRIDGE)
    assert isinstance(whole.verdict, Proved), whole.verdict
    assert isinstance(after.verdict, Proved), after.verdict


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (f"+1: {MARK}\n", "+1: i9 = int_add(1, 1)\n"),
        ("guard_value(p12, ConstPtr(ptr3), descr=<Guard0x7f31>)", "guard_nonnull(p12, descr=<Guard0x7f31>)"),
        ("guard_class(p13, ConstClass(Value)", "guard_class(p13, ConstClass(Other)"),
    ],
)
def test_what_the_loop_does_not_say_is_not_relied_on(right: str, wrong: str) -> None:
    log = LOOP + BRIDGE
    assert log.count(right) == 1
    after = judged_last(log.replace(right, wrong))
    assert not isinstance(after.verdict, Proved)


CONSTANT = "ConstPtr(ptr1)"
COMPARED = (
    Line(None, "guard_class", ("p0", "ConstClass(Number)")),
    Line("i1", "instance_ptr_eq", ("p0", CONSTANT)),
    Line(None, "guard_false", ("i1",)),
)
POINT = "f;a.py:4-9~#40 BINARY_ADD'"
ADDED = (
    Line("i2", "getfield_gc_i", (CONSTANT,), "<FieldS W_IntObject.inst_intval 8 pure>"),
    Line("i3", "int_add", ("i2", "i4"), point=POINT),
)
END = Line(None, "jump", ("p0",))


def beside_loop(*lines: Line) -> Sides:
    """A bridge that does nothing, to a loop that has recorded these lines."""
    empty = Printed(("p0",), (END,))
    return Sides(empty, empty, Sides(Printed(("p0",), (*lines, END)), empty))


def test_what_makes_its_loop_wrong_does_not_count_for_a_bridge() -> None:
    whole, after = judged(
        (LOOP + BRIDGE).replace("guard_class(p2, ConstClass(Key))", "guard_class(p0, ConstClass(Key))")
    )
    assert not isinstance(whole.verdict, Proved)
    assert isinstance(after.verdict, Proved), after.verdict
    assert after.texts is not None
    assert after.texts.rests_on == (1,)


def test_comparisons_of_the_loop_are_with_constants_of_other_classes_too() -> None:
    sides = beside_loop(*COMPARED)
    stated, assumes = with_classes(sides, sides, {"ConstClass(Number)": ""})
    assert stated.target is not None
    assert Line(None, "record_exact_value_i", ("i1", "0")) in stated.target.before.lines
    assert assumes == ("constants that objects of Number are compared with are of other classes",)


def test_comparisons_of_the_loop_say_nothing_where_nothing_is_assumed() -> None:
    sides = beside_loop(*COMPARED)
    assert with_classes(sides, sides, {}) == (sides, ())


def test_additions_of_the_loop_are_of_zeros_too() -> None:
    place = f"operand 0 of the addition at {POINT.rstrip(chr(39))}"
    stated, assumes = with_zeros(beside_loop(*ADDED), frozenset({place}))
    assert stated.target is not None
    assert Line(None, "record_exact_value_i", ("i2", "0")) in stated.target.before.lines
    assert assumes == (f"the constant that is {place} holds 0",)
    assert with_zeros(beside_loop(*ADDED), frozenset()) == (beside_loop(*ADDED), ())


def test_the_loop_is_told_where_cells_begin_too() -> None:
    load = Line(
        "i1",
        "getfield_gc_i",
        (CONSTANT,),
        "<FieldS pypy.interpreter.pycode.PyCode.inst_co_nlocals 176 pure>",
        point="f;a.py:4-9~#2 LOAD_DEREF'",
    )
    sides = beside_loop(load, Line(None, "guard_value", ("i1", "3")))
    stated, assumes = with_indices(sides, {"f;a.py:4": {3}})
    assert stated.target is not None
    assert Line(None, "record_exact_value_i", ("i1", "3")) in stated.target.before.lines
    assert assumes == ("the cells of f;a.py:4 begin at item 3 of its frame",)
    assert with_indices(sides, {"f;a.py:4": {3, 4}}) == (sides, ())
    assert with_indices(sides, {}) == (sides, ())


def test_a_loop_that_asks_for_a_constant_does_not_say_that_a_bridge_stores_that() -> None:
    store = f"setfield_gc(p0, ConstPtr(ptr{{}}), descr={KEY})"
    before = recorded("[p0]", store.format(8), MARK, "jump(p0, descr=<Loop-1>)")
    for kept in ((), (f"+1: {store.format(9)}",)):
        after = bridge("[p0]", *kept, f"+1: {MARK}", "+1: jump(p0, descr=TargetToken(141))")
        behind = judged_last(LOOP + before + after.replace("0x7f10", "0x7f32"))
        assert isinstance(behind.verdict, Proved) is bool(kept)


def test_constants_that_differ_in_a_bridge_and_in_its_loop_are_told_by_other_names() -> None:
    def apart(number: int) -> tuple[Line, ...]:
        value, test = f"p{number}", f"i{number}"
        load = Line(value, "getfield_gc_r", ("p0",), f"<FieldP Node.inst_{number} {8 * number}>")
        differs = Line(test, "instance_ptr_eq", (f"ConstPtr(ptr{number}1)", value)), Line(None, "guard_false", (test,))
        return (load, *differs, Line(None, "guard_value", (value, f"ConstPtr(ptr{number}2)")))

    bridge_, in_loop = [line for number in range(1, 6) for line in apart(number)], apart(7)
    empty = Printed(("p0",), (END,))
    sides = Sides(empty.with_lines((*bridge_, END)), empty, Sides(empty.with_lines((*in_loop, END)), empty))
    stated = with_constants(sides, NOTHING, lambda memory: False)
    results = [line.result for line in (*stated.before.lines, *in_loop) if line.result]
    assert len(results) == len(set(results)) == 6 + 2 * 5 + 2


def test_calls_of_a_bridge_are_none_of_its_loop() -> None:
    """PyPy's optimizer calls twins of functions: those that the loop calls, too, stand there for others."""

    def call(result: str, callee: str, arg: str = "p0") -> Line:
        return Line(result, "call_r", (f"ConstClass({callee})", arg), f"<Callr 8 r EF={0 if callee == 'twin' else 5}>")

    label = Line(None, "label", ("p0",))
    loop_ = Sides(Printed(("p0",), (call("p5", "twin"), END)), Printed(("p0",), (label, call("p6", "twin"), END)))
    recorded_, optimized = (call("p1", "function"), call("p2", "other")), (call("p3", "twin"), call("p4", "other"))
    sides = Sides(*(Printed(("p0",), (*lines, END)) for lines in (recorded_, optimized)), loop_)
    sameness = Sameness(rows_of(sides))
    assert sameness.of(BEFORE, "p2") == sameness.of(AFTER, "p4")
    assert sameness.of(BEFORE, "p1") != sameness.of(AFTER, "p3") != sameness.of(BEFORE, "p5")


def beside(bridge_: Line, optimized: Line, *loop_: Line) -> Sides:
    """A bridge whose two traces jump so, to a loop that goes round with what is in a field."""
    taken = ("p0", "p1", "i2")
    load, round_ = Line("p3", "getfield_gc_r", ("p0",), KEY), ("p0", "p3", "i2")
    back, label = Line(None, "jump", round_), Line(None, "label", round_)
    recorded_, body = Printed(taken, (load, *loop_, back)), (load, *loop_)
    again_ = (line.renamed(lambda text: {"p3": "p4", "p1": "p3"}.get(text, text)) for line in body)
    peeled = Printed(taken, (*body, label, *again_, Line(None, "jump", ("p0", "p4", "i2"))))
    ends = Printed(taken, (bridge_,)), Printed(taken, (optimized,))
    return Sides(*ends, Sides(recorded_, peeled.renamed(lambda text: text.replace("ptr7", "ptr8"))))


def test_constants_that_a_bridge_hands_to_the_label_are_those_that_it_hands_to_the_loop() -> None:
    ends = (Line(None, "jump", ("p0", f"ConstPtr(ptr{number})", "i2")) for number in (1, 2))
    sameness = Sameness(rows_of(beside(*ends)))
    assert sameness.of(BEFORE, "ConstPtr(ptr1)") == sameness.of(AFTER, "ConstPtr(ptr2)")
    ends = (Line(None, "jump", ("p0", value, "i2")) for value in ("p1", "ConstPtr(ptr2)"))
    sameness = Sameness(rows_of(beside(*ends)))
    assert sameness.of(BEFORE, "p1") != sameness.of(AFTER, "ConstPtr(ptr2)")
    elsewhere = Line(None, "jump", ("ConstPtr(ptr1)", "p1", "i2")), Line(None, "jump", ("p0", "ConstPtr(ptr2)", "i2"))
    sameness = Sameness(rows_of(beside(*elsewhere)))
    assert sameness.of(BEFORE, "ConstPtr(ptr1)") != sameness.of(AFTER, "ConstPtr(ptr2)")


def test_nor_if_such_a_constant_is_another_one() -> None:
    stores = [Line(None, "setfield_gc", ("p0", f"ConstPtr(ptr{number})"), VALUE) for number in (5, 2)]
    ends = [Line(None, "jump", ("p0", f"ConstPtr(ptr{number})", "i2")) for number in (1, 2)]
    sides = beside(*ends)
    before, after = (
        one.with_lines((store, end)) for one, store, end in zip((sides.before, sides.after), stores, ends, strict=True)
    )
    sameness = Sameness(rows_of(replace(sides, before=before, after=after)))
    assert sameness.of(BEFORE, "ConstPtr(ptr5)") == sameness.of(AFTER, "ConstPtr(ptr2)")
    assert sameness.of(BEFORE, "ConstPtr(ptr1)") != sameness.of(AFTER, "ConstPtr(ptr2)")


def test_a_bridge_has_constants_of_its_loop_by_names_of_its_own() -> None:
    looks = (Line("i6", "getarrayitem_gc_pure_i", (f"ConstPtr(ptr{number})", "i5"), "<ArrayU 2>") for number in (1, 2))
    shift, end = Line("i5", "int_rshift", ("i2", "7")), Line(None, "jump", ("p0", "p1", "i2"))
    sides = beside(end, end, Line("i7", "int_add", ("i2", "9")), replace(next(looks), args=("ConstPtr(ptr7)", "i7")))
    looks = (Line("i6", "getarrayitem_gc_pure_i", (f"ConstPtr(ptr{number})", "i5"), "<ArrayU 2>") for number in (1, 2))
    before, after = (
        one.with_lines((shift, look, end)) for one, look in zip((sides.before, sides.after), looks, strict=True)
    )
    one = [("ConstPtr(ptr1)", "ConstPtr(ptr7)")]
    sameness = Sameness(rows_of(replace(sides, before=before, after=after)), made_one=one)
    assert sameness.of(BEFORE, "ConstPtr(ptr1)") == sameness.of(AFTER, "ConstPtr(ptr2)")


def test_constants_of_a_parent_are_not_those_of_its_recorded_loop_of_the_same_numbers() -> None:
    """A loop finds each of two fields to hold a constant; its recorded and its optimized trace number these the other
    way round. What a bridge from it, back to it, knows of them is what the loop finds."""

    def found(key: int, value: int, first: int, ends: tuple[str, ...]) -> list[str]:
        guarded = (f"guard_value(p{first + at}, ConstPtr(ptr{one})" for at, one in enumerate((key, value)))
        test = f"i{first + 2} = getfield_gc_i(p0, descr=<FieldS Node.inst_mark 24>)", f"guard_false(i{first + 2}"
        loads = (f"p{first + at} = getfield_gc_r(p0, descr={memory})" for at, memory in enumerate((KEY, VALUE)))
        parts = ((one, f"{guard}{end}") for one, guard, end in zip(loads, guarded, ends, strict=False))
        return [*(line for part in parts for line in part), test[0], f"{test[1]}{ends[2]}", MARK]

    def optimized(number: int, *numbers: int) -> list[str]:
        guards = tuple(f", descr=<Guard0x7f{number}{at}>) [p0]" for at in range(3))
        return [f"+1: {line}" for line in found(*numbers, guards)]

    log = recorded("[p0]", *found(1, 2, 2, (")", ")", ")")), "jump(p0, descr=<Loop-1>)") + loop(
        "[p0]",
        "+1: label(p0, descr=TargetToken(140))",
        *optimized(2, 2, 1, 2),
        "+1: label(p0, descr=TargetToken(141))",
        *optimized(3, 4, 3, 12),
        "+1: jump(p0, descr=TargetToken(141))",
    )
    log += BRIDGE.replace("0x7f32", "0x7f22")
    items = list(pair_sections(read_traces(log.splitlines())))
    knowledge = study(items, "log")
    _, behind = knowledge.given(items)
    assert isinstance(behind, LogPair)
    text = translated(behind, "log", knowledge)
    assert text.loop is not None
    facts, guards = (
        [op.args[1] for op in trace.ops if op.op.name == name]
        for trace, name in ((text.before, "record_exact_value_r"), (text.loop[0], "guard_value"))
    )
    assert facts == guards
    assert len({*facts}) == 2


def test_the_loop_says_what_it_has_found_where_it_is_judged_alone() -> None:
    asked = (Line(None, "guard_class", (CONSTANT, "ConstClass(Number)")), *COMPARED)
    stated = with_constants(beside_loop(*asked), NOTHING, lambda _: False)
    assert stated.target is not None
    said = [
        [line for line in one.lines if line.name == "record_exact_class"]
        for one in (stated.before, stated.target.before)
    ]
    assert said[0]
    assert said[0] == said[1]


CELL = "<FieldS IntMutableCell.inst_intvalue 8>"
COUNTS = (
    f"i2 = getfield_gc_i(ConstPtr(ptr{{}}), descr={CELL})",
    "i3 = int_lt(i2, 9)",
    "guard_true(i3{})",
    "i4 = int_add(i2, 1)",
    f"setfield_gc(ConstPtr(ptr{{}}), i4, descr={CELL})",
)


def counting(bridge_loads: str, recorded_loads: tuple[str, ...] = ()) -> list[bool]:
    """Is a loop proved that counts in a global variable, and a bridge to it, which loads so for the label?"""
    cells = iter(range(1, 20))

    def lines(guard: str) -> list[str]:
        return [line.format(guard if "guard" in line else next(cells)) for line in COUNTS]

    body = [line.replace("i2", "i4").replace("i3", "i13") for line in COUNTS[1:3]]
    whole = recorded("[p0]", *lines(""), "jump(p0, descr=<Loop-1>)") + loop(
        "[p0]",
        "+1: label(p0, descr=TargetToken(140))",
        *(f"+1: {line}" for line in lines(", descr=<Guard0x7f21>) [p0]")),
        "+1: label(p0, i4, descr=TargetToken(141))",
        *(f"+1: {line.format(', descr=<Guard0x7f32>) [p0]')}" for line in body),
        "+1: i14 = int_add(i4, 1)",
        f"+1: setfield_gc(ConstPtr(ptr{next(cells)}), i14, descr={CELL})",
        "+1: jump(p0, i14, descr=TargetToken(141))",
    ).replace("[p0])", "[p0]")
    own = recorded("[p0]", *recorded_loads, MARK, "jump(p0, descr=<Loop-1>)")
    kept = (f"+1: {line.replace('ptr', 'ptr1')}" for line in recorded_loads)
    jumping = bridge("[p0]", *kept, f"+1: {MARK}", f"+1: {bridge_loads}", "+1: jump(p0, i8, descr=TargetToken(141))")
    return [isinstance(one.verdict, Proved) for one in judged(whole + own + jumping.replace("0x7f10", "0x7f32"))]


LOADS = f"i8 = getfield_gc_i(ConstPtr(ptr{{}}), descr={CELL})"
OTHER = (f"i8 = getfield_gc_i(ConstPtr(ptr7), descr={CELL})", "setfield_gc(p0, i8, descr=<FieldS Node.inst_two 32>)")


def test_what_a_bridge_loads_for_the_label_is_of_the_constant_that_the_preamble_has_stored_it_to() -> None:
    assert counting(LOADS.format(30)) == [True, True]


def test_nor_is_it_of_another_one_that_the_recorded_bridge_has() -> None:
    """The value that is handed on is that of another variable, which the bridge loads in any case."""
    assert counting("i9 = int_add(i8, 0)", OTHER) == [True, False]


def test_nor_of_another_field() -> None:
    assert counting(LOADS.format(30).replace("intvalue 8", "other 16")) == [True, False]
