"""What a bridge hands to a label, and lists of guards alone tell, is what the recorded bridge hands on."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from optimizer.ir.dialects.pypy_pairs import LogPair
from optimizer.ir.trace import Trace
from tests.pypy_logs import bridge, judged, loop, pairs_of, recorded
from tests.validator.pypy.test_quotients import reciprocal
from validator import Options, Proved, Unknown, Verdict, validate
from validator.pypy.judge import OPTIONS, Judged, holds, judge
from validator.pypy.label_args import BY_SIZE
from validator.pypy.resume_data import Loop
from validator.pypy.study import study

COUNT = "<FieldS Counter.count 8>"
PLACE = "<FieldP Counter.place 24>"
BOXED = ("p5 = new_with_vtable(descr=<SizeDescr 16>)", "setfield_gc(p5, i3, descr=<FieldS W_Int.inst_value 8>)")
STEP = (
    "i2 = getfield_gc_i(p0, descr={0})",
    "i4 = int_lt(i2, 9)",
    "guard_true(i4{1})",
    "i3 = int_add(i2, 1)",
    "setfield_gc(p0, i3, descr={0})",
)


def peeled(*taken: str) -> str:
    """A loop that computes its last value anew before it goes round: until then guards alone hand over what the label
    has taken behind the object."""
    before = [line.format(COUNT, "") for line in STEP]
    first = [f"+1: {line.format(COUNT, ', descr=<Guard0x7f01>')}" for line in STEP]
    again = [f"+1: {line.format(COUNT, ', descr=<Guard0x7f10>')}" for line in STEP]
    for number in "234":
        again = [line.replace(f"i{number}", f"i1{number}") for line in again]
    listed = ", ".join(("p0", *taken))
    return recorded("[p0, p1]", *before, *BOXED, "jump(p0, p5, descr=<Loop-1>)") + loop(
        "[p0, p1]",
        "+1: label(p0, p1, descr=TargetToken(140))",
        *(line + " [p0, p1]" * ("guard" in line) for line in first),
        f"+1: label({listed}, descr=TargetToken(141))",
        *(line + f" [{listed}]" * ("guard" in line) for line in again),
        f"+1: jump({listed.replace('i', 'i1')}, descr=TargetToken(141))",
    )


def to_label(recorded_end: Sequence[str], handed: str, computed: Sequence[str]) -> Judged:
    """The verdict on a bridge to that loop."""
    log = peeled("i3") + recorded("[p0, i1]", *recorded_end, "jump(p0, p5, descr=<Loop1>)")
    log += bridge("[p0, i1]", *(f"+1: {line}" for line in computed), f"+1: jump(p0, {handed}, descr=TargetToken(141))")
    return judged(log)[1]


MAKES = ("i3 = int_mul(i1, 2)", *BOXED)
FINDS = (f"p5 = getfield_gc_r(p0, descr={PLACE})",)


LOADED = (
    *FINDS,
    "guard_nonnull(p5, descr=<Guard0x7f30>) [p0]",
    "i3 = getfield_gc_i(p5, descr=<FieldS W_Int.inst_value 8>)",
)


def test_what_a_label_takes_for_lists_alone_is_what_the_bridge_hands_on() -> None:
    assert isinstance(to_label(MAKES, "i3", MAKES[:1]).verdict, Proved)
    for wrong in ("i1", "7"):
        verdict = to_label(MAKES, wrong, MAKES[:1]).verdict
        assert isinstance(verdict, Unknown)
        assert verdict.reason.startswith("argument 1 of the recorded jump may be another value, or object, than")


@pytest.mark.parametrize(
    ("taken", "kind"), [(["i3"], Proved), (["i2", "i3"], Proved), (["i2"], Unknown), ([], Unknown)]
)
def test_a_label_takes_all_with_which_the_loop_goes_round(taken: Sequence[str], kind: type) -> None:
    """What goes round otherwise does so in each iteration, so that no two of them tell."""
    verdict = judged(peeled(*taken))[0].verdict
    assert isinstance(verdict, kind)
    assert kind is Proved or "the label may not take argument 1 of the recorded jump" in str(verdict)


def test_an_object_that_was_there_is_no_new_one() -> None:
    """The label has what is in a new object, which resume data makes; this one somebody else may know."""
    assert isinstance(to_label(FINDS, "i3", LOADED).verdict, Unknown)


@pytest.mark.parametrize(("handed", "kind"), [("p8", Proved), ("p2", Proved), ("p0", Unknown)])
def test_what_a_label_takes_and_lists_is_what_the_loop_computes(handed: str, kind: type) -> None:
    """It was loaded: nothing that the recorded loop hands on is that. The guard of the parent hands it over as p2."""
    found = f"p8 = getfield_gc_r(p0, descr={PLACE})"
    ask = ("i2 = int_lt(i1, 9)", "guard_true(i2)", "i3 = int_add(i1, 1)")
    log = recorded("[p0, i1]", found, "guard_nonnull(p8)", *ask, "jump(p0, i3, descr=<Loop-1>)") + loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        f"+1: {found}",
        "+1: guard_nonnull(p8, descr=<Guard0x7f01>) [p0, i1]",
        "+1: i2 = int_lt(i1, 9)",
        "+1: guard_true(i2, descr=<Guard0x7f02>) [p0, i1]",
        "+1: i3 = int_add(i1, 1)",
        "+1: label(p0, i3, p8, descr=TargetToken(141))",
        "+1: i12 = int_lt(i3, 9)",
        "+1: guard_true(i12, descr=<Guard0x7f10>) [p0, i3, p8]",
        "+1: i13 = int_add(i3, 1)",
        f"+1: {found.replace('p8', 'p18')}",
        "+1: jump(p0, i13, p18, descr=TargetToken(141))",
    )
    log += recorded("[p0, i1, p2]", "i4 = int_lshift(i1, 1)", "jump(p0, i4, descr=<Loop1>)")
    other = "+1: i4 = int_mul(i1, 2)", f"+1: {found}", "+1: guard_nonnull(p8, descr=<Guard0x7f30>) [p0]"
    log += bridge("[p0, i1, p2]", *other, f"+1: jump(p0, i4, {handed}, descr=TargetToken(141))")
    verdict = judged(log)[1].verdict
    assert isinstance(verdict, kind), verdict


@pytest.mark.parametrize(("handed", "kind"), [("i5", Proved), ("i4", Unknown)])
def test_where_the_body_is_left_at_once_all_that_its_guards_hand_over_is_asked(handed: str, kind: type) -> None:
    """The body computes with the last number, but never behind this bridge: its guard fails for 20."""
    asked = ("i3 = int_lt(i1, 9)", "guard_true(i3{})", "i4 = int_add(i1, 1)", "i5 = int_add(i2, 3)")
    before = [line.format("") for line in asked]
    first = [f"+1: {line.format(', descr=<Guard0x7f01>')}" + " [p0, i1, i2]" * ("guard" in line) for line in asked]
    again = ["i13 = int_lt(i4, 9)", "guard_true(i13, descr=<Guard0x7f10>) [p0, i4, i5]"]
    again += ["i14 = int_add(i4, 1)", "i15 = int_add(i5, 3)", "jump(p0, i14, i15, descr=TargetToken(141))"]
    log = recorded("[p0, i1, i2]", *before, "jump(p0, i4, i5, descr=<Loop-1>)") + loop(
        "[p0, i1, i2]",
        "+1: label(p0, i1, i2, descr=TargetToken(140))",
        *first,
        "+1: label(p0, i4, i5, descr=TargetToken(141))",
        *(f"+1: {line}" for line in again),
    )
    log += recorded("[p0, i4, i5]", "jump(p0, 20, i5, descr=<Loop1>)")
    log += bridge("[p0, i4, i5]", f"+1: jump(p0, 20, {handed}, descr=TargetToken(141))")
    verdict = judged(log)[1].verdict
    assert isinstance(verdict, kind), verdict
    assert kind is Proved or "argument 2 of the recorded jump" in str(verdict)


@pytest.mark.parametrize(("content", "kind"), [("i3", Proved), ("i1", Unknown)])
def test_objects_that_a_bridge_makes_for_the_label_are_told_by_what_they_hold(content: str, kind: type) -> None:
    ask = [line.format(COUNT, "{}") for line in STEP]
    numbers = [line.replace("i2", "i12").replace("i3", "i13").replace("i4", "i14") for line in ask]
    box, again = list(BOXED), [line.replace("p5", "p15").replace("i3", "i13") for line in BOXED]
    first = [f"+1: {line.format(', descr=<Guard0x7f01>')}" + " [p0, p1]" * ("guard" in line) for line in ask]
    second = [f"+1: {line.format(', descr=<Guard0x7f10>')}" + " [p0, p5]" * ("guard" in line) for line in numbers]
    log = recorded("[p0, p1]", *(line.format("") for line in ask), *box, "jump(p0, p5, descr=<Loop-1>)") + loop(
        "[p0, p1]",
        "+1: label(p0, p1, descr=TargetToken(140))",
        *first,
        *(f"+1: {line}" for line in box),
        "+1: label(p0, p5, descr=TargetToken(141))",
        *second,
        *(f"+1: {line}" for line in again),
        "+1: jump(p0, p15, descr=TargetToken(141))",
    )
    log += recorded("[p0, i1]", *MAKES, "jump(p0, p5, descr=<Loop1>)")
    kept = [f"+1: {line}" for line in MAKES]
    kept[-1] = kept[-1].replace("p5, i3", f"p5, {content}")
    log += bridge("[p0, i1]", *kept, "+1: jump(p0, p5, descr=TargetToken(141))")
    verdict = judged(log)[1].verdict
    assert isinstance(verdict, kind), verdict


@pytest.mark.parametrize(("more", "kind"), [(0, Proved), (2, Unknown)])
def test_what_the_body_uses_a_part_of_and_lists_is_what_the_bridge_hands_on(more: int, kind: type) -> None:
    """It asks whether the last number is even, which does not tell it from another one."""
    asked = ("i3 = int_and(i2, 1)", "guard_false(i3{})", "i6 = int_lt(i1, 9)", "guard_true(i6{})")
    steps = ("i4 = int_add(i1, 1)", "i5 = int_lshift(i4, 1)")
    first = [line.format(", descr=<Guard0x7f01>") + " [p0, i1, i2]" * ("guard" in line) for line in asked]
    renamed = {"i1": "i4", "i2": "i5", "i3": "i13", "i6": "i16", "i4": "i14", "i5": "i15"}
    again = [re.sub(r"\bi\d\b", lambda found: renamed[found[0]], line) for line in (*first, *steps)]
    log = recorded("[p0, i1, i2]", *(line.format("") for line in asked), *steps, "jump(p0, i4, i5, descr=<Loop-1>)")
    labels = ("label(p0, i1, i2, descr=TargetToken(140))", "label(p0, i4, i5, descr=TargetToken(141))")
    whole = (labels[0], *first, *steps, labels[1], *again, "jump(p0, i14, i15, descr=TargetToken(141))")
    log += loop("[p0, i1, i2]", *(f"+1: {line}" for line in whole))
    log += recorded("[p0, i4]", "i5 = int_lshift(i4, 1)", "jump(p0, i4, i5, descr=<Loop1>)")
    handed = ("i5 = int_mul(i4, 2)", f"i6 = int_add(i5, {more})", "jump(p0, i4, i6, descr=TargetToken(141))")
    verdict = judged(log + bridge("[p0, i4]", *(f"+1: {line}" for line in handed)))[1].verdict
    assert isinstance(verdict, kind), verdict


def test_what_a_label_takes_and_the_loop_never_computes_is_not_known() -> None:
    """The preamble makes it up for lists of the body, and so does the bridge: nothing recorded says what it has to
    be."""
    ask = ("i2 = int_lt(i1, 9)", "guard_true(i2)", "i3 = int_add(i1, 1)")
    log = recorded("[p0, i1]", *ask, "jump(p0, i3, descr=<Loop-1>)") + loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        "+1: i2 = int_lt(i1, 9)",
        "+1: guard_true(i2, descr=<Guard0x7f02>) [p0, i1]",
        "+1: i3 = int_add(i1, 1)",
        "+1: i7 = int_add(i3, 77)",
        "+1: label(p0, i3, i7, descr=TargetToken(141))",
        "+1: i12 = int_lt(i3, 9)",
        "+1: guard_true(i12, descr=<Guard0x7f10>) [p0, i3, i7]",
        "+1: i13 = int_add(i3, 1)",
        "+1: i17 = int_add(i13, 77)",
        "+1: jump(p0, i13, i17, descr=TargetToken(141))",
    )
    log += recorded("[p0, i1, i2]", "jump(p0, i1, descr=<Loop1>)")
    log += bridge("[p0, i1, i2]", "+1: i8 = int_add(i1, 77)", "+1: jump(p0, i1, i8, descr=TargetToken(141))")
    verdict = judged(log)[1].verdict
    assert isinstance(verdict, Unknown), verdict


def boxed(value: str, number: str = "i3") -> list[str]:
    return [line.replace("p5", value).replace("i3", number) for line in BOXED]


FOUND = f"p7 = getfield_gc_r(p0, descr={PLACE})"


def log_of_two(of_loop: str, of_bridge: str, optimized: Sequence[str], handed: str, *, found: bool = False) -> str:
    """A bridge to a loop that goes round with two values, of which the label takes what new ones hold;
    if one of them is `found` by a load, that is handed on as it is."""
    more, label = ([FOUND], "p0, i3, p7") if found else (boxed("p6"), "p0, i3")
    before = [line.format(COUNT, "") for line in STEP]
    first = [f"+1: {line.format(COUNT, ', descr=<Guard0x7f01>')}" for line in STEP]
    again = [f"+1: {line.format(COUNT, ', descr=<Guard0x7f10>')}" for line in STEP]
    for number in "234":
        again = [line.replace(f"i{number}", f"i1{number}") for line in again]
    log = recorded("[p0, p1, p2]", *before, *boxed("p5"), *more, f"jump(p0, {of_loop}, descr=<Loop-1>)") + loop(
        "[p0, p1, p2]",
        "+1: label(p0, p1, p2, descr=TargetToken(140))",
        *(line + " [p0, p1, p2]" * ("guard" in line) for line in first),
        *([f"+1: {FOUND}"] if found else []),
        f"+1: label({label}, descr=TargetToken(141))",
        *(line + f" [{label}]" * ("guard" in line) for line in again),
        *([f"+1: {FOUND.replace('p7', 'p17')}"] if found else []),
        f"+1: jump({label.replace('i3', 'i13').replace('p7', 'p17')}, descr=TargetToken(141))",
    )
    makes = ["i3 = int_mul(i1, 2)", *boxed("p5"), *more]
    log += recorded("[p0, i1]", *makes, f"jump(p0, {of_bridge}, descr=<Loop1>)")
    log += bridge("[p0, i1]", *(f"+1: {line}" for line in optimized), f"+1: jump(p0, {handed}, descr=TargetToken(141))")
    return log


def two_handed_on(
    of_loop: str, of_bridge: str, optimized: Sequence[str], handed: str, *, found: bool = False
) -> Judged:
    """The verdict on that bridge."""
    return judged(log_of_two(of_loop, of_bridge, optimized, handed, found=found))[1]


def test_that_new_objects_of_one_size_are_of_one_class_is_told_and_not_certain() -> None:
    log = log_of_two("p5, p6", "p5, p6", MAKES[:1], "i3")
    given = study(pairs_of(log), "log")
    pair = [item for item in given.given(pairs_of(log)) if isinstance(item, LogPair)][1]

    def prove(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
        return validate(before, after, options, loop=loop)

    shown = judge(pair, "log", given, prove=prove)
    assert isinstance(shown.verdict, Proved)
    assert shown.texts is not None
    assert BY_SIZE in shown.texts.assumes
    assert not holds(shown, pair, "log", given, OPTIONS, prove)


@pytest.mark.parametrize("of_loop", ["p5, p6", "p5, p5"])
@pytest.mark.parametrize("of_bridge", ["p5, p6", "p5, p5"])
def test_objects_in_the_place_of_which_the_label_takes_what_they_hold_are_as_many(of_loop: str, of_bridge: str) -> None:
    """Resume data makes as many objects as the loop has: a program asks whether they are one."""
    verdict = two_handed_on(of_loop, of_bridge, MAKES[:1], "i3").verdict
    assert isinstance(verdict, Proved) is (of_loop == of_bridge), verdict


@pytest.mark.parametrize(("of_bridge", "handed", "kind"), [("p5, p7", "i3, p7", Proved), ("p5, p5", "i3, p5", Unknown)])
def test_an_object_that_is_none_is_not_handed_on_as_well(of_bridge: str, handed: str, kind: type) -> None:
    verdict = two_handed_on(
        "p5, p7", of_bridge, ["i3 = int_mul(i1, 2)", *boxed("p5"), FOUND], handed, found=True
    ).verdict
    assert isinstance(verdict, kind), verdict


@pytest.mark.parametrize(("handed", "kind"), [("i4", Proved), ("i1", Unknown)])
def test_a_number_that_a_guard_has_found_is_not_held_against_all_that_give_that_number(handed: str, kind: type) -> None:
    """The loop computes it, and before that a truth, which is 1 as well."""
    counted = "i8 = getfield_gc_i(p0, descr={})", "i9 = int_eq(i8, 1)", "guard_true(i9{})"
    ask = "i7 = int_lt(i1, 9)", "guard_true(i7{})"
    step = [line.format(COUNT if "getfield" in line else "{}") for line in (*ask, *counted)] + ["i3 = int_add(i1, 1)"]
    first = [line.format(", descr=<Guard0x7f01>") + " [p0, i1]" * ("guard" in line) for line in step]
    log = recorded("[p0, i1]", *(line.format("") for line in step), "jump(p0, i3, descr=<Loop-1>)") + loop(
        "[p0, i1]",
        "+1: label(p0, i1, descr=TargetToken(140))",
        *(f"+1: {line}" for line in first),
        "+1: label(p0, i3, i8, descr=TargetToken(141))",
        "+1: i17 = int_lt(i3, 9)",
        "+1: guard_true(i17, descr=<Guard0x7f10>) [p0, i3, i8]",
        "+1: i13 = int_add(i3, 1)",
        "+1: jump(p0, i13, i8, descr=TargetToken(141))",
    )
    found = [line.format(COUNT if "getfield" in line else "{}").replace("i8", "i4") for line in counted]
    log += recorded("[p0, i1]", *(line.format("") for line in found), "jump(p0, i1, descr=<Loop1>)")
    guarded = [line.format(", descr=<Guard0x7f30>") + " [p0, i1]" * ("guard" in line) for line in found]
    log += bridge(
        "[p0, i1]", *(f"+1: {line}" for line in guarded), f"+1: jump(p0, i1, {handed}, descr=TargetToken(141))"
    )
    verdict = judged(log)[1].verdict
    assert isinstance(verdict, kind), verdict


REST = (
    f"i21 = uint_mul_high(i20, {reciprocal(7)[0]})",
    f"i22 = uint_rshift(i21, {reciprocal(7)[1]})",
    "i23 = int_mul(i22, 7)",
    "i5 = int_sub(i20, i23)",
)


@pytest.mark.parametrize(("mask", "kind"), [(255, Proved), (127, Unknown)])
def test_a_quotient_that_the_label_takes_is_the_one_that_the_loop_computes(mask: int, kind: type) -> None:
    """The recorded loop calls a function for it; the optimized one multiplies, and hands on what it has."""
    call = "i5 = call_pure_i(ConstClass(mod), i20, 7, descr=<Calli 8 ii EF=0 OS=14>)"
    used = "setfield_gc(p0, i5, descr=<FieldS Counter.rest 16>)"
    loads = (f"i2 = getfield_gc_i(p0, descr={COUNT})", "i20 = int_and(i2, 255)")
    asks = ("i3 = int_lt(i1, 9)", "guard_true(i3{})")
    before = (asks[0], asks[1].format(""), *loads, call, used, "i4 = int_add(i1, 1)")
    after = (asks[0], asks[1].format(", descr=<Guard0x7f01>") + " [p0, i1]", *loads, *REST, used, "i4 = int_add(i1, 1)")
    again = ("i13 = int_lt(i4, 9)", "guard_true(i13, descr=<Guard0x7f10>) [p0, i4]", used, "i14 = int_add(i4, 1)")
    log = recorded("[p0, i1]", *before, "jump(p0, i4, descr=<Loop-1>)") + loop(
        *("[p0, i1]", "+1: label(p0, i1, descr=TargetToken(140))", *(f"+1: {line}" for line in after)),
        "+1: label(p0, i4, i5, descr=TargetToken(141))",
        *(*(f"+1: {line}" for line in again), "+1: jump(p0, i14, i5, descr=TargetToken(141))"),
    )
    log += recorded("[p0, i1]", "jump(p0, 3, descr=<Loop1>)")
    lines = (loads[0], f"i20 = int_and(i2, {mask})", *REST)
    log += bridge("[p0, i1]", *(f"+1: {line}" for line in lines), "+1: jump(p0, 3, i5, descr=TargetToken(141))")
    whole, one = judged(log)
    assert isinstance(whole.verdict, Proved), whole.verdict
    assert isinstance(one.verdict, kind), one.verdict


def test_a_quotient_may_go_round() -> None:
    """The recorded loop calls a function for it; the optimized one multiplies."""
    asks, guard, step = "i3 = int_lt(i1, 9)", "guard_true(i3{})", "i4 = int_add(i1, 1)"
    loads = (f"i2 = getfield_gc_i(p0, descr={COUNT})", "i20 = int_and(i2, 255)")
    call = "i5 = call_pure_i(ConstClass(mod), i20, 7, descr=<Calli 8 ii EF=0 OS=14>)"
    first = (asks, guard.format(", descr=<Guard0x7f01>") + " [p0, i1, i9]", *loads, *REST, step)
    again = ("i13 = int_lt(i4, 9)", "guard_true(i13, descr=<Guard0x7f10>) [p0, i4, i5]", "i14 = int_add(i4, 1)")
    log = recorded(
        "[p0, i1, i9]", asks, guard.format(""), *loads, call, step, "jump(p0, i4, i5, descr=<Loop-1>)"
    ) + loop(
        *("[p0, i1, i9]", "+1: label(p0, i1, i9, descr=TargetToken(140))", *(f"+1: {line}" for line in first)),
        "+1: label(p0, i4, i5, descr=TargetToken(141))",
        *(*(f"+1: {line}" for line in again), "+1: jump(p0, i14, i5, descr=TargetToken(141))"),
    )
    (whole,) = judged(log)
    assert isinstance(whole.verdict, Proved), whole.verdict


def of_string(handed: str) -> str:
    """A loop that stores a string of one character, which the recorded trace takes out of another one, and the
    optimized one makes: the label takes the character. And a bridge that loads two, and hands one on."""
    asks = ("i5 = strlen(p2)", "i6 = int_lt(1, i5)", "guard_true(i6{})")
    cut = "p7 = call_pure_r(ConstClass(ll_stringslice), p2, 0, 1, descr=<Callr 8 rii EF=3 OS=23>)"
    made = ("p7 = newstr(1)", "strsetitem(p7, 0, i8)")
    keep = "setfield_gc(p0, p7, descr=<FieldP Counter.text 32>)"
    step = ("i3 = int_lt(i1, 9)", "guard_true(i3{})", "i4 = int_add(i1, 1)")
    first = [line.format(", descr=<Guard0x7f01>") + " [p0, p2, i1]" * ("guard" in line) for line in (*asks, *step)]
    again = ["i13 = int_lt(i4, 9)", "guard_true(i13, descr=<Guard0x7f10>) [p0, p2, i4]", "i14 = int_add(i4, 1)"]
    again += [line.replace("p7", "p17") for line in (*made, keep)]
    before = (*(line.format("") for line in (*asks, *step)), cut, keep, "jump(p0, p2, i4, descr=<Loop-1>)")
    log = recorded("[p0, p2, i1]", *before) + loop(
        *("[p0, p2, i1]", "+1: label(p0, p2, i1, descr=TargetToken(140))", *(f"+1: {line}" for line in first)),
        *("+1: i8 = strgetitem(p2, 0)", *(f"+1: {line}" for line in (*made, keep))),
        "+1: label(p0, p2, i4, i8, descr=TargetToken(141))",
        *(*(f"+1: {line}" for line in again), "+1: jump(p0, p2, i14, i8, descr=TargetToken(141))"),
    )
    own = [line.format(", descr=<Guard0x7f30>") + " [p0, p2, i4]" * ("guard" in line) for line in asks]
    loads = [f"i{number + 20} = strgetitem(p2, {number})" for number in (0, 1)]
    kept = (*(f"+1: {line}" for line in (*own, *loads)), f"+1: jump(p0, p2, 3, {handed}, descr=TargetToken(141))")
    return log + recorded("[p0, p2, i4]", "jump(p0, p2, 3, descr=<Loop1>)") + bridge("[p0, p2, i4]", *kept)


@pytest.mark.parametrize(("handed", "kind"), [("i20", Proved), ("i21", Unknown)])
def test_a_label_may_take_the_character_of_a_string(handed: str, kind: type) -> None:
    whole, one = judged(of_string(handed))
    assert isinstance(whole.verdict, Proved), whole.verdict
    assert isinstance(one.verdict, kind), one.verdict


def test_the_label_takes_no_character_where_nobody_looks_at_one() -> None:
    """The loop makes strings of which none is written."""
    step = ("i3 = int_lt(i1, 9)", "guard_true(i3{})", "i4 = int_add(i1, 1)", f"i8 = getfield_gc_i(p0, descr={COUNT})")
    made = ("p7 = newstr(1)", "setfield_gc(p0, p7, descr=<FieldP Counter.text 32>)")
    first = [line.format(", descr=<Guard0x7f01>") + " [p0, i1]" * ("guard" in line) for line in step]
    again = ["i13 = int_lt(i4, 9)", "guard_true(i13, descr=<Guard0x7f10>) [p0, i4, i8]", "i14 = int_add(i4, 1)"]
    again += [line.replace("p7", "p17") for line in made]
    log = recorded("[p0, i1]", *(line.format("") for line in step), *made, "jump(p0, i4, descr=<Loop-1>)") + loop(
        *("[p0, i1]", "+1: label(p0, i1, descr=TargetToken(140))", *(f"+1: {line}" for line in (*first, *made))),
        *("+1: label(p0, i4, i8, descr=TargetToken(141))", *(f"+1: {line}" for line in again)),
        "+1: jump(p0, i14, i8, descr=TargetToken(141))",
    )
    kept = (f"+1: {step[-1]}", "+1: jump(p0, 3, i8, descr=TargetToken(141))")
    log += recorded("[p0, i4]", "jump(p0, 3, descr=<Loop1>)") + bridge("[p0, i4]", *kept)
    for one in judged(log):
        assert isinstance(one.verdict, Proved), one.verdict


@pytest.mark.parametrize("differs", [True, False])
def test_of_what_a_guard_finds_to_be_one_the_label_takes_what_is_so_ahead_of_it(
    monkeypatch: pytest.MonkeyPatch, differs: bool
) -> None:
    """The loop holds a number against another one, which it then changes; not even in the loop is that always the first
    one in front of the guard."""
    fixed, changed, new = (f"<FieldS Counter.{name}>" for name in ("fixed 8", "changed 16", "new 24"))
    asks = (f"i8 = getfield_gc_i(p0, descr={fixed})", f"i5 = getfield_gc_i(p0, descr={changed})", "i6 = int_eq(i8, i5)")
    sets = (f"i2 = getfield_gc_i(p1, descr={new})", f"setfield_gc(p0, i2, descr={changed})")
    log = recorded("[p0, p1]", *asks, "guard_true(i6)", *sets, "jump(p0, p1, descr=<Loop-1>)") + loop(
        *("[p0, p1]", "+1: label(p0, p1, descr=TargetToken(140))", *(f"+1: {line}" for line in asks)),
        *("+1: guard_true(i6, descr=<Guard0x7f01>) [p0, p1]", *(f"+1: {line}" for line in sets)),
        *("+1: label(p0, p1, i8, i2, descr=TargetToken(141))", "+1: i16 = int_eq(i8, i2)"),
        *("+1: guard_true(i16, descr=<Guard0x7f10>) [p0, p1, i8]", f"+1: {sets[1]}"),
        "+1: jump(p0, p1, i8, i2, descr=TargetToken(141))",
    )
    kept = (*(f"+1: {line}" for line in (*sets, asks[0])), "+1: jump(p0, p1, i8, i2, descr=TargetToken(141))")
    log += recorded("[p0, p1, i7]", *sets, "jump(p0, p1, descr=<Loop1>)") + bridge("[p0, p1, i7]", *kept)
    if not differs:
        monkeypatch.setattr("validator.pypy.handed.Asking.can_fail", lambda *asked: False)
    whole, one = judged(log)
    assert isinstance(whole.verdict, Proved), whole.verdict
    assert isinstance(one.verdict, Proved) is differs, one.verdict
