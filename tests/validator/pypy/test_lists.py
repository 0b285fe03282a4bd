"""RPython's lists, told apart by what their arrays hold."""

from __future__ import annotations

import pytest

from tests.pypy_logs import CALL, bridge, judged, judged_bridge, recorded
from validator import Proved
from validator.pypy.judge import Judged
from validator.pypy.printed.kinds.lists import OF_ONE_KIND, named_kinds, with_lists
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import Sides

LENGTH, ITEMS = "<FieldS list.length 8>", "<FieldP list.items 16>"
STRATEGY = "<FieldP pypy.objspace.std.listobject.W_ListObject.inst_strategy 16>"
STORAGE = "<FieldP pypy.objspace.std.listobject.W_ListObject.inst_lstorage 8>"
OF_INTEGERS = "<FieldS list.length 8 of ArrayS 8>"


def held(array: str = "S", at: int = 1, offset: int = 24) -> tuple[str, ...]:
    """The loads of a list, of its items and of its length: the first of these numbers, and the next ones."""
    kind = "r" if array == "P" else "f" if array == "F" else "i"
    return (
        f"p{at} = getfield_gc_r(p0, descr=<FieldP P.inst_list {offset}>)",
        f"p{at + 1} = getfield_gc_r(p{at}, descr={ITEMS})",
        f"{kind if kind != 'r' else 'p'}{at + 2} = getarrayitem_gc_{kind}(p{at + 1}, 0, descr=<Array{array} 8>)",
        f"i{at + 3} = getfield_gc_i(p{at}, descr={LENGTH})",
    )


def pair(*between: str, array: str = "S", is_kept: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A bridge that loads the length of a list of such items, does this, and loads it again; and an optimized one that
    does not."""
    again = f"i90 = getfield_gc_i(p1, descr={LENGTH})"
    first = (*held(array), *between)
    kept = tuple(f"{one[:-1]}, descr=<Guard0x11>) [p0]".replace("(, ", "(") if "guard" in one else one for one in first)
    if is_kept:
        return (*first, again, "finish(i90)"), (*kept, again, "finish(i90)")
    return (*first, again, "finish(i90)"), (*kept, "finish(i4)")


def log_of(*pairs: tuple[tuple[str, ...], tuple[str, ...]]) -> list[Judged]:
    return judged(
        "".join(recorded("[p0]", *before) + bridge("[p0]", *(f"+1: {one}" for one in after)) for before, after in pairs)
    )


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


OTHER = held("P", at=11, offset=32)
LONGER = f"setfield_gc(p11, 7, descr={LENGTH})"
TELL = f"call_n(ConstClass(tell), p0, descr={CALL})", "guard_no_exception()"


def test_the_optimized_trace_has_to_prove_of_which_kind_a_list_is() -> None:
    """It takes the list for one of references by another name, for the time of a load."""
    before, first = (*OTHER, *held(), "finish(i4)"), held()
    again = "p20 = getfield_gc_r(p0, descr=<FieldP P.inst_list 24>)"
    changed = (
        again,
        "p21 = new_array(0, descr=<ArrayP 8>)",
        f"p22 = getfield_gc_r(p20, descr={ITEMS})",
        f"i23 = getfield_gc_i(p20, descr={LENGTH})",
        f"setfield_gc(p20, p21, descr={ITEMS})",
        f"setfield_gc(p20, 1000, descr={LENGTH})",
        first[-1],
        f"setfield_gc(p20, i23, descr={LENGTH})",
        f"setfield_gc(p20, p22, descr={ITEMS})",
        "finish(i4)",
    )
    assert is_proved(judged_bridge(before, (*OTHER, *first, "finish(i4)")))
    assert not is_proved(judged_bridge(before, (*OTHER, *first[:-1], *changed)))


def put_away(list_: int, array: int, holder: int, length: int, descr: str, *between: str) -> list[str]:
    """Makes a list, stores it to the storage of a new list of Python, and takes out of it an item and its length."""
    taken = f"p{holder + 1} = getfield_gc_r(p{holder}, descr={STORAGE})"
    return [
        f"p{holder} = new_with_vtable(descr=<SizeDescr 24>)",
        f"p{list_} = new(descr=<SizeDescr 24>)",
        f"p{array} = new_array_clear({length}, descr={descr})",
        f"setfield_gc(p{list_}, {length}, descr={LENGTH})",
        f"setfield_gc(p{list_}, p{array}, descr={ITEMS})",
        f"setfield_gc(p{holder}, p{list_}, descr={STORAGE})",
        *(taken, f"p{holder + 2} = getfield_gc_r(p{holder + 1}, descr={ITEMS})"),
        f"{'p' if 'P' in descr else 'i'}{holder + 3} = getarrayitem_gc_{'r' if 'P' in descr else 'i'}"
        f"(p{holder + 2}, 0, descr={descr})",
        *between,
        f"i{holder + 4} = getfield_gc_i(p{holder + 1}, descr={LENGTH})",
    ]


@pytest.mark.parametrize("escape", [True, False])
@pytest.mark.parametrize("wrong", ["", "first", "other"])
def test_the_optimized_trace_has_to_prove_of_which_kind_its_new_lists_are(wrong: str, escape: bool) -> None:
    """It makes two, and takes one for one of the other kind, where it stores to it by its first name: what it finds in
    it by another name is that of its own kind. Where nobody has them, it is not known which one is which."""
    holders = (12, 22) if escape else ()

    def trace(wrong: str) -> tuple[str, ...]:
        first = [f"setfield_gc(p{at}, p{array}, descr={ITEMS})" for at, array in ((13, 11), (10, 29))]
        first += [f"setfield_gc(p{at}, {length}, descr={LENGTH})" for at, length in ((13, 3), (10, 99))]
        other = [f"setfield_gc(p{at}, p{array}, descr={ITEMS})" for at, array in ((23, 21), (20, 19))]
        other += [f"setfield_gc(p{at}, {length}, descr={LENGTH})" for at, length in ((23, 5), (20, 99))]
        return (
            "p19 = new_array_clear(1, descr=<ArrayP 8>)",
            "p29 = new_array_clear(1, descr=<ArrayS 8>)",
            *put_away(10, 11, 12, 3, "<ArrayP 8>", *(first if wrong == "first" else ())),
            *put_away(20, 21, 22, 5, "<ArrayS 8>", *(other if wrong == "other" else ())),
            *(f"setfield_gc(p0, p{holder}, descr=<FieldP P.inst_{holder} {holder}>)" for holder in holders),
            "i30 = int_add(i16, i26)",
            "finish(i30)",
        )

    (one,) = log_of((trace(""), trace(wrong)))
    assert is_proved(one) is (escape and not wrong)


def test_what_is_done_to_lists_of_others_leaves_these() -> None:
    one = judged_bridge(*pair(*OTHER, LONGER))
    assert is_proved(one), one.verdict
    assert one.texts is not None
    assert OF_ONE_KIND in one.texts.assumes
    assert not is_proved(judged_bridge(*pair(*held("S", at=11, offset=32), LONGER)))
    assert not is_proved(judged_bridge(*pair(OTHER[0], OTHER[3], LONGER)))  # nothing tells what that holds


def in_storage(at: int, field: int) -> tuple[str, ...]:
    """The loads of a list in the storage of one of Python, the class of whose strategy is tested."""
    return (
        f"p{at} = getfield_gc_r(p0, descr=<FieldP P.inst_w_list {field}>)",
        f"p{at + 1} = getfield_gc_r(p{at}, descr={STRATEGY})",
        f"guard_class(p{at + 1}, ConstClass(Objects))",
        f"p{at + 2} = getfield_gc_r(p{at}, descr={STORAGE})",
    )


def test_the_strategy_tells_what_is_in_a_list() -> None:
    """Of one list the items tell what is there, of the other one the strategy alone."""
    items = (
        f"p34 = getfield_gc_r(p32, descr={ITEMS})",
        "p35 = getarrayitem_gc_r(p34, 0, descr=<ArrayP 8>)",
    )
    length = f"i44 = getfield_gc_i(p42, descr={LENGTH})", f"setfield_gc(p42, 7, descr={LENGTH})"
    assert is_proved(judged_bridge(*pair(*in_storage(30, 40), *items, *in_storage(40, 48), *length)))
    assert not is_proved(judged_bridge(*pair(*in_storage(30, 40), *in_storage(40, 48), *length)))


@pytest.mark.parametrize(("array", "is_inferred"), [("S", True), ("F", True), ("P", False), ("U", False)])
def test_of_lists_of_one_type_it_is_inferred_that_a_function_leaves_them(array: str, is_inferred: bool) -> None:
    """Lists of references, or of characters and truths, are of many types."""
    one = judged_bridge(*pair(*TELL, array=array))
    assert is_proved(one) == is_inferred
    said = f"does not write <FieldS list.length 8 of Array{array} 8>"
    assert one.texts is not None
    assert any(what.endswith(said) for what in one.texts.assumes) == is_inferred


def test_that_it_is_loaded_again_elsewhere_contradicts_it() -> None:
    assert [is_proved(one) for one in log_of(pair(*TELL), pair(*TELL, is_kept=True))] == [False, True]
    assert [is_proved(one) for one in log_of(pair(*TELL), pair(*TELL, array="F", is_kept=True))] == [True, True]


def test_that_it_is_loaded_again_from_a_list_of_no_known_kind_contradicts_it_too() -> None:
    before, after = pair(*TELL, is_kept=True)
    unknown = [tuple(line for line in lines if ITEMS not in line and "Array" not in line) for lines in (before, after)]
    assert [is_proved(one) for one in log_of(pair(*TELL), (unknown[0], unknown[1]))] == [False, True]


POP = "i15 = call_i(ConstClass(ll_pop_nonneg__v1__simple_call__listPtr), {}, 0, descr=<Calli 8 ri EF=5>)"


def test_a_function_on_lists_writes_those_of_the_kind_that_it_is_given() -> None:
    given = ("guard_no_exception()",)
    objects, numbers = POP.format("p11"), POP.format("p1")
    assert is_proved(judged_bridge(*pair(*OTHER, objects, *given)))
    assert not is_proved(judged_bridge(*pair(*OTHER, numbers, *given)))


def test_a_function_that_is_given_a_list_of_which_nothing_tells_may_write_any() -> None:
    """It is the same list under another name, from which no item is loaded."""
    again = "p50 = getfield_gc_r(p0, descr=<FieldP P.inst_list 24>)"
    objects, any_ = POP.format("p11"), (again, POP.format("p50"))
    log = pair(*OTHER, objects, "guard_no_exception()"), pair(*any_, "guard_no_exception()")
    assert [is_proved(one) for one in log_of(*log)] == [False, False]


@pytest.mark.parametrize("kinds", ["SP", "PS"])
def test_a_strategy_with_lists_of_two_kinds_tells_nothing(kinds: str) -> None:
    def items(at: int, array: str) -> tuple[str, ...]:
        kind, name = ("r", "p") if array == "P" else ("i", "i")
        load = f"{name}{at + 3} = getarrayitem_gc_{kind}(p{at + 2}, 0, descr=<Array{array} 8>)"
        return f"p{at + 2} = getfield_gc_r(p{at}, descr={ITEMS})", load

    lists = (*in_storage(30, 40), *items(32, kinds[0]), *in_storage(40, 48), *items(42, kinds[1]), *in_storage(50, 56))
    length = f"i60 = getfield_gc_i(p52, descr={LENGTH})", f"setfield_gc(p52, 7, descr={LENGTH})"
    assert not is_proved(judged_bridge(*pair(*lists, *length)))


def test_a_list_of_the_optimized_trace_of_which_nothing_tells_is_of_the_only_kind() -> None:
    """Its items are not loaded there."""
    before, after = pair(*TELL)
    assert is_proved(judged_bridge(before, tuple(line for line in after if ITEMS not in line and "Array" not in line)))


def test_that_there_are_two_kinds_tells_nothing_of_a_list() -> None:
    before, after = pair(*OTHER, "setfield_gc(p0, i14, descr=<FieldS P.inst_n 40>)", *TELL)
    assert not is_proved(
        judged_bridge(before, tuple(line for line in after if ITEMS not in line and "Array" not in line))
    )


def lines(*texts: tuple[str | None, str, tuple[str, ...], str]) -> Printed:
    return Printed(("p0",), tuple(Line(*text) for text in texts))


LIST = (
    ("p1", "getfield_gc_r", ("p0",), ITEMS),
    ("i2", "getarrayitem_gc_i", ("p1", "0"), "<ArrayS 8>"),
    ("i3", "getfield_gc_i", ("p0",), LENGTH),
)


def test_a_pair_with_a_list_of_no_known_kind_stays_as_it_is() -> None:
    known, unknown = lines(*LIST), lines(*LIST, ("i5", "getfield_gc_i", ("p4",), LENGTH))
    told, assumed = with_lists(Sides(known, known), Sides(known, known))
    assert [line.descr for line in told.after.lines][2] == OF_INTEGERS
    assert assumed == (OF_ONE_KIND,)
    for sides in (Sides(unknown, known), Sides(known, known, Sides(unknown, known))):
        assert with_lists(sides, sides) == (sides, ())


def test_resume_data_that_stores_to_a_list_may_store_to_one_of_each_kind() -> None:
    trace = lines(("i3", "getfield_gc_i", ("p0",), OF_INTEGERS))
    assert named_kinds(frozenset({LENGTH}), trace.lines) == {LENGTH, OF_INTEGERS}
    assert named_kinds(frozenset({ITEMS}), trace.lines) == {ITEMS}
    assert named_kinds(None, trace.lines) is None


LOOKUP = (
    "i95 = call_i(ConstClass(ll_call_lookup_function_trampoline__v1___simple_call__function_), p0, p0, 1, 0, "
    "descr=<Calli 8 rrii EF=5 OS=4>)"
)


@pytest.mark.parametrize(("call", "leaves"), [(LOOKUP, True), (POP.format("p1"), False)])
def test_a_function_on_dicts_writes_no_integers_in_arrays(call: str, leaves: bool) -> None:
    start = "p1 = getfield_gc_r(p0, descr=<FieldP P.inst_q 24>)", "i2 = getarrayitem_gc_i(p1, 0, descr=<ArrayS 8>)"
    before = (*start, call, "guard_no_exception()", "i9 = getarrayitem_gc_i(p1, 0, descr=<ArrayS 8>)", "finish(i9)")
    after = (*start, call, "guard_no_exception(descr=<Guard0x11>) [p0]", "finish(i2)")
    assert is_proved(judged_bridge(before, after)) == leaves
