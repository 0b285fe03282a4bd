"""Constant strings of one character: which one is inferred of places of the program."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, judged_last, judged_together, loop, recorded
from validator import Proved, Unknown
from validator.pypy.judge import Judged

POINT = "debug_merge_point(0, 0, 'f;a.py:4-{line}~#40 COMPARE_OP')"
EQUAL = "{} = call_pure_i(ConstClass(ll_streq), p0, ConstPtr(ptr{}), descr=<Calli 1 rr EF=0 OS=24>)"
IS_CHARACTER = "{} = call_i(ConstClass(_ll_eq_checknull_char), p0, {}, descr=<Calli 8 ri EF=0 OS=30>)"
ASSUMED = 'the constant that a string is compared with at f;a.py:4-9~#40 COMPARE_OP is "\\\\"'


def compared(*characters: int, line: int = 9, constants: int | None = None, asks: str = "") -> str:
    """A pair that compares a string with constants, which the optimizer takes for these characters."""
    point, numbers = POINT.format(line=line), range(len(characters) if constants is None else constants)
    asked = (f"i50 = ptr_eq(p1, ConstPtr({asks}))", "guard_false(i50)") if asks else ()
    before = [one for at in numbers for one in (EQUAL.format(f"i{at + 2}", at), f"guard_false(i{at + 2})")]
    after = [
        one
        for at, character in enumerate(characters)
        for one in (IS_CHARACTER.format(f"i{at + 2}", character), f"guard_false(i{at + 2}, descr=<Guard0x1{at}>) [p0]")
    ]
    kept = [one.replace("(i50)", "(i50, descr=<Guard0x99>) [p0]") for one in asked]
    return recorded("[p0, p1]", point, *before, *asked, "finish(p0)") + bridge(
        "[p0, p1]", point, *(f"+1: {one}" for one in (*after, *kept, "finish(p0)"))
    )


def is_proved(one: Judged) -> bool:
    return isinstance(one.verdict, Proved)


def test_two_pairs_say_which_character_a_constant_is() -> None:
    first, second = judged(compared(92) * 2)
    assert is_proved(first)
    assert is_proved(second)
    assert first.texts is not None
    assert ASSUMED in first.texts.assumes


def test_one_pair_alone_would_say_of_itself_that_it_is_right() -> None:
    (one,) = judged(compared(92))
    assert not is_proved(one)


def test_another_character_at_the_same_place_contradicts_it() -> None:
    assert not any(map(is_proved, judged(compared(92) * 2 + compared(93))))


@pytest.mark.parametrize("wrong", [(93, 47), (92, 46), (47, 92)])
def test_comparisons_at_one_bytecode_are_told_apart(wrong: tuple[int, int]) -> None:
    assert all(map(is_proved, judged(compared(92, 47) * 2)))
    assert not any(map(is_proved, judged(compared(92, 47) * 2 + compared(*wrong))))


def test_a_longer_string_at_the_same_place_contradicts_it() -> None:
    longer = EQUAL.format("i2", 8).replace("call_pure_i", "+1: call_i")
    kept = compared(92).replace("+1: " + IS_CHARACTER.format("i2", 92), longer.replace("i2 = +1:", "+1: i2 ="))
    assert kept != compared(92)
    assert not any(map(is_proved, judged(compared(92) * 2 + kept)[:2]))


def test_nothing_is_said_where_a_comparison_is_gone() -> None:
    wrong = judged_last(compared(92, 47) * 2 + compared(47, constants=2))
    assert not is_proved(wrong)
    assert not any(map(is_proved, judged(compared(92, constants=2) * 2)))


def test_a_comparison_with_another_string_is_none_with_the_constant() -> None:
    """The optimizer has left out the comparison with the constant; what is left is that with a new string."""
    made = ("p5 = newstr(1)", "strsetitem(p5, 0, 120)")
    point, second = POINT.format(line=9), EQUAL.format("i3", 1).replace("ConstPtr(ptr1)", "p5")
    before = (point, EQUAL.format("i2", 0), "guard_false(i2)", *made, second, "guard_false(i3)", "finish(p0)")
    left = (IS_CHARACTER.format("i3", 120), "guard_false(i3, descr=<Guard0x11>) [p0]", "finish(p0)")
    wrong = recorded("[p0]", *before) + bridge("[p0]", point, *(f"+1: {one}" for one in left))
    assert not any(map(is_proved, judged(wrong * 2)))


@pytest.mark.parametrize(("left", "is_right"), [((92, 47), True), ((47,), False)])
def test_preamble_and_body_compare_as_often_as_two_iterations(left: tuple[int, ...], is_right: bool) -> None:
    point, label = POINT.format(line=9), "label(p0, descr=TargetToken({}))"
    asked = [one for at in (2, 3) for one in (EQUAL.format(f"i{at}", at), f"guard_false(i{at})")]
    before = recorded("[p0]", point, *asked, POINT.format(line=8), "jump(p0, descr=<Loop-1>)")
    after: list[str] = []
    for first in (2, 4):
        after.append(point)
        for at, one in enumerate(left, first):
            after += IS_CHARACTER.format(f"i{at}", one), f"guard_false(i{at}, descr=<Guard0x1{at}>) [p0]"
        after.append(POINT.format(line=8))
        after += [label.format(141)] if first == 2 else ["jump(p0, descr=TargetToken(141))"]
    peeled = before + loop("[p0]", label.format(140), *after)
    assert all(map(is_proved, judged(peeled * 2))) is is_right


def test_other_places_have_constants_of_their_own() -> None:
    *right, other = judged(compared(92) * 2 + compared(92, line=8))
    assert all(map(is_proved, right))
    assert not is_proved(other)


@pytest.mark.parametrize(("asks", "is_known"), [("ptr77", True), ("ptr0", False)])
def test_a_constant_of_which_a_trace_asks_which_one_it_is_is_left_open(asks: str, is_known: bool) -> None:
    one = judged_last(compared(92) * 2 + compared(92, asks=asks))
    assert is_proved(one) is is_known


def held(*characters: int, field: str = "<FieldP W.inst__utf8 24 pure>") -> str:
    """A pair that compares a string twice with what a constant object holds, taken for these characters."""
    point, load = POINT.format(line=9), f"p{{}} = getfield_gc_r(ConstPtr(ptr60), descr={field})"
    asked = [EQUAL.format(f"i{at}", at).replace(f"ConstPtr(ptr{at})", f"p{at + 5}") for at in (2, 3)]
    before = (load.format(7), asked[0], "guard_false(i2)", load.format(8), asked[1], "guard_false(i3)")
    after = [
        one
        for at, character in enumerate(characters, 2)
        for one in (IS_CHARACTER.format(f"i{at}", character), f"guard_false(i{at}, descr=<Guard0x1{at}>) [p0, p1]")
    ]
    return recorded("[p0, p1]", point, *before, "finish(p0)") + bridge(
        "[p0, p1]", point, *(f"+1: {one}" for one in (*after, "finish(p0)"))
    )


@pytest.mark.parametrize(("field", "is_right"), [("24 pure>", True), ("24>", False)])
def test_what_a_constant_holds_for_ever_is_a_constant(field: str, *, is_right: bool) -> None:
    shown = judged(held(92, 92, field=f"<FieldP W.inst__utf8 {field}") * 2)
    assert [is_proved(one) for one in shown] == [is_right] * 2
    told = "" if shown[0].texts is None else str(shown[0].texts.assumes)
    assert is_right is (ASSUMED.partition(" is ")[0] in told)


def test_what_a_constant_holds_is_one_character() -> None:
    assert not any(map(is_proved, judged(held(92, 93) * 2)))
    assert not any(map(is_proved, judged(held(92, 92) * 2 + held(93, 93))))


def test_what_is_said_of_a_load_begins_no_bytecode() -> None:
    """Else the comparison behind it would be the first one there, which is with another constant."""
    direct = held(47, 92).replace(EQUAL.format("i2", 2).replace("ConstPtr(ptr2)", "p7"), EQUAL.format("i2", 2))
    assert direct != held(47, 92)
    assert all(map(is_proved, judged(direct * 2)))


@pytest.mark.parametrize(
    ("code", "is_one"), [("f;<builtin>/a.py", True), ("<lambda>;a.py", False), ("f;<string>", False)]
)
def test_codes_that_share_their_places_may_have_other_constants(code: str, is_one: bool) -> None:
    assert all(is_proved(one) is is_one for one in judged((compared(92) * 2).replace("f;a.py", code)))


def test_two_processes_that_ran_the_same_are_one_witness() -> None:
    assert not any(is_proved(one) for log in judged_together(compared(92), compared(92)) for one in log)


def test_another_process_contradicts_it() -> None:
    assert not any(is_proved(one) for log in judged_together(compared(92) * 2, compared(93)) for one in log)


def peeled(*characters: int) -> str:
    """A loop that compares a string with one constant, which the optimizer takes for these characters in the preamble
    and in the body."""
    point, label = POINT.format(line=9), "label(p0, descr=TargetToken({}))"
    asked = (EQUAL.format("i2", 1), "guard_false(i2)")
    kept = [
        (IS_CHARACTER.format(f"i{at}", one), f"guard_false(i{at}, descr=<Guard0x1{at}>) [p0]")
        for at, one in enumerate(characters, 2)
    ]
    goes_back = POINT.format(line=8), "setfield_gc(p0, 1, descr=<FieldS S.n 8>)"
    return recorded("[p0]", point, *asked, *goes_back, "jump(p0, descr=<Loop-1>)") + loop(
        *("[p0]", label.format(140), point, *kept[0], *goes_back),
        *(label.format(141), point, *kept[1], *goes_back, "jump(p0, descr=TargetToken(141))"),
    )


@pytest.mark.parametrize(("characters", "is_right"), [((92, 92), True), ((92, 93), False)])
def test_a_preamble_and_its_body_are_one_pair(characters: tuple[int, int], is_right: bool) -> None:
    assert not any(map(is_proved, judged(peeled(*characters))))
    assert all(is_proved(one) is is_right for one in judged(peeled(*characters) * 2))


SLICE = "p4 = call_pure_r(ConstClass(ll_slice), p0, 0, 1, descr=<Callr 8 rii EF=3 OS=23>)"
LONG = ("i8 = strlen(p0)", "i9 = int_gt(i8, 0)", "guard_true(i9{})")
ITEM, IS = "i6 = strgetitem(p0, 0)", "i11 = int_eq(i6, 92)"


def of_slice(compared: str, own: tuple[str, ...] = ()) -> str:
    """A pair that compares a string's first character with a constant, and then what the program does itself there."""
    ahead, here = POINT.format(line=7), POINT.format(line=9)
    asks = [one for line in compared.splitlines() for one in (line, f"guard_false({line.split()[0]}{{}})")]
    item = () if ITEM in own else (ITEM,)
    equal = (EQUAL.format("i5", 7).replace("p0,", "p4,"), "i15 = int_is_zero(i5)", "guard_true(i15)")
    before = (*LONG, SLICE, "guard_no_exception()", here, *equal)
    optimized = (
        line.format(f", descr=<Guard0x3{at}>") + " [p0]" * line.startswith("guard")
        for at, line in enumerate((*LONG, here, *item, *asks, *own))
    )
    return recorded("[p0, p1]", ahead, *(line.format("") for line in (*before, *own)), "finish(p0)") + bridge(
        "[p0, p1]", ahead, *(f"+1: {line}" if "debug" not in line else line for line in (*optimized, "finish(p0)"))
    )


def test_a_character_of_a_string_that_has_one_is_compared_with_a_constant() -> None:
    assert not any(map(is_proved, judged(of_slice(IS))))
    shown = judged(of_slice(IS) * 2)
    assert all(map(is_proved, shown))
    assert shown[0].texts is not None
    assert ASSUMED in shown[0].texts.assumes
    assert is_proved(judged(of_slice(IS) + of_slice(f"i12 = int_eq(i8, 9)\n{IS}"))[0])
    assert all(isinstance(one.verdict, Unknown) for one in judged(of_slice(IS.replace("92", "300")) * 2))


@pytest.mark.parametrize("other", ["93", "i8", "300", "-5", "ConstClass(x)"])
def test_another_number_at_the_same_place_contradicts_it(other: str) -> None:
    assert not any(map(is_proved, judged(of_slice(IS) * 2 + of_slice(IS.replace("92", other)))[:2]))


@pytest.mark.parametrize(
    "own",
    [
        (ITEM, IS, "guard_false(i11{})"),
        (ITEM, "i11 = int_eq(92, i6)", "guard_false(i11{})"),
        (ITEM, "i11 = int_ne(i6, 92)", "guard_true(i11{})"),
        (ITEM, "i7 = same_as_i(i6)", "i11 = int_eq(i7, 92)", "guard_false(i11{})"),
        (ITEM, "i7 = int_sub(i6, 92)", "i11 = int_is_zero(i7)", "guard_false(i11{})"),
        (ITEM, "i7 = int_xor(i6, 92)", "i11 = int_is_zero(i7)", "guard_false(i11{})"),
    ],
)
def test_nothing_is_said_where_the_program_looks_at_characters(own: tuple[str, ...]) -> None:
    """The comparison with the constant may be left out, and what is left be one of the program."""
    assert not any(map(is_proved, judged(of_slice("", own) * 2)))
    assert not any(map(is_proved, judged(of_slice(IS.replace("i11", "i12"), own) * 2)))


MADE = ("p5 = newstr(1)", "strsetitem(p5, 0, 92)")
ELSEWHERE = ("i3 = call_pure_i(ConstClass(ll_streq), p0, p5, descr=<Calli 1 rr EF=0 OS=24>)", "guard_false(i3)")


@pytest.mark.parametrize("ahead", [(*MADE, *ELSEWHERE), (IS_CHARACTER.format("i3", 92), "guard_false(i3)")])
@pytest.mark.parametrize("is_moved", [True, False])
def test_another_comparison_is_none_with_the_constant(ahead: tuple[str, ...], *, is_moved: bool) -> None:
    """It is moved to the bytecode of the one with the constant, which is left out."""
    first, second = POINT.format(line=7), POINT.format(line=9)
    places = (second, second) if not is_moved else (first, second)
    before = (places[0], *ahead, places[1], EQUAL.format("i2", 7), "guard_false(i2)", "finish(p0)")
    left = (IS_CHARACTER.format("i3", 92), "guard_false(i3, descr=<Guard0x11>) [p0]", "finish(p0)")
    wrong = recorded("[p0]", *before) + bridge("[p0]", first, second, *(f"+1: {one}" for one in left))
    assert not any(map(is_proved, judged(wrong * 2)))


@pytest.mark.parametrize("own", [(), ("i7 = strgetitem(p1, 0)", "i11 = int_eq(i7, 65)")])
@pytest.mark.parametrize(
    "says", [IS_CHARACTER.format("i2", 93), EQUAL.format("i2", 8).replace("call_pure_i", "call_i"), ""]
)
def test_what_contradicts_it_is_not_lost(own: tuple[str, ...], says: str) -> None:
    """Another character or a longer string at the same place, be it that the program compares characters there, too."""
    point, asked = POINT.format(line=9), "guard_false(i2{})"
    before = recorded("[p0, p1]", point, *own, EQUAL.format("i2", 8), asked.format(""), "finish(p0)")
    lines = (*own, says, asked.format(", descr=<Guard0x10>") + " [p0]", "finish(p0)") if says else (*own, "finish(p0)")
    third = before + bridge("[p0, p1]", point, *(f"+1: {line}" for line in lines))
    assert all(map(is_proved, judged(of_slice(IS) * 2)))
    assert any(map(is_proved, judged(of_slice(IS) * 2 + third)[:2])) is (says == "")
