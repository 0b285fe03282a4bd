"""The tables of dicts and sets, told apart by the strategies that they are for."""

from __future__ import annotations

import pytest

from tests.pypy_logs import CALL, bridge, judged, judged_bridge, recorded
from validator import Proved
from validator.pypy.judge import Judged
from validator.pypy.printed.tables import OF_ONE_STRATEGY

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


PUT_AWAY = "p15 = getfield_gc_r(p0, descr=<FieldP P.inst_q 24>)", f"setfield_gc(p15, p8, descr={STORAGE})"
MAKES = "p8 = new(descr=<SizeDescr 56>)", f"setfield_gc(p8, 0, descr={NUMBER})"


def test_a_new_table_is_of_no_type_yet() -> None:
    assert is_proved(judged_bridge(*pair(DICT, *MAKES, *TELL)))


def test_a_new_table_that_is_stored_in_a_dict_may_be_of_each_type() -> None:
    assert not is_proved(judged_bridge(*pair(DICT, *MAKES, *TELL, *PUT_AWAY)))


def test_nothing_is_inferred_of_what_functions_do_to_new_tables() -> None:
    start = (*MAKES, *TELL)
    kept = (f"{line[:-1]}, descr=<Guard0x11>) [p0]".replace("(, ", "(") if "guard" in line else line for line in start)
    again = f"i9 = getfield_gc_i(p8, descr={NUMBER})"
    shown = "setfield_gc(p0, p8, descr=<FieldP P.inst_q 24>)"
    pair_ = (MAKES[0], shown, MAKES[1], *TELL, again, "finish(i9)"), (MAKES[0], shown, *list(kept)[1:], "finish(0)")
    assert not any(map(is_proved, log_of(pair_, pair_)))


def test_what_a_function_is_given_that_is_new_tells_of_no_type() -> None:
    """Its number of items is that of any table, where it is stored in a dict; entries are still told apart."""
    load = f"p{{}} = getfield_gc_r(p4, descr={ENTRIES})"
    for added, is_kept in (("p7", True), ("p8", False)):
        start = (*table(), load.format(5), *OF_SET, *MAKES, *PUT_AWAY, ADD.format(added), "guard_no_exception()")
        kept = (f"{one[:-1]}, descr=<Guard0x11>) [p0]".replace("(, ", "(") if "guard" in one else one for one in start)
        one = judged_bridge((*start, load.format(12), "finish(p12)"), (*kept, "finish(p5)"))
        assert is_proved(one) is is_kept


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
