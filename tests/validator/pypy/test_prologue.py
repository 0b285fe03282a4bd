"""Loads in front of a trace that give it its inputs."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest

from tests.pypy_logs import bridge, judged, learned, recorded
from validator import Proved, Unsupported
from validator.pypy.kept import shipped
from validator.pypy.printed.frames import Prologues
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import NotStraight, straight

CODE, DEPTH, LOCALS = (
    f"<Field{kind} Frame.inst_{name}>" for kind, name in (("P", "code 8"), ("S", "depth 16"), ("P", "locals 24"))
)
PROLOGUE = (
    Line("p1", "getfield_gc_r", ("p0",), CODE),
    Line("i2", "getfield_gc_i", ("p0",), DEPTH),
    Line("p3", "getfield_gc_r", ("p0",), LOCALS),
    Line("p4", "getarrayitem_gc_r", ("p3", "0"), "<ArrayP 8>"),
    Line("p5", "getarrayitem_gc_r", ("p3", "1"), "<ArrayP 8>"),
)
END = Line(None, "finish", ("p5",))
RECORDED = Printed(("p0", "p1", "i2", "p4", "p5"), (END,))


def test_the_inputs_are_those_that_are_loaded_in_order() -> None:
    sides = straight(RECORDED, Printed(("p0",), (*PROLOGUE, END)))
    assert sides.after.inputs == ("p0", "p1", "i2", "p4", "p5")


@pytest.mark.parametrize(
    ("at", "line"),
    [
        (0, Line("p1", "getfield_gc_r", ("p0",), LOCALS)),
        (0, Line("p1", "getfield_gc_r", ("p0",), "<FieldP Other.inst_code 8>")),
        (2, Line("p3", "getfield_gc_r", ("p1",), LOCALS)),
        (0, Line("p1", "getfield_gc_r", ("p0",), "<FieldP Frame.vable_token 8>")),
        (3, Line("p4", "getarrayitem_gc_r", ("p3", "1"), "<ArrayP 8>")),
        (4, Line("p5", "getarrayitem_gc_r", ("p3", "2"), "<ArrayP 8>")),
        (4, Line("p5", "getarrayitem_gc_r", ("p3", "1"), "<ArrayP 4>")),
        (4, Line("p5", "getarrayitem_gc_r", ("p3", "1"), "<ArrayU 1>")),
    ],
)
def test_other_loads_are_not_the_inputs(at: int, line: Line) -> None:
    wrong = (*PROLOGUE[:at], line, *PROLOGUE[at + 1 :], END)
    with pytest.raises(NotStraight):
        straight(RECORDED, Printed(("p0",), wrong))


def test_items_are_those_of_an_array_in_a_field() -> None:
    items = (replace(line, args=("p0", line.args[1])) for line in PROLOGUE[3:])
    with pytest.raises(NotStraight):
        straight(RECORDED, Printed(("p0",), (*PROLOGUE[:3], *items, END)))


@pytest.mark.parametrize(
    ("taken", "is_right"),
    [
        (("p0", "p1", "i2", "p4", "p5"), True),
        (("p0", "p1", "i2", "p5", "p4"), False),
        (("p0", "p4", "i2", "p1", "p5"), False),
    ],
)
def test_a_label_takes_the_inputs_in_order(taken: tuple[str, ...], is_right: bool) -> None:
    optimized = Printed(("p0",), (*PROLOGUE, Line(None, "label", taken, "TargetToken(1)"), END))
    with nullcontext() if is_right else pytest.raises(NotStraight, match="in this order"):
        straight(RECORDED, optimized)


LABEL, INNER = (Line(None, "label", ("p0", "i1"), f"TargetToken({number})") for number in (1, 2))
ROUND = Line(None, "jump", ("p0", "i1"), "TargetToken(2)")


@pytest.mark.parametrize(
    ("handed", "fault"),
    [("i1", ""), ("i3", ""), ("i2", "what the label in front of it does not take"), ("i4", "computed behind it")],
)
def test_who_comes_round_has_what_the_label_takes_alone(handed: str, fault: str) -> None:
    computed = [Line(f"i{number}", "int_add", ("i1", str(number))) for number in (2, 3, 4)]
    in_front, guard = (Line(None, "guard_true", ("i1",), handed=("p0", text)) for text in ("i2", handed))
    loop = (LABEL, computed[0], in_front, INNER, computed[1], guard, computed[2], ROUND)
    recorded = Printed(("p0", "i1"), (Line(None, "jump", ("p0", "i1"), "<Loop-1>"),))
    with pytest.raises(NotStraight, match=fault) if fault else nullcontext():
        straight(recorded, Printed(("p0", "i1"), loop))


@pytest.mark.parametrize("descr", ["TargetToken(1)", ""])
def test_a_jump_says_where_it_goes(descr: str) -> None:
    jump = Printed(("p0",), (Line(None, "jump", ("p0",), descr),))
    with nullcontext() if descr else pytest.raises(NotStraight, match="where it goes"):
        straight(Printed(("p0",), (Line(None, "jump", ("p0",), "<Loop1>"),)), jump)


RIGHT = (CODE, "<FieldP Frame.inst_block 32>")
SWAPPED, OTHER = RIGHT[::-1], ("<FieldP Other.inst_a 8>", "<FieldP Other.inst_b 16>")


ENTRY = "Loop 1 (f;a.py:4-9~#40 FOR_ITER) : entry bridge"


def entered(fields: tuple[str, ...], frame: str = "p0") -> str:
    """A trace that hands back the second field of its frame."""
    loads = (f"+1: p{at} = getfield_gc_r({frame}, descr={descr})" for at, descr in enumerate(fields, start=1))
    optimized = bridge("[p0, p9]", *loads, "+1: finish(p2)").replace("bridge out of Guard 0x7f10", ENTRY)
    return recorded("[p0, p9, p1, p2]", "finish(p2)") + optimized


@pytest.mark.parametrize(
    ("orders", "proved"),
    [
        ((SWAPPED,), [True]),
        ((RIGHT, SWAPPED), [False, False]),
        ((RIGHT, SWAPPED, RIGHT), [True, False, True]),
        ((OTHER, RIGHT, RIGHT), [True, True, True]),
    ],
)
def test_fields_are_loaded_in_the_order_of_most_traces(orders: tuple[tuple[str, ...], ...], proved: list[bool]) -> None:
    verdicts = [one.verdict for one in judged("".join(map(entered, orders)))]
    assert [isinstance(verdict, Proved) for verdict in verdicts] == proved
    assert all(isinstance(verdict, Proved | Unsupported) for verdict in verdicts)


def test_a_bridge_has_its_inputs_from_the_guard_and_loads_none() -> None:
    one = judged(entered(RIGHT).replace(ENTRY, "bridge out of Guard 0x7f10"))[0]
    assert isinstance(one.verdict, Unsupported)
    assert "inputs" in one.verdict.reason


def test_fields_are_loaded_from_the_input_that_they_are_in_most_traces() -> None:
    log = "".join(entered(RIGHT, frame) for frame in ("p0", "p9", "p0"))
    assert [isinstance(one.verdict, Proved) for one in judged(log)] == [True, False, True]


ORDER, WRONG, OF_ANOTHER = ("0", CODE, DEPTH), ("0", DEPTH, CODE), ("0", "<FieldP Other.inst_code 8>")


def test_the_usual_order_is_that_of_most_traces() -> None:
    prologues = Prologues()
    for order in (ORDER, ORDER, WRONG, ()):
        prologues.add(order)
    assert prologues.usual() == {ORDER, ()}


def test_a_known_order_is_the_usual_one_whatever_the_log_does() -> None:
    before, prologues = Prologues(), Prologues()
    before.add(ORDER)
    (row,) = before.kept()
    prologues.take(row, -1)
    for order in (WRONG, WRONG, OF_ANOTHER):
        prologues.add(order)
    assert prologues.usual() == {ORDER}
    prologues.add(OF_ANOTHER)
    assert prologues.usual() == {ORDER, OF_ANOTHER}


def test_fields_at_other_places_are_in_another_order() -> None:
    before, prologues = Prologues(), Prologues()
    before.add(ORDER)
    (row,) = before.kept()
    prologues.take(row, -1)
    for _ in range(3):
        prologues.add(("0", CODE.replace("8", "88"), DEPTH.replace("16", "8")))
    assert prologues.usual() == {ORDER}


@pytest.mark.parametrize("loads", [(), ("p7 = getfield_gc_r(p0, descr=<FieldP Frames.inst_code 8>)",) * 2])
def test_each_loop_of_python_has_an_order_that_is_known(loads: tuple[str, ...]) -> None:
    """Be it that no other trace of the log has one of that class, or that several have another one."""
    right, point = entered(RIGHT), "debug_merge_point(0, 0, 'f;a.py:4-9~#40 FOR_ITER')"
    known = learned(right)
    kept = ("[p0, p9, p1, p2]", point, "finish(p2)")
    inputs = "[p0, p9]" if loads else kept[0]
    loaded = tuple(one.replace("p7", f"p{at}").replace("8>", f"{8 * at}>") for at, one in enumerate(loads, start=1))
    log = recorded(*kept) + bridge(inputs, *loaded, *kept[1:]).replace("bridge out of Guard 0x7f10", ENTRY)
    alone, beside = judged(log + log)[0].verdict, judged(log + log, known)[0].verdict
    assert isinstance(alone, Proved)
    assert isinstance(beside, Unsupported)


def test_a_loop_of_rpythons_has_none_whatever_it_calls() -> None:
    known = learned(entered(RIGHT))
    """The first position in it may be one of what it calls."""
    lines = ("[p0]", "debug_merge_point(1, 14, 'f;a.py:4-9~#40 FOR_ITER')", "guard_nonnull(p0{})", "finish(p0)")
    optimized = [line.format(", descr=<Guard0x1>") + " [p0]" * ("guard" in line) for line in lines]
    log = recorded(*(line.format("") for line in lines))
    log += bridge(*optimized).replace("bridge out of Guard 0x7f10", "Loop 1 (min [has_key=0]) : entry bridge")
    assert isinstance(judged(log, known)[0].verdict, Proved)


def test_pypys_order_is_known() -> None:
    assert any(row[:2] == ("prologue", "usual") and len(row) > 3 and row[2] == "0" for row in shipped().rows)
