"""Contradictions of what is inferred: by several calls, by what recorded traces find, by traces without a pair."""

from __future__ import annotations

import pytest

from tests.pypy_logs import BOX, COUNT, WORK, bridge, judged, recorded
from tests.validator.pypy import test_classes, test_lengths, test_lone
from validator import Failed, Proved, Unsupported
from validator.pypy.inferred.accesses import Accesses
from validator.pypy.inferred.sameness import sameness_in
from validator.pypy.printed.lines import Line, Printed
from validator.pypy.printed.straight import BEFORE

CALLED = WORK.format("p0")
OTHER = CALLED.replace("work", "other")
RESIZED = (
    "cond_call(i9, ConstClass(_ll_list_resize_hint_really_look_inside_iff__listPtr_Signed_Bool), p5, i9, 1, "
    "descr=<Callv 0 rii EF=5>)"
)
SUM = ("i4 = int_add(i1, i3)", "finish(i4)")


def load(number: int, descr: str = COUNT) -> str:
    return f"i{number} = getfield_gc_i(p0, descr={descr})"


def pair(before: tuple[str, ...], after: tuple[str, ...] | None = None) -> str:
    inputs = "[p0, p5, i9]"
    optimized = (f"+1: {line}" for line in (before if after is None else after))
    return recorded(inputs, *before) + bridge(inputs, *optimized)


def forwarded(call: str = CALLED, descr: str = COUNT) -> str:
    """A pair that is right if the function does not write the field."""
    return pair((load(1, descr), call, load(3, descr), "finish(i3)"), (load(1, descr), call, "finish(i1)"))


@pytest.mark.parametrize(("found", "is_told"), [(0, True), (1, False), (2, False), (3, True)])
def test_an_object_that_is_found_to_be_a_constant_keeps_its_fields_over_a_call(found: int, *, is_told: bool) -> None:
    """So PyPy's optimizer has it, even where the function does write the field."""
    before, after = [load(1), CALLED, load(3), "finish(i3)"], [load(1), CALLED, "finish(i1)"]
    before.insert(found, "guard_value(p0, ConstPtr(ptr7))")
    after.insert(min(found, 2), "guard_value(p0, ConstPtr(ptr17), descr=<Guard0x7f>) [p0, p5, i9]")
    assert are_proved(pair(tuple(before), tuple(after))) is is_told


def are_proved(log: str, count: int = 1) -> bool:
    return all(isinstance(one.verdict, Proved) for one in judged(log)[:count])


def over_a_store(into: str, again: str = "") -> str:
    """A pair in which another object is stored to in front of the call, or the optimized trace loads behind it."""
    made = ("p8 = new_with_vtable(descr=<SizeDescr 16>)",) if into == "p8" else ()
    first = (load(1), *made, f"setfield_gc({into}, i9, descr={COUNT})", CALLED)
    behind = (again, "finish(i3)") if again else ("finish(i1)",)
    return pair((*first, load(3), "finish(i3)"), (*first, *behind))


@pytest.mark.parametrize(("into", "is_told"), [("p8", True), ("p5", False)])
def test_a_store_to_a_new_object_changes_no_older_one(into: str, *, is_told: bool) -> None:
    assert are_proved(over_a_store(into)) is is_told


@pytest.mark.parametrize(("at", "is_older"), [(0, True), (1, False)])
def test_what_is_seen_only_behind_the_allocation_may_be_the_new_one(at: int, *, is_older: bool) -> None:
    lines = [
        Line("p8", "new_with_vtable", (), "<SizeDescr 16>"),
        Line("i1", "getfield_gc_i", ("p7",), COUNT),
        Line(None, "setfield_gc", ("p8", "3"), COUNT),
        Line("i2", "getfield_gc_i", ("p7",), COUNT),
    ]
    lines.insert(at, Line("p7", "getfield_gc_r", ("p0",), "<FieldP Node.inst_next 8>"))
    trace = Printed(("p0",), tuple(lines))
    again = [(one.at, other.at) for one, other in Accesses(BEFORE, trace, sameness_in(trace)).again()]
    assert again == ([(2, 4)] if is_older else [])


def test_behind_a_store_to_another_object_pypys_optimizer_may_load_again() -> None:
    assert are_proved(forwarded() + over_a_store("p8", load(3)), 2)


def alone(log: str) -> str:
    """The recorded trace of the only pair, which PyPy has given up."""
    return log[: log.index("[1] {jit-log-opt")]


@pytest.mark.parametrize(
    ("between", "is_one"),
    [((CALLED, CALLED), True), ((CALLED, RESIZED), True), ((CALLED, OTHER), False), ((OTHER,), False)],
)
def test_a_load_again_behind_calls_of_one_function(between: tuple[str, ...], *, is_one: bool) -> None:
    again = pair((load(1), *between, load(3), *SUM))
    assert are_proved(forwarded())
    assert are_proved(forwarded() + again) is not is_one
    unpaired = again[again.index("[1] {jit-log-opt") :]
    assert are_proved(forwarded() + unpaired) is not is_one
    asks = "guard_nonnull(p0)"
    hands_over_too_early = (f"{asks[:-1]}, descr=<Guard0x92>) [i3]", load(1), *between, load(3), *SUM)
    unread = pair((asks, load(1), *between, load(3), *SUM), hands_over_too_early)
    assert isinstance(judged(unread)[0].verdict, Unsupported | Failed)
    assert are_proved(forwarded() + unread) is not is_one


@pytest.mark.parametrize("again", [load(3), "guard_not_invalidated()"])
def test_what_the_optimizer_may_have_forgotten_says_nothing(again: str) -> None:
    checks, store = "guard_not_invalidated()", "gc_store(p5, i9, 7, 8)"
    known = pair((checks, load(1), CALLED, store, again, "finish(i1)"))
    assert are_proved(forwarded() + known)
    once = pair((checks, CALLED, checks, "finish()"), (checks, CALLED, "finish()"))
    assert are_proved(once + known)


def test_of_two_functions_one_at_least_writes() -> None:
    again = pair((load(1), CALLED, OTHER, load(3), *SUM))
    assert are_proved(forwarded() + forwarded(OTHER), 2)
    first, second, _ = judged(forwarded() + forwarded(OTHER) + again)
    assert not isinstance(first.verdict, Proved)
    assert not isinstance(second.verdict, Proved)


@pytest.mark.parametrize(("other", "is_right"), [(CALLED, False), (OTHER, True), (RESIZED, False)])
def test_a_check_again_behind_calls_of_one_function(other: str, *, is_right: bool) -> None:
    checks = "guard_not_invalidated()"
    once = pair((checks, CALLED, checks, "finish()"), (checks, CALLED, "finish()"))
    again = pair((checks, CALLED, other, checks, "finish()"))
    assert are_proved(once)
    assert are_proved(once + again) is is_right


def found(first: tuple[str, ...], second: tuple[str, ...], call: str = CALLED, descr: str = COUNT) -> str:
    return pair((load(1, descr), *first, call, load(3, descr), *second, "finish(i3)"))


IS = {
    "0": ("i2 = int_eq(i1, 0)", "guard_true(i2)"),
    "not 0": ("i2 = int_is_true(i1)", "guard_true(i2)"),
    "7": ("guard_value(i1, 7)",),
    "not 7": ("i2 = int_eq(i1, 7)", "guard_false(i2)"),
    "true": ("guard_true(i1)",),
    "false": ("guard_false(i1)",),
    "7 as well": ("i2 = int_ne(i1, 7)", "guard_false(i2)"),
}


@pytest.mark.parametrize(
    ("first", "second", "is_other"),
    [
        ("0", "7", True),
        ("0", "not 0", True),
        ("true", "false", True),
        ("7", "7", False),
        ("7", "not 7", True),
        ("not 7", "7 as well", True),
        ("7", "7 as well", False),
        ("not 0", "false", True),
        ("7", "not 0", False),
        ("not 0", "not 7", False),
        ("not 7", "false", False),
    ],
)
@pytest.mark.parametrize("descr", [COUNT, BOX])
def test_what_a_recorded_trace_has_found_to_change(first: str, second: str, descr: str, *, is_other: bool) -> None:
    behind = tuple(line.replace("i1", "i3").replace("i2", "i4") for line in IS[second])
    log = found(IS[first], behind, descr=descr)
    assert are_proved(forwarded(descr=descr) + alone(log)) is not is_other
    by_itself = (load(1, descr), *IS[first], CALLED, load(3, descr), *behind, "finish(i3)")
    kept = [line.replace("i3", "i1") for line in (by_itself[0], CALLED, by_itself[-1])]
    if is_other:
        assert not are_proved(forwarded(descr=descr) + pair(by_itself, tuple(kept)))


@pytest.mark.parametrize(
    ("first", "second", "is_other"),
    [
        ("guard_class(p1, ConstClass(A))", "guard_class(p3, ConstClass(B))", True),
        ("guard_class(p1, ConstClass(A))", "guard_class(p3, ConstClass(A))", False),
        ("guard_nonnull_class(p1, ConstClass(A))", "guard_isnull(p3)", True),
        ("guard_nonnull(p1)", "guard_value(p3, ConstPtr(null))", True),
        ("guard_nonnull(p1)", "guard_value(p3, ConstPtr(ptr7))", False),
        ("guard_value(p1, ConstPtr(ptr7))", "guard_value(p3, ConstPtr(ptr8))", False),  # names of one object, perhaps
        ("guard_nonnull(p1)", "i4 = ptr_eq(p1, p3)\nguard_false(i4)", True),
        ("guard_nonnull(p1)", "i4 = instance_ptr_ne(p1, p3)\nguard_true(i4)", True),
        ("guard_nonnull(p1)", "i4 = ptr_eq(p1, p3)\nguard_true(i4)", False),
    ],
)
def test_objects_that_a_recorded_trace_has_found_to_be_others(first: str, second: str, *, is_other: bool) -> None:
    loads = [f"p{number} = getfield_gc_r(p0, descr=<FieldP Counter.inst_place 24>)" for number in (1, 3)]
    wrong = pair((loads[0], CALLED, loads[1], "finish(p3)"), (loads[0], CALLED, "finish(p1)"))
    lines = (loads[0], *first.splitlines(), CALLED, loads[1], *second.splitlines(), "finish(p3)")
    assert are_proved(wrong)
    assert are_proved(wrong + recorded("[p0]", *lines)) is not is_other


@pytest.mark.parametrize(("looks", "changes"), [(True, True), (False, False)])
def test_a_new_object_may_be_stored_to_until_somebody_looks(*, looks: bool, changes: bool) -> None:
    made, stores = (
        "p1 = new_with_vtable(descr=<SizeDescr 16>)",
        [f"setfield_gc(p1, {at}, descr={BOX})" for at in (3, 4)],
    )
    look = [load(2, BOX).replace("p0", "p1")] if looks else []
    log = recorded("[p0]", made, stores[0], *look, stores[1], "finish(p1)")
    assert are_proved(forwarded(descr=BOX) + log) is not changes


@pytest.mark.parametrize("descr", [COUNT, BOX])
def test_a_value_in_between_of_which_nothing_is_found(descr: str) -> None:
    loads = (load(1, descr), "guard_value(i1, 3)", load(2, descr), CALLED, load(3, descr), "guard_value(i3, 4)")
    assert not are_proved(forwarded(descr=descr) + recorded("[p0]", *loads, "finish(i2)"))


def test_a_new_object_that_was_stored_to_twice_holds_the_last_number() -> None:
    made, last = "p1 = new_with_vtable(descr=<SizeDescr 16>)", load(2, BOX).replace("p0", "p1")
    stores = [f"setfield_gc(p1, {at}, descr={BOX})" for at in (3, 4)]
    lines = (made, *stores, last, "guard_value(i2, 4)", "finish(p1)")
    assert are_proved(forwarded(descr=BOX) + recorded("[p0]", *lines))


def test_a_number_that_is_stored_and_another_one_that_is_found() -> None:
    made, store = "p1 = new_with_vtable(descr=<SizeDescr 16>)", f"setfield_gc(p1, 3, descr={BOX})"
    again = (CALLED.replace("p0", "p1"), load(2, BOX).replace("p0", "p1"), "guard_value(i2, 4)", "finish(p1)")
    assert not are_proved(forwarded(descr=BOX) + recorded("[p0]", made, store, *again))


def test_another_function_may_have_changed_it() -> None:
    assert are_proved(forwarded() + found(IS["0"], ("guard_value(i3, 7)",), OTHER))


@pytest.mark.parametrize(("lines", "changes"), [(("i2 = int_add(i1, 1)",), True), ((), False)])
def test_a_field_that_a_trace_has_read_and_stores_to_changes(lines: tuple[str, ...], *, changes: bool) -> None:
    store = f"setfield_gc(p0, i{2 if lines else 1}, descr={BOX})"
    stored = pair((load(1, BOX), *lines, store, "finish(i1)"))
    assert are_proved(forwarded(descr=BOX) + stored) is not changes


@pytest.mark.parametrize(("between", "are_two"), [((), True), ((CALLED,), False)])
def test_constants_that_a_recorded_trace_has_found_to_differ(between: tuple[str, ...], *, are_two: bool) -> None:
    first, second = (f"p{at} = getfield_gc_r(ConstPtr(ptr{at}), descr={test_lone.HOOKS})" for at in (2, 3))
    log = recorded("[p0]", first, "guard_isnull(p2)", *between, second, "guard_nonnull(p3)", "finish(p0)")
    assert are_proved(test_lone.asked() * 2 + log, 2) is not are_two


def test_an_object_with_the_field_that_a_trace_without_a_pair_makes() -> None:
    made, store = "p5 = new_with_vtable(descr=<SizeDescr 64>)", f"setfield_gc(p5, p1, descr={test_lone.HOOKS})"
    assert are_proved(test_lone.asked() * 2, 2)
    assert not are_proved(test_lone.asked() * 2 + recorded("[p0, p1]", made, store, "finish(p5)"))


@pytest.mark.parametrize("is_known_later", [False, True])
@pytest.mark.parametrize(("asks", "is_right"), [("guard_true(i2)", False), ("guard_false(i2)", True)])
def test_an_object_that_a_trace_without_a_pair_finds_to_be_the_constant(
    asks: str, *, is_right: bool, is_known_later: bool
) -> None:
    compared = ("i2 = instance_ptr_eq(ConstPtr(ptr3), p0)", asks)
    known = (test_classes.KNOWN,)
    lines = (*compared, *known, "finish(p1)") if is_known_later else (*known, *compared, "finish(p1)")
    assert are_proved(test_classes.compared() * 2 + recorded("[p0, p1]", *lines)) is is_right


def test_a_comparison_that_an_optimized_trace_without_a_pair_still_does() -> None:
    pairs, kept = test_classes.compared() * 2, test_classes.compared(is_gone=False)
    assert not are_proved(pairs + kept[kept.index("[1] {jit-log-opt") :])


@pytest.mark.parametrize(("passes", "is_right"), [("guard_true(i5)", False), ("guard_false(i5)", True)])
def test_strings_that_a_trace_without_a_pair_finds_equal(passes: str, *, is_right: bool) -> None:
    log = test_lengths.compared(passes=passes)
    assert are_proved(test_lengths.compared() * 2 + alone(log), 2) is is_right


def test_strings_that_an_optimized_trace_without_a_pair_compares() -> None:
    kept = test_lengths.compared(
        "i3 = int_add(i2, 1)",
        "p4 = call_r(ConstClass(_ll_stringslice), p1, i2, i3, descr=<Callr 8 rii EF=3 OS=23>)",
        "i5 = call_i(ConstClass(ll_streq), p4, ConstPtr(ptr6), descr=<Calli 1 rr EF=0 OS=24>)",
        "guard_false(i5, descr=<Guard0x92>) []",
    )
    unpaired = kept[kept.index("[1] {jit-log-opt") :]
    assert not are_proved(test_lengths.compared() * 2 + unpaired, 2)


LIST = "<FieldS list.length 8>"


@pytest.mark.parametrize(("between", "is_one"), [((CALLED,), True), ((CALLED, OTHER), False)])
def test_a_load_again_of_what_functions_are_given(between: tuple[str, ...], *, is_one: bool) -> None:
    """`other` is given another object here, so that it is none of those that change what they are given."""
    calls = tuple(line.replace("other), p0", "other), p5") for line in between)
    again = pair((load(1, LIST), *calls, load(3, LIST), *SUM))
    assert are_proved(forwarded(descr=LIST))
    both = forwarded(descr=LIST) + forwarded(OTHER, descr=LIST)
    assert are_proved(both, 2)
    assert are_proved(both + again, 2) is not is_one
