"""Of which kinds arrays, tables and lists of an optimized trace may be taken to be."""

from __future__ import annotations

import pytest

from optimizer.ir.immutable import replace
from validator.pypy.printed.kinds import tables
from validator.pypy.printed.kinds.lists import of_tested_strategies, with_lists
from validator.pypy.printed.kinds.variables import says_kind, with_kinds, with_variables
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.parents import Path
from validator.pypy.printed.straight import Sides

FRAME = "<FieldP pypy.interpreter.pyframe.PyFrame.inst_locals_cells_stack_w 56>"
DICT = "<FieldP pypy.objspace.std.dictmultiobject.W_Dict{}Object.inst_d{} 16>"
LIST = "<FieldP pypy.objspace.std.listobject.W_ListObject.inst_{} 8>"
ITERATED = "<FieldP dictiter.dict 8>"
ITEM = "<FieldP tuple2.item1 16 pure>"
NUMBER = "<FieldS dicttable.num_live_items 8>"


def load(result: str, object_: str, field: str) -> Line:
    return Line(result, "getfield_gc_r", (object_,), field)


def store(object_: str, field: str, value: str) -> Line:
    return Line(None, "setfield_gc", (object_, value), field)


def behind_a_test(strategy: str, storage: str, first: int = 1, class_: str = "X") -> tuple[Line, ...]:
    test = Line(None, "guard_class", (f"p{first}", f"ConstClass({class_})"))
    return load(f"p{first}", "p0", strategy), test, load(f"p{first + 1}", "p0", storage)


def test_an_array_that_is_stored_to_a_frame_by_another_name() -> None:
    items = "<ArrayP 8>"
    new, given = Line("p1", "new_array_clear", ("4",), items), store("p0", FRAME, "p1")
    rest = (
        load("p2", "p0", "<FieldP list.items 16>"),
        Line(None, "setarrayitem_gc", ("p1", "3", "p0"), items),
        Line("p3", "getarrayitem_gc_r", ("p2", "0"), items),
    )
    right = Printed(("p0",), (new, given, *rest))
    wrong = Printed(("p0",), (new, Line("p6", "same_as_r", ("p1",)), store("p0", FRAME, "p6"), *rest))
    assert with_variables(Sides(right, right), None)[1]
    assert not with_variables(Sides(right, wrong), None)[1]


def test_tables_behind_a_test() -> None:
    strategy, storage = DICT.format("", "strategy"), DICT.format("Multi", "storage")
    found = behind_a_test(strategy, storage)
    made = (Line("p5", "new", (), "<SizeDescr 24>"), store("p5", ITERATED, "p2"), load("p6", "p5", ITERATED))
    assert tables.tested(found) == {"p2"}
    assert tables.tested((*found, *made)) == {"p2", "p6"}
    assert tables.tested((*found, *made[:2], store("p7", ITERATED, "p8"), made[2])) == {"p2"}
    assert tables.tested((*found, store("p0", storage, "p9"))) == set()
    assert tables.tested((*found, store("p0", strategy, "p9"))) == set()


def test_a_strategy_that_was_loaded_in_front_of_a_call_is_no_more_that_of_the_table() -> None:
    """The optimized trace is taken to know what the call leaves, and types the table by the test behind it."""
    strategy, storage = DICT.format("", "strategy"), DICT.format("Multi", "storage")
    call = Line(None, "call_n", ("ConstClass(f)", "p0"), "<Callv 0 r EF=5>")
    found, other = behind_a_test(strategy, storage), behind_a_test(strategy, storage, 3, "Y")
    again = Line(None, "guard_class", ("p1", "ConstClass(X)")), load("p7", "p0", storage)
    assert tables.tested((*found, call, *other)) == {"p2", "p4"}
    assert tables.tested((*found, call, *other, *again)) == {"p2", "p4"}


def test_new_tables_of_two_types_are_not_told_apart() -> None:
    """Which of them an optimized trace has its name alone would tell."""

    def new_in(owner: int, class_: str, *fields: str) -> tuple[Line, ...]:
        strategy, storage = (f"<FieldP pypy.objspace.std.{class_}.inst_{field} 8>" for field in fields)
        test = Line(None, "guard_class", (f"p{owner + 1}", "ConstClass(X)"))
        made = f"p{owner + 2}"
        new = Line(made, "new", (), "<SizeDescr 48>"), store(f"p{owner}", storage, made)
        return load(f"p{owner + 1}", f"p{owner}", strategy), test, *new, load(f"i{owner}", made, NUMBER)

    of_dict = new_in(0, "dictmultiobject.W_DictObject", "dstrategy", "dstorage")
    one, two = (
        Printed(("p0",), lines)
        for lines in (of_dict, (*of_dict, *new_in(10, "setobject.W_SetObject", "strategy", "sstorage")))
    )
    assert tables.with_tables(Sides(one, one))[1]
    assert not tables.with_tables(Sides(two, two))[1]


@pytest.mark.parametrize(
    ("between", "are_told"),
    [
        ((), True),
        ((Line(None, "label", ("p0",), "1"),), False),
        ((Line(None, "call_n", ("ConstClass(f)",), "<Callv 0 i EF=5>"),), False),
    ],
)
def test_the_way_to_a_bridge_tells_the_type_of_a_table(between: tuple[Line, ...], *, are_told: bool) -> None:
    *test, storage = behind_a_test(DICT.format("", "strategy"), DICT.format("Multi", "storage"))
    path = Path(("p0",), (*test, *between, storage), ("p2", "p0"))
    bridge = Printed(("p10", "p11"), (load("i12", "p10", NUMBER),))
    assert bool(tables.with_tables(Sides(bridge, bridge), path)[1]) is are_told
    assert not tables.with_tables(Sides(bridge, bridge))[1]


@pytest.mark.parametrize(
    ("given", "are_told"),
    [
        ((), True),
        ((store("p6", ITEM, "p5"),), True),
        ((store("p6", ITEM, "p5"), Line("p7", "same_as_r", ("p6",))), False),
        (
            (store("p6", ITEM, "p5"), load("p7", "p6", ITEM)),
            False,
        ),
        ((store("p0", ITEM, "p5"),), False),
        ((store("p6", DICT.format("Multi", "storage"), "p5"),), False),
        ((Line(None, "call_n", ("ConstClass(f)", "p5"), "<Callv 0 r EF=5>"),), False),
        ((Line("p7", "same_as_r", ("p5",)),), False),
        ((Line(None, "jump", ("p5",)),), False),
    ],
)
def test_a_new_table_that_nothing_else_reaches(given: tuple[Line, ...], *, are_told: bool) -> None:
    found = behind_a_test(DICT.format("", "strategy"), DICT.format("Multi", "storage"))
    new = (Line("p5", "new", (), "<SizeDescr 56>"), Line("p6", "new", (), "<SizeDescr 24>"), store("p5", NUMBER, "0"))
    recorded = Printed(("p0",), (*found, load("i9", "p2", NUMBER), *new, *given))
    left = Printed(("p0",), (*found, load("i9", "p2", NUMBER)))
    assert bool(tables.with_tables(Sides(recorded, left))[1]) is are_told
    assert bool(tables.with_tables(Sides(recorded, recorded))[1]) is are_told


def test_a_table_that_is_stored_may_be_of_the_next_strategy() -> None:
    """Which is stored before it or behind it, be it by a bridge."""
    strategy, storage = DICT.format("", "strategy"), DICT.format("Multi", "storage")
    found, stored = behind_a_test(strategy, storage), store("p0", storage, "p8")
    assert "p8" in tables.types_of_tables((*found, stored))
    changed = store("p0", strategy, "ConstPtr(ptr3)")
    assert "p8" not in tables.types_of_tables((*found, stored, changed))
    assert "p8" not in tables.types_of_tables((*found, changed, stored))
    again = Line(None, "guard_class", ("p1", "ConstClass(X)")), load("p9", "p0", storage)
    assert "p9" in tables.types_of_tables((*found, *again))
    assert "p9" not in tables.types_of_tables((*found, changed, *again))
    path = Path(("p0", "p8"), (*found, stored), ("p8", "p0"))
    bridge = Printed(("p10", "p11"), (load("i12", "p10", NUMBER),))
    assert not tables.with_tables(Sides(bridge, bridge), path)[1]


def test_the_way_behind_the_labels_to_which_bridges_come() -> None:
    found = behind_a_test(DICT.format("", "strategy"), DICT.format("Multi", "storage"))
    path = Path(("p0",), (*found, Line(None, "label", ("p0", "p2"), "1"), *found[:1]), ("p2", "p0"))
    assert path.behind_labels(lambda number: number == 2) == path
    assert path.behind_labels(lambda number: number == 1).lines == found[:1]


def test_lists_behind_a_test() -> None:
    found = behind_a_test(LIST.format("strategy"), LIST.format("lstorage"))
    lines = {kind: (*found, load("i9", "p2", f"<FieldS list.length 8 of Array{kind} 8>")) for kind in "SP"}
    assert [*of_tested_strategies(lines["S"], [lines["S"]])] == ["p2"]
    assert [*of_tested_strategies(lines["S"], [lines["P"]])] == []
    assert [*of_tested_strategies(lines["S"], [lines["S"], lines["P"]])] == []
    for field in (found[-1].descr, found[0].descr):
        assert [*of_tested_strategies((*lines["S"], store("p0", field, "p9")), [lines["S"]])] == []


def made(*kinds: str) -> Printed:
    """A trace with a new list of each of these kinds."""
    lines: list[Line] = []
    for at, kind in enumerate(kinds):
        array, new = f"p{2 * at + 1}", f"p{2 * at + 2}"
        lines += [Line(array, "new_array", ("3",), f"<Array{kind} 8>"), Line(new, "new", (), "<SizeDescr 24>")]
        lines += [store(new, "<FieldP list.items 16>", array), store(new, "<FieldS list.length 8>", "3")]
    return Printed((), tuple(lines))


def test_new_lists_are_of_the_kind_of_those_that_were_recorded() -> None:
    def is_told_apart(recorded: str, optimized: str) -> bool:
        sides = Sides(made(*recorded), made(*optimized))
        return bool(with_lists(sides, sides)[1])

    assert is_told_apart("P", "P")
    assert not is_told_apart("P", "S")
    assert is_told_apart("PS", "SP")


@pytest.mark.parametrize(("kinds", "stated"), [("PS", ["p2", "p4"]), ("PP", [])])
def test_of_which_kind_new_lists_are_is_said_where_a_trace_makes_several(kinds: str, stated: list[str]) -> None:
    found = load("i9", "p9", "<FieldS list.length 8 of ArrayF 8>")
    sides, _ = with_lists(both := Sides(made(*kinds), made(*kinds)), both)
    told, _ = with_kinds(Sides(*(one.with_lines((*one.lines, found)) for one in (sides.before, sides.after))), {})
    for one in (told.before, told.after):
        said = [line.args[1] for line in one.lines if says_kind(line) and line.name == "call_i"]
        assert [*dict.fromkeys(said)] == [*stated, "p9"]


ASKED = Line(None, "guard_gc_type", ("p2", "125"))
LENGTH_OF = {kind: load("i9", "p2", f"<FieldS list.length 8 of Array{kind} 8>") for kind in "SP"}


@pytest.mark.parametrize(
    ("lines", "is_told"),
    [
        ((ASKED, LENGTH_OF["P"]), True),
        ((LENGTH_OF["P"], ASKED), False),
        ((LENGTH_OF["P"], ASKED, LENGTH_OF["P"]), False),
        ((LENGTH_OF["P"],), False),
        ((ASKED, LENGTH_OF["S"]), False),
        ((ASKED, LENGTH_OF["P"], LENGTH_OF["S"]), False),
        ((replace(ASKED, args=("p2", "126")), LENGTH_OF["P"]), False),
        ((replace(ASKED, args=("p0", "125")), LENGTH_OF["P"]), False),
    ],
)
def test_a_guard_for_the_number_of_a_type_tells_the_kind_of_a_list(lines: tuple[Line, ...], *, is_told: bool) -> None:
    both = (LENGTH_OF["S"], load("i8", "p7", LENGTH_OF["P"].descr))
    sides = Sides(Printed(("p2", "p7"), both), Printed(("p0", "p2", "p7"), lines))
    told, assumes = with_kinds(sides, {"125": "<ArrayP 8>"})
    assert (not any(map(says_kind, told.after.lines))) is is_told
    assert any(map(says_kind, told.before.lines))
    assert assumes == (("what has the type number 125 is a list with one of the arrays <ArrayP 8>",) if is_told else ())
    assert any(map(says_kind, with_kinds(sides, {})[0].after.lines))
