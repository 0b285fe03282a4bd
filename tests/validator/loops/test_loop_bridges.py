"""Bridges that jump to the inner label of a loop."""

from __future__ import annotations

import itertools
import re

import pytest

from optimizer.ir.text import parse
from tests.validator.loop_pairs import ADDS, GUARDED_ONCE, INVARIANT_GUARD, LOADED_ONCE, edited
from validator import Failargs, Guards, Options, Proved, Refuted, Unknown, Verdict, validate
from validator.loops.proofs import freer_steps
from validator.loops.shape import bridge_to, loop_of

BRIDGE = """
[p0, i0]
i1 = int_mul(i0, 3)
i2 = int_ne(i1, 0)
guard_true(i2) [p0, i0]
jump(p0, i1)
"""
BRIDGED = """
[p0, i0]
i1 = int_mul(i0, 3)
i2 = int_is_true(i0)
guard_true(i2) [p0, i0]
i3 = getfield_gc_i(p0, descr=Node.step)
jump(p0, i1, i3, descr=Body)
"""


def bridged(before: str, after: str, loop: tuple[str, str] = (ADDS, LOADED_ONCE), **options: object) -> Verdict:
    given = parse(loop[0]), parse(loop[1])
    return validate(parse(before), parse(after), Options(**options), loop=given)  # type: ignore[arg-type]


def test_a_bridge_brings_what_the_label_takes() -> None:
    verdict = bridged(BRIDGE, BRIDGED.replace("int_is_true(i0)", "int_ne(i1, 0)"))
    assert isinstance(verdict, Proved), verdict
    assert verdict.evidence.assumes == ("the loop that the bridge jumps to is right",)
    assert len(verdict.evidence.origins) == 1
    checked = bridged(BRIDGE, BRIDGED.replace("int_is_true(i0)", "int_ne(i1, 0)"), audit=True)
    assert isinstance(checked, Proved)
    assert checked.evidence.audit is not None
    assert not checked.evidence.audit.unsettled


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("jump(p0, i1, i3,", "jump(p0, i1, i1,"),
        ("jump(p0, i1, i3,", "jump(p0, i0, i3,"),
        ("guard_true(i2) [p0, i0]", ""),
        ("i1 = int_mul(i0, 3)", "i1 = int_mul(i0, 4)"),
    ],
)
def test_a_wrong_bridge_is_refuted(old: str, new: str) -> None:
    verdict = bridged(BRIDGE, edited(BRIDGED.replace("int_is_true(i0)", "int_ne(i1, 0)"), old, new))
    assert isinstance(verdict, Refuted), verdict


ASKS = """
[p0, i0]
i1 = int_mul(i0, 3)
i2 = int_ne(i1, 0)
guard_true(i2, origin=0) [p0, i0]
i3 = getfield_gc_i(p0, descr=Node.step)
i4 = int_add(i1, i3)
i5 = int_lt(i4, 500)
guard_true(i5, origin=1) [p0, i4]
jump(p0, i1, i3, descr=Body)
"""


def test_a_bridge_may_ask_for_more_than_the_loop_does() -> None:
    """The second guard fails where the recorded loop goes on, and then the interpreter does."""
    assert isinstance(bridged(BRIDGE, ASKS), Proved)
    assert not isinstance(bridged(BRIDGE, ASKS, guards=Guards.SAME), Proved)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("origin=1) [p0, i4]", "origin=1) [p0, i3]"),
        ("jump(p0, i1, i3,", "jump(p0, i4, i3,"),
        ("i4 = int_add(i1, i3)", "i4 = int_add(i0, i3)"),
        ("i2 = int_ne(i1, 0)", "i2 = int_gt(i1, 0)"),  # a guard of its own fails more often than the recorded one
        ("origin=0) [p0, i0]", "origin=0) [p0, 1]"),
        ("guard_true(i2, origin=0) [p0, i0]\n", ""),
    ],
)
def test_a_bridge_that_asks_for_more_is_right_beside(old: str, new: str) -> None:
    assert not isinstance(bridged(BRIDGE, edited(ASKS, old, new)), Proved)


def test_a_bridge_may_check_what_the_preamble_checks() -> None:
    bridge = "[p0, i0, i1]\ni2 = int_add(i0, i1)\njump(p0, i2, i1)\n"
    right = """[p0, i0, i1]
i2 = int_add(i0, i1)
guard_nonnull(p0) [i2]
i3 = int_lt(i1, 10)
guard_true(i3) [i2, i1]
jump(p0, i2, descr=Body)
"""
    loop = INVARIANT_GUARD, GUARDED_ONCE
    verdict = bridged(bridge, right, loop)
    assert isinstance(verdict, Proved), verdict
    assert verdict.evidence.origins == (0, 1)
    for check in ("guard_nonnull(p0) [i2]\n", "guard_true(i3) [i2, i1]\n"):
        assert not isinstance(bridged(bridge, edited(right, check, ""), loop), Proved)


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        (BRIDGE.replace("jump(p0, i1)", "jump(p0)"), BRIDGED, "a bridge jumps to its loop with values for (ref, int)"),
        (BRIDGE.replace("jump(p0, i1)", "finish(p0, i1)"), BRIDGED, "a bridge jumps to its loop"),
        (
            BRIDGE,
            BRIDGED.replace("descr=Body", "descr=Elsewhere"),
            "the bridge jumps to Elsewhere, and the label is Body",
        ),
        (BRIDGE, BRIDGED.replace("i1, i3", "i1"), "a bridge jumps to its loop with values for (ref, int, int)"),
        (BRIDGE.replace("[p0, i0]\n", "[p0, i0]\nlabel(p0, i0)\n", 1), BRIDGED, "not back to its own start"),
        (BRIDGE.replace("[p0, i0]\n", "[p0, i0]\nlabel(p0, i0, descr=Own)\n", 1), BRIDGED, "not back to its own start"),
        (
            BRIDGE.replace("[p0, i0]\n", "[p0, i0]\nlabel(p0, i0, descr=Own)\n", 1).replace(
                "i1)\n", "i1, descr=Own)\n"
            ),
            BRIDGED,
            "before: a bridge jumps to its loop, and not back to its own start",
        ),
        (
            BRIDGE,
            BRIDGED.replace("[p0, i0]\n", "[p0, i0]\nlabel(p0, i0, descr=Body)\n", 1),
            "after: a bridge jumps to its loop, and not back to its own start",
        ),
    ],
)
def test_what_is_no_bridge_to_the_loop(before: str, after: str, what: str) -> None:
    assert what in str(bridged(before, after))


START = "label(p0, i0, descr=Start)\n"


@pytest.mark.parametrize("started", [(True, True), (True, False), (False, True), (False, False)])
def test_a_bridge_jumps_to_where_its_loop_starts(started: tuple[bool, bool]) -> None:
    """That is what `--loop` says of one that does not name it, and of a loop that has no name."""
    loops = [loop.replace("[p0, i0]\n", f"[p0, i0]\n{START}", 1) for loop in (ADDS, LOADED_ONCE)]
    loops[0] = loops[0].replace("jump(p0, i2)", "jump(p0, i2, descr=Start)")
    loop = loops[0] if started[0] else ADDS, loops[1] if started[1] else LOADED_ONCE
    right = BRIDGED.replace("int_is_true(i0)", "int_ne(i1, 0)")
    for descr, is_named in (("", True), (", descr=Start", True), (", descr=Other", not any(started))):
        verdict = bridged(BRIDGE.replace("jump(p0, i1)", f"jump(p0, i1{descr})"), right, loop)
        assert isinstance(verdict, Proved) is is_named
        assert ("the bridge jumps to Other, and the loop starts at Start" in str(verdict)) is not is_named


UNCLEARED = '+++\n[struct.Node]\ncleared = false\nfields = { step = "int" }\n'
OTHERS = '+++\n[struct.Other]\nfields = { next = "ref" }\n'


@pytest.mark.parametrize("declared", [*itertools.product(("", UNCLEARED, OTHERS), repeat=3)])
def test_a_bridge_and_its_loop_are_declared_alike(declared: tuple[str, ...]) -> None:
    """The optimized bridge loads a field that it has not written: right where objects are cleared."""
    before, after, loop = (f"{text}+++" * bool(text) for text in declared)
    wrong = "\n[i0]\np0 = new(descr=Node)\ni3 = getfield_gc_i(p0, descr=Node.step)\njump(p0, i0, i3, descr=Body)\n"
    given = f"{loop}{ADDS}", f"{loop}{LOADED_ONCE}"
    right = "\n[i0]\np0 = new(descr=Node)\nsetfield_gc(p0, 0, descr=Node.step)\njump(p0, i0)\n"
    verdict = bridged(f"{before}{right}", f"{after}{wrong}", given)
    assert isinstance(verdict, Proved) is (UNCLEARED not in declared and len({*declared} - {""}) < 2)
    assert ("the traces have different declarations" in str(verdict)) is (len({*declared} - {""}) > 1)


HALVED = """
[i0]
i1 = int_and(i0, 1)
i2 = int_is_zero(i1)
guard_true(i2) [i0]
i3 = int_rshift(i0, 1)
jump(i3)
"""
HALVED_TWICE = """
[i0]
i1 = int_and(i0, 1)
i2 = int_is_zero(i1)
guard_true(i2, origin=0) [i0]
i3 = int_rshift(i0, 1)
label(i3, descr=Body)
i4 = int_and(i3, 1)
i5 = int_is_zero(i4)
guard_true(i5, origin=0) [i3]
i6 = int_rshift(i3, 1)
jump(i6, descr=Body)
"""
ADDED = "[i0]\ni1 = int_add(i0, 2)\njump(i1)\n"
LISTS = re.compile(r" \[i[0-9]\]$", re.MULTILINE)


@pytest.mark.parametrize("by_preamble", [False, True])
@pytest.mark.parametrize(("before", "after"), [(True, True), (False, True), (False, False)])
@pytest.mark.parametrize("failargs", Failargs)
@pytest.mark.parametrize("guards", [Guards.EARLY, Guards.SAFE])
def test_a_label_that_is_handed_something_else_may_not_be_left_at_once(
    guards: Guards, failargs: Failargs, *, before: bool, after: bool, by_preamble: bool
) -> None:
    """With 3 in the place of the number, the guard of the body always fails."""
    recorded = HALVED if before else LISTS.sub("", HALVED)
    peeled = HALVED_TWICE if after else LISTS.sub("", HALVED_TWICE)
    loop = peeled.replace("label(i3, descr=Body)", "jump(i3)").split("i4")[0] if by_preamble else recorded
    options = {"failargs": failargs, "by_preamble": by_preamble, "guards": guards, "moved": None}
    right, wrong = (ADDED.replace("i1)\n", f"{handed}, descr=Body)\n") for handed in ("i1", "3"))
    assert isinstance(bridged(ADDED, right, (loop, peeled), **options), Proved)
    assert not isinstance(bridged(ADDED, wrong, (loop, peeled), **options), Proved)


@pytest.mark.parametrize("guards", Guards)
@pytest.mark.parametrize("listed", ["[]", "[None]", "[0]"])
def test_nor_where_no_list_holds_it(listed: str, guards: Guards) -> None:
    """A list that does not hold it shows nobody with what the label is left; where guards may fail anywhere, it may."""
    loop = LISTS.sub(f" {listed}", HALVED), LISTS.sub(f" {listed}", HALVED_TWICE)
    right, wrong = (ADDED.replace("i1)\n", f"{handed}, descr=Body)\n") for handed in ("i1", "3"))
    assert isinstance(bridged(ADDED, right, loop, guards=guards, moved=None), Proved)
    assert isinstance(bridged(ADDED, wrong, loop, guards=guards, moved=None), Proved) is (guards is Guards.SAFE)


def test_what_the_preamble_of_its_loop_asks_is_taken_for_granted_by_no_bridge() -> None:
    """That it fails where the recorded loop leaves, no proof of a bridge says."""
    loop, options = (parse(ADDS), parse(LOADED_ONCE)), Options(guards=Guards.EARLY, failargs=Failargs.IGNORE)
    bridge = bridge_to(loop, parse(BRIDGE), parse(BRIDGED))
    for one, count in ((bridge, 1), (loop_of(*loop), 2)):
        origins: list[int | None] = [None] * 9
        assert len([*freer_steps(one, options, origins)]) == count


TOLD = """
[p0, i0, i1, i2]
setfield_gc(p0, i1, descr=Counter.count)
i4 = int_lt(i2, 40)
guard_true(i4)
setfield_gc(p0, 0, descr=Counter.count)
i5 = int_add(i2, 1)
jump(p0, i0, i1, i5)
"""
TOLD_ONCE = TOLD.replace("jump(p0, i0, i1, i5)\n", "i6 = same_as_i(i1)\nlabel(p0, i0, i1, i6, i5, descr=Body)\n") + (
    "setfield_gc(p0, i6, descr=Counter.count)\ni14 = int_lt(i5, 40)\nguard_true(i14)\n"
    "setfield_gc(p0, 0, descr=Counter.count)\ni15 = int_add(i5, 1)\njump(p0, i0, i1, i1, i15, descr=Body)\n"
)
TELLS = """
[p0, i0, i1, i2]
setfield_gc(p0, i0, descr=Counter.count)
i8 = int_lt(i1, 7)
guard_true(i8)
i9 = int_add(i2, 3)
jump(p0, i0, i1, i9)
"""


@pytest.mark.parametrize("by_preamble", [False, True])
@pytest.mark.parametrize(("handed", "is_right"), [("i1", True), ("i0", False)])
def test_a_guard_of_the_body_resumes_in_the_loop(handed: str, *, is_right: bool, by_preamble: bool) -> None:
    """Where the body leaves behind the bridge, memory is as it is at a guard of the bridge."""
    loop = TOLD_ONCE.split("i6 =")[0] + "jump(p0, i0, i1, i5)\n" if by_preamble else TOLD
    after = TELLS.replace("jump(p0, i0, i1, i9)", f"jump(p0, i0, i1, {handed}, i9, descr=Body)")
    options = {"guards": Guards.EARLY, "by_preamble": by_preamble}
    assert isinstance(bridged(TELLS, after, (loop, TOLD_ONCE), **options), Proved) is is_right


TWO = """
[i0, i1, i2]
i3 = int_lt(i2, 50)
guard_true(i3) [i0]
i4 = int_lt(i2, 40)
guard_true(i4) [i1]
i5 = int_add(i2, 1)
jump(i0, i1, i5)
"""
TWO_ONCE = TWO.replace("jump(i0, i1, i5)\n", "i6 = same_as_i(i1)\nlabel(i0, i1, i6, i5, descr=Body)\n") + (
    "i13 = int_lt(i5, 50)\nguard_true(i13) [i0]\ni14 = int_lt(i5, 40)\nguard_true(i14) [i6]\n"
    "i15 = int_add(i5, 1)\njump(i0, i1, i1, i15, descr=Body)\n"
)
AHEAD = """
[i0, i1]
i2 = int_lt(i1, 50)
guard_true(i2) [i0, i1]
i3 = int_lt(i0, 90)
guard_true(i3) [i0, i1]
i5 = int_add(i0, 1)
jump(i5, i1)
"""
AHEAD_ONCE = AHEAD.replace("jump(i5, i1)\n", "label(i0, i5, i1, descr=Body)\n") + (
    "i13 = int_lt(i5, 90)\nguard_true(i13) [i0, i1]\ni15 = int_add(i5, 1)\njump(i5, i15, i1, descr=Body)\n"
)


@pytest.mark.parametrize("asks", ["", "i8 = int_lt(i1, 7)\nguard_true(i8) [i0]\n"])
@pytest.mark.parametrize(("handed", "is_right"), [("i1", True), ("i0", False)])
def test_a_guard_of_the_body_has_one_place_where_it_resumes(asks: str, handed: str, *, is_right: bool) -> None:
    """The bridge would be right if the second guard of the body resumed where the first one does, or in the bridge."""
    bridge = f"[i0, i1, i2]\n{asks}i9 = int_add(i2, 3)\njump(i0, i1, i9)\n"
    after = bridge.replace("i1, i9)", f"i1, {handed}, i9, descr=Body)")
    verdict = bridged(bridge, after, (TWO, TWO_ONCE))
    assert isinstance(verdict, Proved) is is_right
    assert is_right or isinstance(verdict, Unknown)
    named = TWO_ONCE.replace("(i3)", "(i3, origin=0)").replace("(i4)", "(i4, origin=1)")
    named = named.replace("(i13)", "(i13, origin=0)").replace("(i14)", "(i14, origin=1)")
    assert isinstance(bridged(bridge, after, (TWO, named)), Proved if is_right else Refuted)


def test_no_guard_of_the_body_resumes_in_the_iteration_before_a_bridge() -> None:
    assert isinstance(validate(parse(AHEAD), parse(AHEAD_ONCE)), Proved)
    bridge = "[i0, i1]\ni3 = int_lt(i1, 20)\nguard_true(i3) [i0, i1]\ni5 = int_add(i0, 3)\njump(i5, i1)\n"
    verdict = bridged(bridge, bridge.replace("jump(i5, i1)", "jump(i0, i5, i1, descr=Body)"), (AHEAD, AHEAD_ONCE))
    assert "a guard of the body resumes in the iteration before" in str(verdict)


def test_a_guard_of_the_body_that_never_fails_in_the_loop_resumes_in_no_bridge() -> None:
    """It fails at once where the label is handed 0, and has no place to resume."""
    loop = "[i0, i1]\nescape_n(i0)\ni5 = int_add(i0, 1)\njump(i5, i1)\n"
    peeled = loop.replace("jump(i5, i1)\n", "i9 = int_eq(i1, i1)\nlabel(i5, i1, i9, descr=Body)\n")
    peeled += "guard_true(i9) [i5, i1]\nescape_n(i5)\ni7 = int_add(i5, 1)\ni6 = int_eq(i1, i1)\n"
    peeled += "jump(i7, i1, i6, descr=Body)\n"
    bridge = "[i0, i1]\ni8 = int_lt(i1, 7)\nguard_true(i8) [i0, i1]\njump(i0, i1)\n"
    assert isinstance(validate(parse(loop), parse(peeled)), Proved)
    assert not isinstance(bridged(bridge, bridge.replace("i0, i1)", "i0, i1, 0, descr=Body)"), (loop, peeled)), Proved)
