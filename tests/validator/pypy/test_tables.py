"""The tables of dicts and sets, told apart by the strategies that they are for."""

from __future__ import annotations

import pytest

from tests.pypy_logs import CALL, bridge, judged, judged_bridge, recorded
from validator import Proved
from validator.pypy.judge import Judged
from validator.pypy.printed.kinds.tables import OF_ONE_STRATEGY

NUMBER = "<FieldS dicttable.num_live_items 8>"
ENTRIES = "<FieldP dicttable.entries 48>"
STRATEGY = "<FieldP pypy.objspace.std.dictmultiobject.W_DictObject.inst_dstrategy 16>"
STORAGE = "<FieldP pypy.objspace.std.dictmultiobject.W_DictMultiObject.inst_dstorage 8>"
SET_STRATEGY = "<FieldP pypy.objspace.std.setobject.W_BaseSetObject.inst_strategy 24>"
SET_STORAGE = "<FieldP pypy.objspace.std.setobject.W_BaseSetObject.inst_sstorage 16>"
ADD = (
    "call_n(ConstClass(_ll_dict_setitem_lookup_done_trampoline__v1541___simple_call__function_), {}, "
    "descr=<Callv 0 r EF=5>)"
)
TYPE = "<FieldS dicttable.num_live_items 8 of W_DictMultiObject.inst_dstorage Strings>"
AGAIN = f"i12 = getfield_gc_i(p4, descr={NUMBER})"


def table(class_: str = "Strings", *between: str, first: int = 3) -> tuple[str, ...]:
    """The loads of a table, the class of whose strategy is tested."""
    return (
        f"p{first} = getfield_gc_r(p0, descr={STRATEGY})",
        f"guard_class(p{first}, ConstClass({class_}))",
        *between,
        f"p{first + 1} = getfield_gc_r(p0, descr={STORAGE})",
    )


OF_SET = (
    f"p6 = getfield_gc_r(p0, descr={SET_STRATEGY})",
    "guard_class(p6, ConstClass(Strings))",
    f"p7 = getfield_gc_r(p0, descr={SET_STORAGE})",
)


def pair(*lines: str, is_kept: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A bridge that loads a number of items, does this, and loads it again, and an optimized one that does not."""
    first, *rest = lines
    start = (*first.split("\n"), f"i5 = getfield_gc_i(p4, descr={NUMBER})", *rest)
    ends = "i13 = int_add(i5, {})", "finish(i13)"
    kept = tuple(
        f"{line[:-1]}, descr=<Guard0x11>) [p0]".replace("(, ", "(") if "guard" in line else line for line in start
    )
    again = (AGAIN,) if is_kept else ()
    return (*start, AGAIN, ends[0].format("i12"), ends[1]), (
        *kept,
        *again,
        ends[0].format("i12" if is_kept else "i5"),
        ends[1],
    )


def log_of(*pairs: tuple[tuple[str, ...], tuple[str, ...]]) -> list[Judged]:
    return judged(
        "".join(recorded("[p0]", *before) + bridge("[p0]", *(f"+1: {one}" for one in after)) for before, after in pairs)
    )


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


TELL = f"call_n(ConstClass(tell), p0, descr={CALL})", "guard_no_exception()"
DICT = "\n".join(table())
ADDED = (*OF_SET, ADD.format("p7"), "guard_no_exception()")


def test_what_is_in_a_class_is_of_a_type_of_its_own() -> None:
    in_class = "p4 = getfield_gc_r(p0, descr=<FieldP pypy.objspace.std.typeobject.W_TypeObject.inst_dict_w 360>)"
    elsewhere = in_class.replace("typeobject.W_TypeObject", "mapdict.W_TypeObjects")
    assert is_proved(judged_bridge(*pair(in_class, *TELL)))
    assert not is_proved(judged_bridge(*pair(elsewhere, *TELL)))


@pytest.mark.parametrize("call", [TELL, ADDED])
def test_a_call_that_is_about_another_table_may_leave_this_one(call: tuple[str, ...]) -> None:
    one = judged_bridge(*pair(DICT, *call))
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert OF_ONE_STRATEGY in one.texts.assumes
    assert any(what.startswith("call ") and what.endswith(f"does not write {TYPE}") for what in one.texts.assumes)


def test_a_function_that_adds_to_a_table_of_that_type_writes_it() -> None:
    given = (ADD.format("p4"), "guard_no_exception()")
    assert not is_proved(judged_bridge(*pair(DICT, *given)))
    other = log_of(pair(DICT, *ADDED), pair(DICT, *given, is_kept=True))
    assert [is_proved(one) for one in other] == [False, True]


def test_a_function_of_dicts_may_be_about_any_table_while_no_type_of_what_it_is_given_is_known() -> None:
    other = "p8 = getfield_gc_r(p0, descr=<FieldP P.inst_q 24>)", f"p7 = getfield_gc_r(p8, descr={SET_STORAGE})"
    assert not is_proved(judged_bridge(*pair(DICT, *other, ADD.format("p7"), "guard_no_exception()")))


def test_that_it_is_loaded_again_elsewhere_contradicts_it() -> None:
    assert [is_proved(one) for one in log_of(pair(DICT, *TELL), pair(DICT, *TELL, is_kept=True))] == [False, True]


def test_tables_for_another_strategy_are_others() -> None:
    """What is said of one type is not said of another, be it that the optimizer relied on that there."""
    other = "\n".join(table("Numbers"))
    assert [is_proved(one) for one in log_of(pair(DICT, *TELL), pair(other, *TELL, is_kept=True))] == [True, True]


@pytest.mark.parametrize(
    "first",
    [
        f"p4 = getfield_gc_r(p0, descr={STORAGE})",  # no strategy is known
        "\n".join(table("Strings", "call_n(ConstClass(other), p0, descr=<Callv 0 r EF=7>)")),  # nor behind a call
        "p4 = getfield_gc_r(p0, descr=<FieldP dictiter.dict 8>)",  # the table of an iterator may be any
    ],
)
def test_nothing_is_said_of_tables_of_no_known_type(first: str) -> None:
    assert not is_proved(judged_bridge(*pair(first, *TELL)))


ITERATED = "<FieldP dictiter.dict 8>"
ITERATES = "p8 = new(descr=<SizeDescr 24>)", f"setfield_gc(p8, p4, descr={ITERATED})"
OF_ITERATOR = f"p9 = getfield_gc_r(p8, descr={ITERATED})", f"i10 = getfield_gc_i(p9, descr={NUMBER})"


@pytest.mark.parametrize(
    ("stored", "is_kept"),
    [(ITERATES, True), (ITERATES[:1], False), ((*ITERATES, ITERATES[1].replace("p4", "p0")), False)],
)
def test_an_iterator_is_of_the_table_that_was_stored_to_it(stored: tuple[str, ...], *, is_kept: bool) -> None:
    assert is_proved(judged_bridge(*pair(DICT, *stored, *OF_ITERATOR, *TELL))) is is_kept


def test_the_optimized_trace_has_to_tell_the_type_of_each_table() -> None:
    """What it stores by another name, and puts back, it has loaded in between."""
    load = f"i5 = getfield_gc_i(p4, descr={NUMBER})"
    other = ("p20 = same_as_r(p4)", load.replace("i5", "i21").replace("p4", "p20"))
    stores = [f"setfield_gc(p20, {value}, descr={NUMBER})" for value in ("99", "i21")]
    before, start = (*table(), load, "finish(i5)"), table()
    kept = tuple(f"{one[:-1]}, descr=<Guard0x11>) [p0]" if "guard" in one else one for one in start)
    assert is_proved(judged_bridge(before, (*kept, load, "finish(i5)")))
    assert not is_proved(judged_bridge(before, (*kept, *other, stores[0], load, stores[1], "finish(i5)")))


@pytest.mark.parametrize("by_iterator", [False, True])
def test_a_table_that_the_optimized_trace_has_put_there_itself_is_not_known_by_its_own_test(
    *, by_iterator: bool
) -> None:
    """It puts that of the set into the dict, or to an iterator of the dict's by another name."""
    load = f"i{{}} = getfield_gc_i(p{{}}, descr={NUMBER})"
    ends = load.format(5, 4), load.format(8, 7), "i9 = int_add(i5, i8)", "finish(i9)"
    before = (*table(), *OF_SET, *ends)
    kept = tuple(f"{one[:-1]}, descr=<Guard0x11>) [p0]" if "guard" in one else one for one in before[: -len(ends)])
    put = (f"setfield_gc(p0, p7, descr={STORAGE})", f"p20 = getfield_gc_r(p0, descr={STORAGE})")
    put += (f"setfield_gc(p0, p4, descr={STORAGE})",)
    if by_iterator:
        new = ("p30 = new(descr=<SizeDescr 24>)", f"setfield_gc(p30, p4, descr={ITERATED})", "p31 = same_as_r(p30)")
        put = (*new, f"setfield_gc(p31, p7, descr={ITERATED})", f"p20 = getfield_gc_r(p30, descr={ITERATED})")
    changes = [f"setfield_gc(p20, {value}, descr={NUMBER})" for value in ("99", "i21")]
    wrong = (*kept, *put, load.format(21, 20), changes[0], *ends[:2], changes[1], *ends[2:])
    assert is_proved(judged_bridge(before, (*kept, *ends)))
    assert not is_proved(judged_bridge(before, wrong))


def test_a_new_table_is_of_the_type_of_those_that_were_recorded() -> None:
    """The optimized trace puts it into the set for a moment, and counts what is in the dict by its name."""
    load, count = f"i{{}} = getfield_gc_i(p{{}}, descr={NUMBER})", f"setfield_gc(p9, 5, descr={NUMBER})"
    (*tests, storage), put = table(), f"setfield_gc({{}}, p{{}}, descr={SET_STORAGE})"
    new = "p8 = new(descr=<SizeDescr 48>)", f"setfield_gc(p0, p8, descr={STORAGE})", storage.replace("p4", "p9"), count
    ends = load.format(5, 9), "i11 = int_add(i5, i10)", "finish(i11)"
    before = (*tests, *OF_SET, load.format(10, 7), *new, *ends)
    kept = tuple(f"{one[:-1]}, descr=<Guard0x11>) [p0]" if "guard" in one else one for one in before[: -len(ends)])
    moved = put.format("p0", 8), put.format("p0", 7), count.replace("p9, 5", "p8, 99")
    assert is_proved(judged_bridge(before, (*kept, *ends)))
    assert not is_proved(judged_bridge(before, (*kept, *moved, *ends[:-1], count, ends[-1])))


def test_nothing_is_said_where_one_table_is_of_no_known_type() -> None:
    more = "p8 = getfield_gc_r(p0, descr=<FieldP dictiter.dict 8>)", f"setfield_gc(p8, 7, descr={NUMBER})"
    assert not is_proved(judged_bridge(*pair(DICT, *TELL, *more)))


def test_another_field_of_a_table_of_no_known_type_is_another_matter() -> None:
    more = "p8 = getfield_gc_r(p0, descr=<FieldP dictiter.dict 8>)", f"p9 = getfield_gc_r(p8, descr={ENTRIES})"
    assert is_proved(judged_bridge(*pair(DICT, *TELL, *more)))


@pytest.mark.parametrize(("into", "is_kept"), [("p7", True), ("p4", False)])
def test_the_array_of_entries_is_such_a_field(into: str, *, is_kept: bool) -> None:
    load = f"p{{}} = getfield_gc_r(p4, descr={ENTRIES})"
    start = (*table(), load.format(5), *OF_SET, ADD.format(into), "guard_no_exception()")
    kept = (f"{line[:-1]}, descr=<Guard0x11>) [p0]".replace("(, ", "(") if "guard" in line else line for line in start)
    assert is_proved(judged_bridge((*start, load.format(12), "finish(p12)"), (*kept, "finish(p5)"))) is is_kept


def test_a_store_to_the_same_table_is_seen() -> None:
    assert not is_proved(judged_bridge(*pair(DICT, *TELL, f"setfield_gc(p4, 7, descr={NUMBER})")))
    second = *table(first=8), f"setfield_gc(p9, 7, descr={NUMBER})"
    assert not is_proved(judged_bridge(*pair(DICT, *TELL, *second)))
