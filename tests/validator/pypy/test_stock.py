"""Loops that PyPy has peeled, and bridges to their inner labels, as stock options print them."""

from __future__ import annotations

import pytest

from tests.pypy_logs import judged, judged_last, loop, recorded
from validator import Proved, Unsupported

STEP, VALUE = "<FieldS Node.step 8>", "<FieldS W_IntObject.inst_intval 8 pure>"
LOG = f"""\
[1] {{jit-log-noopt
# Traced loop or bridge with 8 ops
[p0, i1]
i2 = getfield_gc_i(p0, descr={STEP})
i3 = int_add(i1, i2)
p4 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p4, i3, descr={VALUE})
setfield_gc(p0, p4, descr=<FieldP Node.last 16>)
i6 = int_lt(i3, 1000)
guard_true(i6)
jump(p0, i3, descr=<Loop-1>)
[2] jit-log-noopt}}
[3] {{jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with 16 ops
[p0, i1]
+17: label(p0, i1, descr=TargetToken(140))
+19: i2 = getfield_gc_i(p0, descr={STEP})
+20: i3 = int_add(i1, i2)
+21: i6 = int_lt(i3, 1000)
+22: guard_true(i6, descr=<Guard0x7f10>) [p0, i3]
+23: p4 = new_with_vtable(descr=<SizeDescr 16>)
+24: setfield_gc(p4, i3, descr={VALUE})
+25: setfield_gc(p0, p4, descr=<FieldP Node.last 16>)
+26: label(p0, i3, i2, descr=TargetToken(141))
+27: i8 = int_add(i3, i2)
+28: i9 = int_lt(i8, 1000)
+29: guard_true(i9, descr=<Guard0x7f20>) [p0, i8]
+30: p10 = new_with_vtable(descr=<SizeDescr 16>)
+31: setfield_gc(p10, i8, descr={VALUE})
+32: setfield_gc(p0, p10, descr=<FieldP Node.last 16>)
+33: jump(p0, i8, i2, descr=TargetToken(141))
+30: --end of the loop--
[4] jit-log-opt-loop}}
[5] {{jit-log-noopt
# Traced loop or bridge with 5 ops
[p0, i1]
p3 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p3, i1, descr={VALUE})
setfield_gc(p0, p3, descr=<FieldP Node.last 16>)
i2 = int_sub(i1, 1000)
jump(p0, i2, descr=<Loop1>)
[6] jit-log-noopt}}
[7] {{jit-log-opt-bridge
# bridge out of Guard 0x7f20 with 6 ops
[p0, i1]
+1: p4 = new_with_vtable(descr=<SizeDescr 16>)
+1: setfield_gc(p4, i1, descr={VALUE})
+1: setfield_gc(p0, p4, descr=<FieldP Node.last 16>)
+1: i2 = int_sub(i1, 1000)
+2: i3 = getfield_gc_i(p0, descr={STEP})
+3: jump(p0, i2, i3, descr=TargetToken(141))
[8] jit-log-opt-bridge}}
"""


def test_peeled_loops_and_bridges_to_their_inner_label_are_proved() -> None:
    peeled, bridge = judged(LOG)
    assert isinstance(peeled.verdict, Proved), peeled.verdict
    assert isinstance(bridge.verdict, Proved), bridge.verdict
    assert bridge.texts is not None
    assert bridge.texts.rests_on == (1,)
    assert bridge.texts.loop is not None


FAULTS = (
    ("i8 = int_add(i3, i2)", "i8 = int_add(i3, i3)"),
    ("i8 = int_add(i3, i2)", "i8 = int_sub(i3, i2)"),
    ("i9 = int_lt(i8, 1000)", "i9 = int_lt(i8, 1001)"),
    ("guard_true(i9,", "guard_false(i9,"),
    ("+32: setfield_gc(p0, p10,", "+32: setfield_gc(p0, p4,"),
    ("setfield_gc(p10, i8,", "setfield_gc(p10, i3,"),
    ("+33: jump(p0, i8, i2,", "+33: jump(p0, i3, i2,"),
    ("+33: jump(p0, i8, i2,", "+33: jump(p0, i8, i8,"),
    ("+26: label(p0, i3, i2,", "+26: label(p0, i2, i3,"),
    ("setfield_gc(p4, i3, descr=<FieldS W_IntObject.inst_intval 8 pure>)\n+25", "setfield_gc(p4, i1, descr=X)\n+25"),
)


def kept_in(box: int, value: int) -> tuple[str, ...]:
    return (
        f"p{box} = new_with_vtable(descr=<SizeDescr 16>)",
        f"setfield_gc(p{box}, i{value}, descr={VALUE})",
        f"setfield_gc(p0, p{box}, descr=<FieldP Node.last 16>)",
    )


@pytest.mark.parametrize("bits", [3, 4])
def test_of_two_stores_in_an_iteration_the_last_one_is_that_of_preamble_and_of_body(bits: int) -> None:
    product = "i5 = int_mul(i1, 8)", *kept_in(6, 5), "i7 = int_add(i1, 1)"
    log = recorded("[p0, i1]", *kept_in(2, 1), *product, "jump(p0, i7, descr=<Loop-1>)") + loop(
        "[p0, i1]",
        "label(p0, i1, descr=TargetToken(140))",
        *("i5 = int_lshift(i1, 3)", *kept_in(6, 5), "i7 = int_add(i1, 1)"),
        "label(p0, i7, descr=TargetToken(141))",
        *(f"i8 = int_lshift(i7, {bits})", *kept_in(9, 8), "i10 = int_add(i7, 1)"),
        "jump(p0, i10, descr=TargetToken(141))",
    )
    (one,) = judged(log)
    assert isinstance(one.verdict, Proved) is (bits == 3)


@pytest.mark.parametrize(("right", "wrong"), FAULTS)
def test_faults_in_peeled_loops_are_not_proved(right: str, wrong: str) -> None:
    assert LOG.count(right) == 1
    loop, _ = judged(LOG.replace(right, wrong))
    assert not isinstance(loop.verdict, Proved)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("+1: i2 = int_sub(i1, 1000)", "+1: i2 = int_sub(i1, 1001)"),
        ("jump(p0, i2, i3, descr", "jump(p0, i3, i2, descr"),
        ("jump(p0, i2, i3, descr", "jump(p0, i2, 1, descr"),
    ],
)
def test_faults_in_bridges_to_an_inner_label_are_not_proved(right: str, wrong: str) -> None:
    assert LOG.count(right) == 1
    bridge = judged_last(LOG.replace(right, wrong))
    assert not isinstance(bridge.verdict, Proved)


ASKS = LOG.replace("5 ops\n[p0, i1]\n", "6 ops\n[p0, i1]\nsetfield_gc(p0, i1, descr=<FieldS Node.seen 24>)\n").replace(
    "0x7f20 with 6 ops\n[p0, i1]\n",
    "0x7f20 with 9 ops\n[p0, i1]\n"
    "+1: setfield_gc(p0, i1, descr=<FieldS Node.seen 24>)\n"
    "+1: i5 = int_lt(i1, 900)\n"
    "+1: guard_true(i5, descr=<Guard0x7f30>) [p0, i1]\n",
)


def test_a_bridge_may_ask_for_more_than_the_loop_does() -> None:
    bridge = judged_last(ASKS)
    assert isinstance(bridge.verdict, Proved), bridge.verdict


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("+1: setfield_gc(p0, i1, descr=<FieldS Node.seen 24>)\n", "+1: i7 = int_add(i1, 1)\n"),
        ("Node.seen 24>)\n+1: i5", "Node.step 8>)\n+1: i5"),
        ("jump(p0, i2, i3, descr", "jump(p0, i1, i3, descr"),
    ],
)
def test_a_bridge_that_asks_for_more_is_right_beside(right: str, wrong: str) -> None:
    assert ASKS.count(right) == 1
    bridge = judged_last(ASKS.replace(right, wrong))

    assert not isinstance(bridge.verdict, Proved)


def test_a_store_that_is_put_off_over_what_a_bridge_asks_is_not_proved() -> None:
    store = "+1: setfield_gc(p0, i1, descr=<FieldS Node.seen 24>)\n"
    bridge = judged_last(ASKS.replace(store, "").replace("+1: i2 = int_sub", f"{store}+1: i2 = int_sub"))
    assert not isinstance(bridge.verdict, Proved)


def test_a_bridge_to_a_label_that_is_not_in_the_log_is_not_judged() -> None:
    bridge = judged_last(
        LOG.replace("jump(p0, i2, i3, descr=TargetToken(141))", "jump(p0, i2, descr=TargetToken(150))")
    )
    assert isinstance(bridge.verdict, Unsupported)


def test_a_label_belongs_to_the_last_trace_that_has_it() -> None:
    again = LOG.partition("[5]")[0].replace("getfield_gc_i(p0, descr=<FieldS Node.step 8>)", "int_add(i1, 1)")
    first, _, bridge = LOG.partition("[5]")
    last = judged_last(f"{first}{again}[5]{bridge}")
    assert last.texts is None or 1 not in last.texts.rests_on


def test_what_is_known_in_a_body_rests_on_the_bridges_that_came_to_its_label() -> None:
    loop, _, bridge = LOG.partition("[5]")
    first, second, third = judged(f"{loop}[5]{bridge}[5]{bridge}")
    rests_on = [one.texts.rests_on for one in (first, second, third) if one.texts is not None]
    assert rests_on == [(), (1,), (1, 2)]


def test_a_field_that_the_label_relies_on_may_be_known_where_the_bridge_starts() -> None:
    """The body looks at the number of an object that the list holds; where the bridge starts it is known that the list
    is still the one of the node, though the recorded bridge does not ask."""
    loop, bridge = judged(HOLDS)
    assert isinstance(loop.verdict, Proved), loop.verdict
    assert isinstance(bridge.verdict, Proved), bridge.verdict


def test_what_the_label_is_handed_must_be_what_the_field_still_holds() -> None:
    bridge = judged_last(HOLDS.replace("jump(p20, i24, p22, p23, descr", "jump(p20, i24, p23, p23, descr"))
    assert not isinstance(bridge.verdict, Proved)


@pytest.mark.parametrize(("handed", "is_right"), [("p22", False), ("p23", True)])
def test_a_field_that_the_bridge_has_stored_to_is_not_what_it_was(handed: str, *, is_right: bool) -> None:
    stored = HOLDS.replace(" with 2 ops", " with 3 ops").replace("i24 = int_sub", STORE + "i24 = int_sub", 1)
    stored = stored.replace("+1: i24", f"+1: {STORE}+1: i24").replace("jump(p20, i24, p22", f"jump(p20, i24, {handed}")
    bridge = judged_last(stored)
    assert isinstance(bridge.verdict, Proved) is is_right, bridge.verdict


STORE = "setfield_gc(p20, p23, descr=<FieldP Node.items 16>)\n"
HOLDS = """\
[1] {jit-log-noopt
# Traced loop or bridge with 6 ops
[p0, i1, p9]
p2 = getfield_gc_r(p0, descr=<FieldP Node.items 16>)
i3 = getfield_gc_i(p2, descr=<FieldS list.length 8>)
i4 = int_add(i1, i3)
i5 = int_lt(i4, 1000)
guard_true(i5)
jump(p0, i4, p9, descr=<Loop-1>)
[2] jit-log-noopt}
[3] {jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with 12 ops
[p0, i1, p9]
+17: label(p0, i1, p9, descr=TargetToken(140))
+18: p2 = getfield_gc_r(p0, descr=<FieldP Node.items 16>)
+19: i3 = getfield_gc_i(p2, descr=<FieldS list.length 8>)
+20: i4 = int_add(i1, i3)
+21: i5 = int_lt(i4, 1000)
+22: guard_true(i5, descr=<Guard0x7f10>) [p0, i4, p9]
+26: label(p0, i4, p2, p9, descr=TargetToken(141))
+27: i6 = getfield_gc_i(p2, descr=<FieldS list.length 8>)
+27: i8 = int_add(i4, i6)
+28: i9 = int_lt(i8, 1000)
+28: guard_true(i9, descr=<Guard0x7f20>) [p0, i8, p2, p9]
+33: jump(p0, i8, p2, p9, descr=TargetToken(141))
+30: --end of the loop--
[4] jit-log-opt-loop}
[5] {jit-log-noopt
# Traced loop or bridge with 2 ops
[p20, i21, p22, p23]
i24 = int_sub(i21, 1000)
jump(p20, i24, p23, descr=<Loop1>)
[6] jit-log-noopt}
[7] {jit-log-opt-bridge
# bridge out of Guard 0x7f20 with 2 ops
[p20, i21, p22, p23]
+1: i24 = int_sub(i21, 1000)
+3: jump(p20, i24, p22, p23, descr=TargetToken(141))
[8] jit-log-opt-bridge}
"""
