"""Types of reference fields, on which a bridge to the label of a loop relies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from tests.pypy_logs import bridge, judged, judged_last, loop, recorded
from validator import Proved
from validator.pypy.field_types import FieldTypes, with_types
from validator.pypy.judge import Judged, judge
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import Sides
from validator.pypy.study import study

MARK = "setfield_gc(p0, 7, descr=<FieldS Node.inst_mark 24>)"
LOADS = {
    "text": "<FieldP Node.inst_text 8>",
    "list": "<FieldP Node.inst_list 16>",
    "items": "<FieldP Node.inst_items 32>",
    "_value0": "<FieldP Node.inst__value0 48>",
    "numbered": "<FieldP Node.inst__value0 48>",
}
LONG = ("i5 = int_gt(i4, 2)", "guard_true(i5{})")
USES = {
    "text": ("i4 = strlen(p3)", *LONG),
    "list": ("guard_class(p3, ConstClass(List){})",),
    "items": ("i4 = arraylen_gc(p3, descr=<ArrayP 8>)", *LONG),
    "_value0": ("i4 = strlen(p3)", *LONG),
    "numbered": ("i4 = arraylen_gc(p3, descr=<ArrayP 8>)", *LONG),
}


def asked(name: str, *, guards: str = "", first: int = 1) -> list[str]:
    """Operations of an iteration: a guard, and behind it a load of the field, and the use of what it holds."""
    guard = f", descr=<Guard0x7f{guards}{{}}>" if guards else ""
    names = [f"{kind}{first + at}" for at, kind in enumerate("iipii")]
    lines = [
        "i1 = getfield_gc_i(p0, descr=<FieldS Node.inst_count 40>)",
        "i2 = int_lt(i1, 9)",
        f"guard_true(i2{guard.format(1)})",
        f"p3 = getfield_gc_r(p0, descr={LOADS[name]})",
        f"guard_nonnull(p3{guard.format(2)})",
        *(line.format(guard.format(3)) for line in USES[name]),
    ]
    for old, new in zip(("i1", "i2", "p3", "i4", "i5"), names, strict=True):
        lines = [line.replace(old, new) for line in lines]
    return [f"+1: {line}{' [p0]' * line.startswith('guard')}" for line in lines] if guards else lines


NONNULL = "+1: guard_nonnull(p3, descr=<Guard0x7f42>) [p0]"


def whole(name: str, *, nonnull: Sequence[str] = (NONNULL,)) -> str:
    """A loop that uses what a field holds, and a bridge to its label, which has asked for that, from another trace."""
    before = recorded("[p0]", *asked(name), MARK, "jump(p0, descr=<Loop-1>)") + loop(
        "[p0]",
        "+1: label(p0, descr=TargetToken(140))",
        *asked(name, guards="2"),
        f"+1: {MARK}",
        "+1: label(p0, p3, descr=TargetToken(141))",
        *asked(name, guards="3", first=11)[:3],
        f"+1: {MARK}",
        "+1: jump(p0, p3, descr=TargetToken(141))",
    )
    lines = [line for line in asked(name, guards="4")[3:] if not line.startswith("+1: guard_nonnull")]
    asks = (lines[0], *nonnull, *lines[1:])
    kept = (f"+1: {MARK}", *asks, "+1: jump(p0, p3, descr=TargetToken(141))")
    again = recorded("[p0]", MARK, "jump(p0, descr=<Loop-1>)")
    return before + again + bridge("[p0]", *kept)


def of_constants(name: str) -> str:
    """The same, where a constant object has the field, in each trace with a number of its own."""
    holders = (f"ConstPtr(ptr{number})" for number in (1, 11, 21))
    first, *rest = whole(name).split(f"getfield_gc_r(p0, descr={LOADS[name]})")
    return first + "".join(
        f"getfield_gc_r({one}, descr={LOADS[name]}){part}" for one, part in zip(holders, rest, strict=True)
    )


@pytest.mark.parametrize("log", [whole, of_constants])
@pytest.mark.parametrize("name", ["text", "list", "items"])
def test_a_bridge_may_use_what_a_field_holds_as_the_loop_does(name: str, log: Callable[[str], str]) -> None:
    of_loop, behind = judged(log(name))
    assert isinstance(of_loop.verdict, Proved), of_loop.verdict
    assert isinstance(behind.verdict, Proved), behind.verdict
    assert behind.texts is not None
    assert [one for one in behind.texts.assumes if one.endswith(", or NULL")] == [
        f"{LOADS[name]} holds { {'text': 'strings', 'list': 'instances', 'items': 'arrays <ArrayP 8>'}[name] }, or NULL"
    ]


@pytest.mark.parametrize("name", ["text", "list", "items"])
def test_so_may_one_that_goes_to_the_start_of_the_loop_after_all(name: str) -> None:
    def behind(text: str) -> Judged:
        first, _, rest = text.rpartition("+1: jump(p0, p3, descr=TargetToken(141))")
        return judged(f"{first}+1: jump(p0, descr=TargetToken(140)){rest}")[1]

    shown = behind(whole(name))
    assert isinstance(shown.verdict, Proved), shown.verdict
    assert shown.texts is not None
    assert f"{LOADS[name]} holds" in " ".join(shown.texts.assumes)
    assert not isinstance(behind(whole(name, nonnull=())).verdict, Proved)


def test_not_where_it_may_be_null() -> None:
    for name in ("text", "list", "items"):
        behind = judged_last(whole(name, nonnull=()))
        assert not isinstance(behind.verdict, Proved)


def test_not_where_it_is_used_in_several_ways() -> None:
    behind = judged_last(whole("_value0"))
    assert not isinstance(behind.verdict, Proved)
    other = f"p1 = getfield_gc_r(p0, descr={LOADS['text']})", "i2 = arraylen_gc(p1, descr=<ArrayS 8>)", "finish()"
    behind = judged_last(recorded("[p0]", *other) + bridge("[p0]", *(f"+1: {line}" for line in other)) + whole("text"))
    assert not isinstance(behind.verdict, Proved)


@pytest.mark.parametrize(
    ("made", "name", "is_right"),
    [
        ("new_array_clear(3, descr=<ArrayS 8>)", "text", False),
        ("newstr(3)", "text", True),
        ("new_with_vtable(descr=<SizeDescr 16>)", "text", False),
        ("new_with_vtable(descr=<SizeDescr 16>)", "list", True),
        ("newstr(3)", "list", False),
        ("new_array_clear(3, descr=<ArrayP 8>)", "items", True),
        ("new_array_clear(3, descr=<ArrayS 8>)", "items", False),
    ],
)
def test_not_where_something_else_is_stored(made: str, name: str, *, is_right: bool) -> None:
    """By a trace that PyPy has given up, too."""
    before = recorded("[p0]", f"p1 = {made}", f"setfield_gc(p0, p1, descr={LOADS[name]})", "finish()")
    behind = judged_last(before + whole(name))
    assert isinstance(behind.verdict, Proved) is is_right


def test_not_where_what_is_stored_is_used_in_another_way() -> None:
    stored = "i2 = arraylen_gc(p1, descr=<ArrayS 8>)", f"setfield_gc(p0, p1, descr={LOADS['text']})", "finish()"
    behind = judged_last(recorded("[p0, p1]", *stored) + whole("text"))
    assert not isinstance(behind.verdict, Proved)


NUMBER = "guard_gc_type(p3, {}, descr=<Guard0x7f45>) [p0]"


@pytest.mark.parametrize("number", [832, 1240])
def test_the_number_of_a_type_tells_of_a_field_that_has_several(number: int) -> None:
    asks = f"+1: {NUMBER.format(number)}"
    first, behind = judged(whole("numbered", nonnull=(NONNULL, asks)))
    assert isinstance(first.verdict, Proved)
    assert isinstance(behind.verdict, Proved), behind.verdict
    assert behind.texts is not None
    assert f"what has the type number {number} is one of the arrays <ArrayP 8>" in behind.texts.assumes
    assert not isinstance(judged(whole("numbered"))[1].verdict, Proved)
    assert not isinstance(judged(whole("numbered", nonnull=(asks,)))[1].verdict, Proved)


def test_it_is_inferred_and_not_certain() -> None:
    items = list(pair_sections(read_traces(whole("text").splitlines())))
    knowledge = study(items, "log").certain()
    _, behind = (item for item in knowledge.given(items) if isinstance(item, LogPair))
    assert not isinstance(judge(behind, "log", knowledge).verdict, Proved)


WATCHED = Line(None, "quasiimmut_field", ("p1",), "<QuasiImmutDescr object at 0x7f10>")
LOAD = Line("p1", "getfield_gc_r", ("p0",), "<FieldP A.inst_one 8>")


def pair(*recorded: Line) -> Sides:
    return Sides(Printed(("p0",), recorded), Printed(("p0",), ()))


@pytest.mark.parametrize(
    ("uses", "told"),
    [
        ([Line("i2", "strlen", ("p1",))], "strings"),
        ([Line(None, "guard_class", ("p1", "ConstClass(B)"))], "instances"),
        ([Line("i2", "getfield_gc_i", ("p1",), "<FieldS B.inst_two 8>")], "instances"),
        ([Line("p2", "getarrayitem_gc_r", ("p1", "0"), "<ArrayP 8>")], "arrays <ArrayP 8>"),
        ([Line("i2", "arraylen_gc", ("p1",), "<ArrayS 8>")], None),  # of numbers
        ([Line("i2", "getfield_gc_i", ("p1",), "<FieldS list.length 8>")], None),
        ([Line("i2", "strlen", ("p1",)), Line("i3", "arraylen_gc", ("p1",), "<ArrayP 8>")], None),
        ([Line("i2", "strlen", ("p1",)), Line("i3", "getfield_gc_i", ("p1",), "<FieldS list.length 8>")], None),
        ([Line("i2", "strlen", ("p1",)), Line("i3", "unicodelen", ("p1",))], None),
        ([Line(None, "guard_subclass", ("p1", "ConstClass(B)")), Line(None, "guard_nonnull", ("p1",))], "instances"),
        ([Line("i2", "strlen", ("p0",))], None),
        ([Line("i2", "getfield_gc_i", ("p1",), "<FieldS B.inst_two 8>"), WATCHED], "instances"),
        ([WATCHED], None),
    ],
)
def test_the_type_of_a_field_is_what_its_values_are_used_for(uses: list[Line], told: str | None) -> None:
    types = FieldTypes()
    for one in uses:
        types.add(pair(LOAD, one))
    assert types.assumed().get(LOAD.descr) == told


def test_structs_that_share_a_name_have_fields_of_several_types() -> None:
    types = FieldTypes()
    items = Line("p1", "getfield_gc_r", ("p0",), "<FieldP list.items 16>")
    types.add(pair(items, Line("i2", "arraylen_gc", ("p1",), "<ArrayP 8>")))
    assert not types.assumed()


GUARD = Line(None, "guard_gc_type", ("p1", "832"))
LENGTH = Line("i2", "arraylen_gc", ("p1",), "<ArrayP 8>")


@pytest.mark.parametrize(
    ("optimized", "arrays"),
    [
        (((GUARD, LENGTH),), {832: "<ArrayP 8>"}),
        (
            ((GUARD, LENGTH), (replace(GUARD, args=("p1", "1240")), replace(LENGTH, descr="<ArrayS 8>"))),
            {832: "<ArrayP 8>", 1240: "<ArrayS 8>"},
        ),
        (((GUARD, LENGTH), (GUARD, replace(LENGTH, descr="<ArrayS 8>"))), {}),
        (((GUARD, LENGTH), (replace(GUARD, args=("p1", "833")), LENGTH)), {}),
        (((GUARD, replace(LENGTH, args=("p2",))),), {}),
        (((GUARD, replace(LENGTH, descr="<FieldS list.length 8>")),), {}),
        (((GUARD, GUARD, LENGTH),), {832: "<ArrayP 8>"}),
        (((LENGTH, GUARD),), {832: "<ArrayP 8>"}),
        (((GUARD, LENGTH, Line("i3", "strlen", ("p1",))),), {}),
        (((Line("i3", "strlen", ("p1",)), GUARD, LENGTH),), {}),
        (((GUARD, LENGTH), (GUARD, Line("i2", "int_add", ("i3", "1")), Line("i4", "strlen", ("p1",)))), {}),
        (((replace(GUARD, args=("p1", "i5")), LENGTH),), {}),
        (((replace(GUARD, args=("p1", "-8")), LENGTH),), {}),
    ],
)
def test_the_number_of_a_type_is_that_of_the_arrays_that_guards_ask_for(
    optimized: Sequence[tuple[Line, ...]], arrays: dict[int, str]
) -> None:
    types = FieldTypes()
    for lines in optimized:
        types.add(Sides(Printed(("p0",), ()), Printed(("p0",), lines)))
    assert types.arrays() == arrays


@pytest.mark.parametrize("shown", [(), (Line(None, "guard_nonnull", ("p0",)),)])
def test_nothing_is_said_of_what_may_be_null(shown: tuple[Line, ...]) -> None:
    """Loading from it would say that it is not."""
    end = Line(None, "jump", ("p0",))
    loop = Printed(("p0",), (end,))
    sides = Sides(Printed(("p0",), (*shown, end)), Printed(("p0",), (LOAD, end)), Sides(loop, loop))
    stated, assumes = with_types(sides, {LOAD.descr: "strings"})
    assert (stated != sides) is bool(shown)
    assert len(assumes) == len(shown)


@pytest.mark.parametrize(
    ("holders", "is_told"),
    [
        (["ConstPtr(ptr1)"] * 2, True),
        (["ConstPtr(ptr1)", "ConstPtr(ptr2)"], False),
        (["ConstPtr(ptr1)", "p0"], False),
        (["p0"] * 2, False),
    ],
)
def test_of_a_constant_it_is_said_if_no_other_object_has_the_field(holders: list[str], is_told: bool) -> None:
    end = Line(None, "jump", ("p0",))
    loop = Printed(("p0",), (*(replace(LOAD, args=(holder,)) for holder in holders), end))
    after = Printed(("p0",), (replace(LOAD, args=("ConstPtr(ptr9)",)), end))
    stated, assumes = with_types(Sides(Printed(("p0",), (end,)), after, Sides(loop, loop)), {LOAD.descr: "strings"})
    assert len(assumes) == is_told
    assert [line.args[0] for line in stated.before.lines if line.name == LOAD.name] == holders[:is_told]


def test_arrays_of_frames_are_those_that_the_pair_tells_apart() -> None:
    """To say that they are others would contradict it, and prove whatever."""
    end, field = Line(None, "jump", ("p0",)), "<FieldP pypy.interpreter.pyframe.PyFrame.inst_locals_cells_stack_w 56>"
    item = Line("p2", "getarrayitem_gc_r", ("p1", "0"), "<FrameP 8>")
    for told, descr in (((item,), "<FrameP 8>"), ((), "<ArrayP 8>")):
        shown, load = Line(None, "guard_nonnull", ("p0",)), replace(LOAD, descr=field)
        loop = Printed(("p0",), (end,))
        sides = Sides(Printed(("p0",), (shown, *told, end)), Printed(("p0",), (load, *told, end)), Sides(loop, loop))
        stated, _ = with_types(sides, {field: "arrays <ArrayP 8>"})
        assert {line.descr for line in stated.before.lines if line.name == "arraylen_gc"} == {descr}


def test_what_frames_have_are_arrays() -> None:
    field = "<FieldP pypy.interpreter.pyframe.PyFrame.inst_locals_cells_stack_w 56>"
    lines = (f"p1 = getfield_gc_r(p0, descr={field})", "p2 = getarrayitem_gc_r(p1, 0, descr=<ArrayP 8>)", "finish(p2)")
    log = recorded("[p0]", *lines) + bridge("[p0]", *(f"+1: {line}" for line in lines))
    known = study(pair_sections(read_traces(log.splitlines())), "log")
    assert known.inferred.types == {field: "arrays <ArrayP 8>"}


ITEMS_OF_LIST = Line("p3", "getfield_gc_r", ("p2",), "<FieldP list.items 16 of ArrayP 8>")
OF_LIST = (Line(None, "guard_gc_type", ("p2", "125")), ITEMS_OF_LIST, replace(LENGTH, args=("p3",)))
OTHER_NUMBER = replace(OF_LIST[0], args=("p2", "126"))


@pytest.mark.parametrize(
    ("optimized", "lists"),
    [
        ((OF_LIST,), {"125": "<ArrayP 8>"}),
        (
            (OF_LIST, (replace(OF_LIST[0], args=("p2", "126")), *OF_LIST[1:])),
            {"125": "<ArrayP 8>", "126": "<ArrayP 8>"},
        ),
        ((OF_LIST, (OF_LIST[0], ITEMS_OF_LIST, replace(OF_LIST[2], descr="<ArrayS 8>"))), {}),
        ((OF_LIST[1:],), {}),
        (((OF_LIST[0], ITEMS_OF_LIST),), {}),
        (((replace(OF_LIST[0], args=("p2", "i5")), *OF_LIST[1:]),), {}),
    ],
)
def test_the_number_of_a_type_is_that_of_lists_with_such_arrays(
    optimized: Sequence[tuple[Line, ...]], lists: dict[str, str]
) -> None:
    types = FieldTypes()
    for lines in optimized:
        types.add(Sides(Printed(("p0",), ()), Printed(("p0",), lines)))
    assert types.lists() == lists
