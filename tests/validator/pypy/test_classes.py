"""The classes of constant objects: what tells them, and what PyPy's optimizer is taken to know of them."""

from __future__ import annotations

import pytest

from tests.pypy_logs import POINT, WORK, bridge, judged, judged_last, loop, recorded
from validator import Proved
from validator.pypy.judge import Judged

ASSUMED = "constants that objects of Number are compared with are of other classes"
COUNT = "<FieldS Box.inst_count 8>"
STORE = f"setfield_gc(p1, 7, descr={COUNT})"
KNOWN = "guard_class(p0, ConstClass(Number))"


def compared(
    *,
    passes: str = "guard_false",
    same: str = "instance_ptr_eq",
    is_gone: bool = True,
    is_known: bool = True,
    line: int | None = None,
    class_: str = "Number",
) -> str:
    """A pair that compares an object with a constant in front of a store, at a line of the program."""
    test = (f"i2 = {same}(ConstPtr(ptr3), p0)", f"{passes}(i2)")
    known = (KNOWN.replace("Number", class_),) if is_known else ()
    point = () if line is None else (POINT.format(line=line),)
    before = recorded("[p0, p1]", *point, *known, *test, STORE, "finish(p1)")
    return before + optimized(*point, *known, *(() if is_gone else test))


def optimized(*kept: str) -> str:
    """The optimized trace of a pair, with these operations in front of the store."""
    lines = (
        f"{line[:-1]}, descr=<Guard0x1{at}>) [p0, p1]" if "guard" in line else line for at, line in enumerate(kept)
    )
    return bridge("[p0, p1]", *(f"+1: {line}" for line in (*lines, STORE, "finish(p1)")))


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


def test_two_pairs_say_that_no_such_constant_is_of_the_class() -> None:
    first, second = judged(compared() + compared(same="instance_ptr_ne", passes="guard_true"))
    assert is_proved(first)
    assert is_proved(second)
    assert first.texts is not None
    assert ASSUMED in first.texts.assumes


def test_one_pair_alone_would_say_of_itself_that_it_is_right() -> None:
    (one,) = judged(compared())
    assert not is_proved(one)


def test_a_comparison_that_stays_says_that_there_may_be_one() -> None:
    first, second, kept = judged(compared() * 2 + compared(is_gone=False))
    assert not is_proved(first)
    assert not is_proved(second)
    assert is_proved(kept)


def test_one_that_stays_where_the_class_is_not_known_says_nothing() -> None:
    first, *_ = judged(compared() * 2 + compared(is_gone=False, is_known=False))
    assert is_proved(first)


ITEM = "<FieldP Box.inst_item 16>"
LOADED = f"p6 = getfield_gc_r({{}}, descr={ITEM})"
PUT = ("p5 = new_with_vtable(descr=<SizeDescr 24>)", f"setfield_gc(p5, p0, descr={ITEM})")
BOXED = (PUT[0], f"setfield_gc(p5, ConstPtr(ptr4), descr={ITEM})")
BOTH = ("i3 = instance_ptr_eq(p0, p6)", "guard_false(i3)")
NOT_SAME = ("i2 = instance_ptr_eq(ConstPtr(ptr3), p6)", "guard_false(i2)")


def test_an_object_is_of_its_class_by_whatever_name() -> None:
    before = (*PUT, KNOWN, LOADED.format("p5"), *NOT_SAME, STORE, "finish(p1)")
    assert is_proved(judged_last(compared() * 2 + recorded("[p0, p1]", *before) + optimized(KNOWN)))


@pytest.mark.parametrize(("passes", "is_kept"), [("guard_false", True), ("guard_true", True), ("guard_true", False)])
def test_one_that_stays_or_is_the_constant_says_so_by_whatever_name(passes: str, *, is_kept: bool) -> None:
    test = NOT_SAME[0], f"{passes}(i2)"
    before = recorded("[p0, p1]", *PUT, KNOWN, LOADED.format("p5"), *test, STORE, "finish(p1)")
    kept = (NOT_SAME[0].replace("p6", "p0"), test[1]) if is_kept else ()
    first, *_ = judged(compared() * 2 + before + optimized(KNOWN, *kept))
    assert not is_proved(first)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # the optimized trace does not ask for the class
        ((*PUT, KNOWN, LOADED.format("p5"), *NOT_SAME), (NOT_SAME[0].replace("p6", "p0"), NOT_SAME[1])),
        (  # it has kept what it has known over a call
            (KNOWN, f"setfield_gc(p1, p0, descr={ITEM})", WORK.format("p1"), LOADED.format("p1"), *NOT_SAME),
            (KNOWN, WORK.format("p1"), NOT_SAME[0].replace("p6", "p0"), NOT_SAME[1]),
        ),
        (  # with a constant that has another name in the recorded trace, of which one stays, or is the object
            (*BOXED, KNOWN, LOADED.format("p5"), *BOTH),
            (BOTH[0].replace("p6", "ConstPtr(ptr14)"), BOTH[1]),
        ),
        ((*BOXED, KNOWN, LOADED.format("p5"), BOTH[0], BOTH[1].replace("false", "true")), (KNOWN,)),
    ],
)
def test_whatever_the_names_it_stays_or_is_the_constant(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    pair = recorded("[p0, p1]", *before, STORE, "finish(p1)") + optimized(*after)
    first, *_ = judged(compared() * 2 + pair)
    assert not is_proved(first)


@pytest.mark.parametrize(
    ("test", "kept"),
    [
        # kept for something else than a guard right behind it
        (NOT_SAME, (NOT_SAME[0].replace("p6", "p0"), "guard_value(i2, 0)")),
        ((NOT_SAME[0], "guard_value(i2, 1)"), ()),
        ((NOT_SAME[0], "i7 = int_is_zero(i2)", "guard_false(i7)"), ()),
        ((NOT_SAME[0].replace("instance_", ""), "guard_true(i2)"), ()),
    ],
)
def test_in_whatever_way_it_stays_or_is_the_constant(test: tuple[str, ...], kept: tuple[str, ...]) -> None:
    pair = recorded("[p0, p1]", *PUT, KNOWN, LOADED.format("p5"), *test, STORE, "finish(p1)") + optimized(KNOWN, *kept)
    first, *_ = judged(compared() * 2 + pair)
    assert not is_proved(first)


def test_that_one_of_another_name_is_gone_says_nothing_of_others() -> None:
    before = recorded("[p0, p1]", *PUT, KNOWN, LOADED.format("p5"), *NOT_SAME, STORE, "finish(p1)")
    assert not is_proved(judged_last((before + optimized(KNOWN)) * 2 + compared()))


def test_a_trace_without_a_pair_says_that_one_is_the_constant_by_whatever_name() -> None:
    test = NOT_SAME[0], "guard_true(i2)"
    alone = recorded("[p0, p1]", *PUT, KNOWN, LOADED.format("p5"), *test, STORE, "finish(p1)")
    assert is_proved(judged_last(compared() * 2))
    assert not is_proved(judged_last(alone + compared() * 2))


def test_a_constant_by_another_name_is_none_of_those_at_its_place() -> None:
    """It is compared in front of the one there, of which two pairs speak."""
    point = POINT.format(line=9)
    test = ("i2 = instance_ptr_eq(ConstPtr(ptr3), p0)", "guard_false(i2)")
    before = recorded("[p0, p1]", point, *BOXED, KNOWN, LOADED.format("p5"), *BOTH, *test, STORE, "finish(p1)")
    other = compared(passes="guard_true", is_gone=False, line=8)
    of_place = compared(line=9) * 2 + other
    assert not is_proved(judged_last(of_place + before + optimized(point, KNOWN)))


def test_another_one_may_be_the_constant_by_the_time() -> None:
    """A guard behind the comparison finds both to be one."""
    loaded, found = LOADED.format("p1"), ("i4 = ptr_eq(p0, p6)", "guard_true(i4)")
    before = recorded("[p0, p1]", loaded, KNOWN, *NOT_SAME, STORE, *found, "finish(p1)")
    guards = [f"{guard[:-1]}, descr=<Guard0x3{at}>) [p0, p1]" for at, guard in enumerate((KNOWN, found[1]))]
    after = (loaded, guards[0], STORE, found[0], guards[1], "finish(p1)")
    wrong = before + bridge("[p0, p1]", *(f"+1: {line}" for line in after))
    assert not is_proved(judged_last(compared() * 2 + wrong))


def test_an_object_that_is_the_constant_shows_that_there_is_one() -> None:
    first, *_ = judged(compared() * 2 + compared(passes="guard_true", is_gone=False))
    assert not is_proved(first)


def test_an_object_that_is_the_constant_has_to_be_compared() -> None:
    wrong = judged_last(compared() * 2 + compared(passes="guard_true"))
    assert not is_proved(wrong)


def test_nothing_is_assumed_where_the_class_is_not_known() -> None:
    wrong = judged_last(compared() * 2 + compared(is_known=False))
    assert not is_proved(wrong)


def test_pointers_that_are_compared_by_address_alone_may_be_of_any_class() -> None:
    wrong = judged_last(compared() * 2 + compared(same="ptr_eq"))
    assert not is_proved(wrong)


def test_one_place_of_the_program_compares_with_one_constant() -> None:
    other = compared(passes="guard_true", is_gone=False, line=8)
    first, second, _ = judged(compared(line=9) * 2 + other)
    assert is_proved(first)
    assert is_proved(second)
    assert first.texts is not None
    assert ASSUMED.replace(" are of", " at one place are of") in first.texts.assumes


def test_codes_that_share_their_places_may_compare_with_two() -> None:
    other = compared(passes="guard_true", is_gone=False, line=8)
    log = compared(line=9) * 2 + other
    for code in ("<lambda>;a.py", "f;<string>"):
        first, second, _ = judged(log.replace("f;a.py", code))
        assert not is_proved(first)
        assert not is_proved(second)


def other_classes(*, is_known: bool) -> list[Judged]:
    """Pairs that leave comparisons of objects of two classes out at one place; a third one that compares there; and at
    another place objects of both classes that are the constant."""
    same = "".join(compared(passes="guard_true", is_gone=False, line=8, class_=name) for name in ("Number", "Text"))
    third = compared(line=9, class_="List", is_gone=False, is_known=is_known)
    return judged(compared(line=9) + compared(line=9, class_="Text") + third + same)


def test_the_constant_at_one_place_is_of_none_of_the_classes_of_what_is_compared_with_it() -> None:
    first, second, *_ = other_classes(is_known=False)
    assert is_proved(first)
    assert is_proved(second)
    assert first.texts is not None
    assert ASSUMED.replace(" are of", " at one place are of") in first.texts.assumes


def test_the_constant_at_one_place_may_be_of_any_class_where_one_is_compared_with_it() -> None:
    first, second, *_ = other_classes(is_known=True)
    assert not is_proved(first)
    assert not is_proved(second)


def test_what_one_pair_leaves_out_at_each_place_says_nothing_of_either() -> None:
    other = compared(passes="guard_true", is_gone=False, line=7)
    first, second, _ = judged(compared(line=8) + compared(line=9) + other)
    assert not is_proved(first)
    assert not is_proved(second)


def test_a_comparison_that_stays_at_the_same_place_says_that_there_may_be_one_there() -> None:
    first, second, kept = judged(compared(line=9) * 2 + compared(is_gone=False, line=9))
    assert not is_proved(first)
    assert not is_proved(second)
    assert is_proved(kept)


def test_a_bytecode_compares_objects_of_all_classes_with_constants_of_others() -> None:
    first, second = judged(compared(line=8) + compared(line=9, class_="Text"))
    assert is_proved(first)
    assert is_proved(second)
    assert first.texts is not None
    assert ASSUMED.replace(" are of", " in FOR_ITER are of") in first.texts.assumes


@pytest.mark.parametrize("asks", ["IS_OP", "COMPARE_OP", "CONTAINS_OP", "JUMP_IF_NOT_EXC_MATCH", "CALL_FUNCTION"])
def test_a_bytecode_that_compares_objects_of_the_program_says_nothing(asks: str) -> None:
    first, second = judged((compared(line=8) + compared(line=9, class_="Text")).replace("FOR_ITER", asks))
    assert not is_proved(first)
    assert not is_proved(second)


@pytest.mark.parametrize(
    "other",
    [
        compared(line=7, class_="Item", is_gone=False),
        compared(line=7, class_="Item", passes="guard_true", is_gone=False),
    ],
)
def test_a_comparison_that_a_bytecode_needs_shows_that_its_constant_may_be_of_the_class(other: str) -> None:
    first, second, _ = judged(compared(line=8) + compared(line=9, class_="Text") + other)
    assert not is_proved(first)
    assert not is_proved(second)


def test_an_object_of_which_no_class_is_known_is_compared_by_every_bytecode() -> None:
    wrong = judged_last(compared(line=8) + compared(line=9) + compared(line=7, is_known=False))
    assert not is_proved(wrong)


def one_of_two(kept: int, line: int = 9) -> str:
    """A pair that finds an object not to be a constant, and then to be another one; the optimizer keeps one of both
    comparisons, if `kept` is one of them."""
    tests = [
        ("i2 = instance_ptr_eq(ConstPtr(ptr3), p0)", "guard_false(i2)"),
        ("i3 = instance_ptr_eq(ConstPtr(ptr4), p0)", "guard_true(i3)"),
    ]
    known = (POINT.format(line=line), KNOWN)
    left = tests[kept] if kept < len(tests) else ()
    return recorded("[p0, p1]", *known, *tests[0], *tests[1], STORE, "finish(p1)") + optimized(*known, *left)


def test_a_comparison_that_finds_the_constant_says_nothing_of_one_in_front() -> None:
    first, second = judged(one_of_two(kept=1, line=8) + one_of_two(kept=1))
    assert is_proved(first)
    assert is_proved(second)


def test_constants_that_a_value_is_and_is_not_differ() -> None:
    (one,) = judged(one_of_two(kept=1))
    assert is_proved(one)
    assert one.texts is not None
    assert not any("compared" in assumed for assumed in one.texts.assumes)


@pytest.mark.parametrize("kept", [0, 2])
def test_constants_differ_only_where_the_optimizer_still_asks_for_one_of_them(kept: int) -> None:
    (wrong,) = judged(one_of_two(kept=kept))
    assert not is_proved(wrong)


def test_constants_that_two_values_are_and_are_not_may_be_one() -> None:
    log = one_of_two(kept=1)
    for found in ("ConstPtr(ptr4), p0", "+1: i3 = instance_ptr_eq(ConstPtr(ptr4), p0"):
        log = log.replace(found, found.replace("p0", "p1"))
    (wrong,) = judged(log)
    assert not is_proved(wrong)


def found_behind(function: str, effect: int) -> str:
    """A pair that finds what a field holds to be of a class, calls a function on a list, and finds the constant that
    the field holds; the optimizer asks for the constant at once."""
    field, call = "<FieldP Set.inst_strategy 8>", f"call_n(ConstClass({function}), p1, descr=<Callv 0 r EF={effect}>)"
    load, end = f"p{{}} = getfield_gc_r(p0, descr={field})", "finish(p1)"
    behind = (load.format(3), "guard_value(p3, ConstPtr(ptr4))")
    before = recorded("[p0, p1]", load.format(2), "guard_class(p2, ConstClass(Ints))", call, *behind, end)
    guard = "guard_value(p2, ConstPtr(ptr5), descr=<Guard0x11>) [p0, p1]"
    return before + bridge("[p0, p1]", *(f"+1: {line}" for line in (load.format(2), guard, call, end)))


def test_the_class_of_a_constant_that_is_found_behind_a_function_on_lists() -> None:
    (one,) = judged(found_behind("ll_reverse_trampoline__v1___simple_call__function_", 5))
    assert is_proved(one)
    (wrong,) = judged(found_behind("reverse", 7))
    assert not is_proved(wrong)


@pytest.mark.parametrize("kept", [0, 2])
def test_the_comparison_that_finds_the_constant_has_to_stay(kept: int) -> None:
    wrong = judged_last(one_of_two(kept=1) * 2 + one_of_two(kept=kept))
    assert not is_proved(wrong)


def behind_another(first: str) -> str:
    """A pair that leaves the second comparison at a place of the program out, behind that answer of the first."""
    point = POINT.format(line=9)
    tests = (point, "i2 = instance_ptr_eq(ConstPtr(ptr3), p1)", f"{first}(i2)", KNOWN)
    last = ("i3 = instance_ptr_eq(ConstPtr(ptr4), p0)", "guard_false(i3)")
    return recorded("[p0, p1]", *tests, *last, STORE, "finish(p1)") + optimized(*tests)


def test_behind_another_answer_a_place_compares_with_another_constant() -> None:
    kept = compared(is_gone=False, line=7)
    assert is_proved(judged(behind_another("guard_false") * 2 + kept)[0])
    first, second, _ = judged(behind_another("guard_false") + behind_another("guard_true") + kept)
    assert not is_proved(first)
    assert not is_proved(second)


@pytest.mark.parametrize("kept", [0, 1])
def test_where_an_object_is_compared_in_front_of_its_class_the_answer_may_be_known(kept: int) -> None:
    tests = [(f"i{at} = instance_ptr_eq(ConstPtr(ptr{at}), p0)", f"guard_false(i{at})") for at in (3, 4, 5)]
    flat = [*tests[0], KNOWN, *tests[1], *tests[2]]
    log = recorded("[p0, p1]", *flat, STORE, "finish(p1)") + optimized(*flat[: 3 + 2 * kept])
    assert not any(map(is_proved, judged(log * 2 + compared())))


def compared_before(kept: int = 0, line: int = 9) -> str:
    """A pair that compares an object twice at a place where its class is known, and with another constant in front;
    the optimized one compares it there so often."""
    first, *others = [(f"i{at} = instance_ptr_eq(ConstPtr(ptr{at}), p0)", f"guard_false(i{at})") for at in (3, 4, 5)]
    flat = [POINT.format(line=8), *first, KNOWN, POINT.format(line=line), *others[0], *others[1]]
    return recorded("[p0, p1]", *flat, STORE, "finish(p1)") + optimized(*flat[: 5 + 2 * kept])


def test_behind_other_comparisons_two_pairs_say_that_one_place_compares_with_other_classes() -> None:
    contradicted = compared(is_gone=False, line=7)
    first, second, _ = judged(compared_before() * 2 + contradicted)
    assert is_proved(first)
    assert is_proved(second)
    assert not any(map(is_proved, judged(compared_before() + contradicted)[:1]))
    assert not any(map(is_proved, judged(compared_before() + compared_before(line=10) + contradicted)[:2]))
    shared = (compared_before() * 2 + contradicted).replace("f;a.py", "<lambda>;a.py")
    assert not any(map(is_proved, judged(shared)[:2]))


@pytest.mark.parametrize("other", [compared_before(kept=1), compared(is_gone=False, line=9)])
def test_one_that_stays_there_says_that_there_may_be_one_behind_others_too(other: str) -> None:
    first, second, *_ = judged(compared_before() * 2 + other)
    assert not is_proved(first)
    assert not is_proved(second)


def test_what_is_gone_behind_others_says_nothing_of_an_object_that_was_not_compared() -> None:
    contradicted = compared(is_gone=False, line=7)
    last = judged_last(compared_before() * 2 + contradicted + compared())
    assert not is_proved(last)


@pytest.mark.parametrize("is_there", [True, False])
def test_an_object_that_the_optimized_trace_does_not_have_may_be_known(*, is_there: bool) -> None:
    load = "p5 = getfield_gc_r(ConstPtr(ptr1), descr=<FieldP Holder.inst_held 8 pure>)"
    known = KNOWN.replace("p0", "p5")
    test = ("i2 = instance_ptr_eq(ConstPtr(ptr3), p5)", "guard_false(i2)")
    log = recorded("[p0, p1]", load, known, *test, STORE, "finish(p1)") + optimized(*(load, known) * is_there)
    last = judged_last(log * 2 + compared())
    assert is_proved(last) is is_there


def promoted(class_: str = "Number", other: str = "p0") -> str:
    """A pair that finds an object to be a constant, behind the test of a class; the optimizer leaves that test out."""
    value = "guard_value(p0, ConstPtr({}){})"
    before = recorded(
        "[p0, p1]",
        f"guard_class({other}, ConstClass({class_}))",
        value.format("ptr2", ""),
        STORE,
        "finish(p1)",
    )
    lines = (f"{value.format('ptr3', ', descr=<Guard0x11>')} [p0, p1]", STORE, "finish(p1)")
    return before + bridge("[p0, p1]", *(f"+1: {line}" for line in lines))


def test_an_object_that_is_a_constant_tells_the_class_of_that() -> None:
    (one,) = judged(promoted())
    assert is_proved(one)


def test_another_object_does_not() -> None:
    (wrong,) = judged(promoted(other="p1"))
    assert not is_proved(wrong)


def put_by(index: str = "1", store: str = "setarrayitem_gc(p2, 1, ConstPtr(ptr5), descr=<ArrayP 8>)") -> str:
    """A pair that stores a constant into a new array, and finds out the class of what stands there; the optimizer
    leaves that test out."""
    new = "p2 = new_array_clear(2, descr=<ArrayP 8>)"
    before = recorded(
        "[p0, p1, i4]",
        new,
        store,
        f"p3 = getarrayitem_gc_r(p2, {index}, descr=<ArrayP 8>)",
        "guard_class(p3, ConstClass(Number))",
        "setfield_gc(p3, 7, descr=<FieldS Number.inst_count 8>)",
        "finish(p1)",
    )
    lines = ("setfield_gc(ConstPtr(ptr6), 7, descr=<FieldS Number.inst_count 8>)", "finish(p1)")
    return before + bridge("[p0, p1, i4]", *(f"+1: {line}" for line in lines))


def test_a_constant_that_the_trace_itself_has_put_there_tells_its_class() -> None:
    (one,) = judged(put_by())
    assert is_proved(one)


def test_what_may_stand_elsewhere_does_not() -> None:
    (wrong,) = judged(put_by(index="i4"))
    assert not is_proved(wrong)


def test_what_was_there_before_does_not() -> None:
    (wrong,) = judged(put_by(store="setarrayitem_gc(p2, i4, ConstPtr(ptr5), descr=<ArrayP 8>)"))
    assert not is_proved(wrong)


NEXT, OTHER = "<FieldP Node.inst_next 8>", "<FieldP Node.inst_other 16>"


def iteration(at: int, guard: str, *, is_compared: bool = True) -> tuple[str, ...]:
    """An iteration, which compares an object of a known class with a constant, and another one; `guard` is put behind
    the arguments of guards."""
    test = (f"i{at}1 = instance_ptr_eq(ConstPtr(ptr{at}1), p{at}0)", f"guard_false(i{at}1{guard}1")
    return (
        f"p{at}0 = getfield_gc_r(p0, descr={NEXT})",
        f"guard_class(p{at}0, ConstClass(Number){guard}2",
        *(test if is_compared else ()),
        f"p{at}2 = getfield_gc_r(p0, descr={OTHER})",
        f"i{at}3 = instance_ptr_eq(ConstPtr(ptr{at}3), p{at}2)",
        f"guard_false(i{at}3{guard}3",
        WORK.format("p0"),
    )


def peeled(*kept: int) -> str:
    """A loop that was peeled, whose iterations that are `kept` have the first comparison."""
    before = (line.partition(")#")[0] + ")" * (")#" in line) for line in iteration(1, ")#"))
    first, second = (iteration(at, f", descr=<Guard0x{at}", is_compared=at in kept) for at in (1, 2))
    lines = ("label(p0, descr=TargetToken(1))", *first, "label(p0, descr=TargetToken(2))", *second)
    after = (f"+1: {line}{'>) [p0]' * ('Guard' in line)}" for line in lines)
    ends = (f"jump(p0, descr={target})" for target in ("<Loop-1>", "TargetToken(2)"))
    return recorded("[p0]", *before, next(ends)) + loop("[p0]", *after, f"+1: {next(ends)}")


def test_what_the_preamble_of_a_peeled_loop_leaves_out_speaks_for_it() -> None:
    first, second = judged(peeled() + compared())
    assert is_proved(first), first.verdict
    assert is_proved(second)


def test_what_only_the_body_leaves_out_may_be_known_from_the_preamble() -> None:
    first, second = judged(peeled(1) + compared())
    assert not is_proved(first)
    assert not is_proved(second)
