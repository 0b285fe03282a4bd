"""Bridges are proved by what holds at the guard of the parent that they start at, and by nothing else."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_pairs import LogPair
from tests.pypy_logs import judged, judged_last, pairs_of
from validator import Evidence, Proved, Refuted, Unknown
from validator.prove import align
from validator.prove.judge import OUT_OF_TIME
from validator.pypy import facts, pair_text
from validator.pypy.facts import TRUSTED
from validator.pypy.judge import judge
from validator.pypy.printed.parents import Path
from validator.pypy.printed.straight import Sides
from validator.pypy.study import study

VALUE, OTHER = "<FieldS Box.value 16>", "<FieldS Box.other 24>"


def section(name: str, heading: str, text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines()]
    count = len(lines) - 1
    return "\n".join([f"[1] {{{name}", f"# {heading} with {count} ops", *lines, f"[2] {name}}}", ""])


def pair(recorded: str, optimized: str, guard: str | None = None) -> str:
    if guard is None:
        heading, kind = "Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop", "loop"
    else:
        heading, kind = f"bridge out of Guard 0x{guard}", "bridge"
    return section("jit-log-noopt", "Traced loop or bridge", recorded) + section(
        f"jit-log-opt-{kind}", heading, optimized
    )


def loop(
    guard: str = "7f01",
    *,
    tests: str = "guard_class(p0, ConstClass(W_Box)",
    load: str = f"i3 = getfield_gc_i(p0, descr={VALUE})",
    between: str = "",
    handed: str = "p0, i3, None, i1",
) -> str:
    recorded = f"""
        [p0, i1, p5]
        {tests})
        {load}
        {between}
        i4 = int_lt(i3, i1)
        guard_true(i4)
        jump(p0, i1, p5, descr=<Loop-1>)
    """
    optimized = f"""
        [p0, i1, p5]
        label(p0, i1, p5, descr=TargetToken(140))
        {tests}, descr=<Guard0x7f00>) [p0, i1]
        {load}
        {between}
        i4 = int_lt(i3, i1)
        guard_true(i4, descr=<Guard0x{guard}>) [{handed}]
        jump(p0, i1, p5, descr=TargetToken(140))
    """
    return pair(without_blanks(recorded), without_blanks(optimized))


def without_blanks(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip())


RECORDED = f"""
    [p0, i1, i2]
    guard_class(p0, ConstClass(W_Box))
    i3 = getfield_gc_i(p0, descr={VALUE})
    i4 = int_add(i3, i2)
    finish(i4)
"""
BRIDGE = pair(RECORDED, "[p10, i11, i12]\ni13 = int_add(i11, i12)\nfinish(i13)", "7f01")


@pytest.mark.parametrize("guard", ["guard_no_overflow", "guard_overflow"])
def test_a_bridge_may_start_behind_a_test_for_overflow(guard: str) -> None:
    tested = loop().replace("int_lt", "int_add_ovf").replace("guard_true(i4)", f"{guard}()")
    log = tested.replace("guard_true(i4, ", f"{guard}(")
    parent, bridge = judged(log + BRIDGE)
    assert isinstance(parent.verdict, Proved)
    assert isinstance(bridge.verdict, Proved)
    assert isinstance(judged(log + BRIDGE.replace("i13 = int_add", "i13 = int_sub"))[1].verdict, Refuted)


def test_a_class_and_a_field_of_the_parent_prove_its_bridge() -> None:
    parent, bridge = judged(loop() + BRIDGE)
    assert isinstance(parent.verdict, Proved)
    assert isinstance(bridge.verdict, Proved)
    assert not bridge.verdict.evidence.vacuous
    assert bridge.texts is not None
    assert bridge.texts.rests_on == (1,)


def test_the_guards_of_the_parent_stand_for_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "_LARGEST_SEARCH", 0)
    bridge = judged_last(loop(between="guard_nonnull(p5, descr=<Guard0x7f05>) [p0]") + BRIDGE)
    assert isinstance(bridge.verdict, Proved)


def test_nothing_is_said_of_a_bridge_where_its_facts_are_late(monkeypatch: pytest.MonkeyPatch) -> None:
    late = Unknown(Evidence(is_repeatable=False), OUT_OF_TIME)
    monkeypatch.setattr(facts, "validate", lambda before, after, options: late)
    parent, bridge = judged(loop() + BRIDGE)
    assert isinstance(parent.verdict, Proved)
    assert isinstance(bridge.verdict, Unknown)
    assert bridge.verdict.reason == "what is known where the bridge starts takes too long to prove"
    assert not bridge.verdict.evidence.is_repeatable


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"tests": "guard_class(p5, ConstClass(W_Box)"}, id="the class of another value"),
        pytest.param({"load": f"i3 = getfield_gc_i(p0, descr={OTHER})"}, id="another field"),
        pytest.param({"load": f"i3 = getfield_gc_i(p5, descr={VALUE})"}, id="the field of another object"),
        pytest.param({"handed": "p0, i1, None, i3"}, id="another position"),
        pytest.param({"between": f"setfield_gc(p0, i1, descr={VALUE})"}, id="a store to it"),
        pytest.param({"between": f"setfield_gc(p5, i1, descr={VALUE})"}, id="a store to what may be it"),
        pytest.param({"between": "call_n(ConstClass(work), descr=<Callv 0 EF=5>)"}, id="a call that may change it"),
        pytest.param({"guard": "7f09"}, id="a parent that is not in the log"),
    ],
)
def test_what_does_not_hold_at_the_guard_proves_nothing(changed: dict[str, str]) -> None:
    parent, bridge = judged(loop(**changed) + BRIDGE)
    assert isinstance(parent.verdict, Proved)
    assert not isinstance(bridge.verdict, Proved)


@pytest.mark.parametrize(
    "wrong",
    ["i13 = int_add(i11, i11)", "i13 = int_add(i12, i12)", "i13 = int_sub(i11, i12)"],
)
def test_a_wrong_bridge_is_refuted_with_the_facts_of_its_parent(wrong: str) -> None:
    bridge = judged_last(loop() + BRIDGE.replace("i13 = int_add(i11, i12)", wrong))
    assert isinstance(bridge.verdict, Refuted)


def test_a_bridge_without_a_parent_is_not_refuted() -> None:
    (bridge,) = judged(BRIDGE)
    assert isinstance(bridge.verdict, Unknown)


def test_the_last_trace_with_the_guard_is_the_parent() -> None:
    later = loop(load=f"i3 = getfield_gc_i(p0, descr={OTHER})")
    assert not isinstance(judged(loop() + later + BRIDGE)[-1].verdict, Proved)
    assert isinstance(judged(later + loop() + BRIDGE)[-1].verdict, Proved)
    assert isinstance(judged(loop() + BRIDGE + later)[1].verdict, Proved)


@pytest.mark.parametrize("lost", ["[2] jit-log-noopt}", "i4 = int_lt(i3, i1)"])
def test_a_trace_that_is_damaged_takes_its_guards_with_it(lost: str) -> None:
    damaged = loop(load=f"i3 = getfield_gc_i(p0, descr={OTHER})").replace(lost, "", 1)
    assert not isinstance(judged(loop() + damaged + BRIDGE)[-1].verdict, Proved)


def test_facts_go_through_a_bridge_to_its_bridges() -> None:
    middle = pair(
        "[p0, i1, i2]\ni3 = int_gt(i2, 7)\nguard_true(i3)\nfinish(i2)",
        "[p20, i21, i22]\ni23 = int_gt(i22, 7)\nguard_true(i23, descr=<Guard0x7f02>) [i22, p20, i21]\nfinish(i22)",
        "7f01",
    )
    last = pair(
        RECORDED.replace("[p0, i1, i2]", "[i2, p0, i1]"),
        "[i30, p31, i32]\ni33 = int_add(i32, i30)\nfinish(i33)",
        "7f02",
    )
    assert all(isinstance(outcome.verdict, Proved) for outcome in judged(loop() + middle + last))
    assert judged(loop() + middle + last)[-1].texts.rests_on == (1, 2)  # type: ignore[union-attr]
    swapped = last.replace("int_add(i32, i30)", "int_add(i30, i30)")
    assert isinstance(judged(loop() + middle + swapped)[-1].verdict, Refuted)


def test_the_class_of_what_the_parent_made_is_the_one_that_the_bridge_has_tested() -> None:
    made = f"i3 = getfield_gc_i(p0, descr={OTHER})\np6 = new_with_vtable(descr=<SizeDescr 24>)\n"
    made += f"setfield_gc(p6, i3, descr={VALUE})\nsetfield_gc(p5, p6, descr=<FieldP Cell.box 8>)"
    parent = loop(load=made, handed="p6, i3, None, i1")
    assert isinstance(judged(parent + BRIDGE)[-1].verdict, Proved)
    wrong = parent.replace(f"setfield_gc(p6, i3, descr={VALUE})", f"setfield_gc(p6, i1, descr={VALUE})")
    assert not isinstance(judged(wrong + BRIDGE)[-1].verdict, Proved)


def test_nothing_is_known_behind_two_guards_of_one_address() -> None:
    end = "jump(p0, i1, p5, descr=TargetToken(140))"
    again = "guard_nonnull(p0, descr=<Guard0x7f{}>) [p0, i3, i1]\n" + end
    for address, is_known in (("02", True), ("01", False)):
        text = loop().replace(end, again.format(address)).replace(": loop with 6 ops", ": loop with 7 ops")
        assert text.count("ops\n[p0") == 2
        assert isinstance(judged(text + BRIDGE)[-1].verdict, Proved) is is_known


@pytest.mark.parametrize("used", [True, False])
def test_what_the_parent_loads_and_nobody_uses_tells_nothing(*, used: bool) -> None:
    """It is not loaded, and its pair is proved without it."""
    more = f"i7 = getfield_gc_i(p5, descr={OTHER})"
    parent = loop(between=more, handed="p5, i7" if used else "p5, i1")
    asks = pair("[p0, i1]\nguard_nonnull(p0)\nfinish(i1)", "[p0, i1]\nfinish(i1)", "7f01")
    assert isinstance(judged(parent + asks)[-1].verdict, Proved) is used


ITEM = "<ArrayS 8>"


@pytest.mark.parametrize(("index", "handed", "proved"), [("2", "p0, i3", True), ("i1", "p0, i3", False)])
def test_an_item_is_a_fact_where_its_index_is_handed_over(index: str, handed: str, proved: bool) -> None:
    parent = loop(
        tests="guard_class(p5, ConstClass(W_Box)",
        load=f"i3 = getarrayitem_gc_i(p0, {index}, descr={ITEM})",
        handed=handed,
    )
    bridge = pair(
        f"[p0, i1]\ni3 = getarrayitem_gc_i(p0, 2, descr={ITEM})\nfinish(i3)", "[p10, i11]\nfinish(i11)", "7f01"
    )
    assert isinstance(judged(parent + bridge)[-1].verdict, Proved) == proved


def test_fields_of_structs_in_arrays_are_no_facts() -> None:
    memory = "<InteriorFieldDescr <FieldS entry.key 8>>"
    parent = loop(
        tests="guard_class(p5, ConstClass(W_Box)",
        load=f"i3 = getinteriorfield_gc_i(p0, 2, descr={memory})",
        handed="p0, i3",
    )
    bridge = pair(
        f"[p0, i1]\ni3 = getinteriorfield_gc_i(p0, 2, descr={memory})\nfinish(i3)",
        f"[p10, i11]\ni13 = getinteriorfield_gc_i(p10, 2, descr={memory})\nfinish(i13)",
        "7f01",
    )
    assert isinstance(judged(parent + bridge)[-1].verdict, Proved)


@pytest.mark.parametrize(("name", "constant"), [("guard_nonnull", "ConstPtr(null)"), ("guard_isnull", "p10")])
def test_that_a_guard_has_failed_is_a_fact(name: str, constant: str) -> None:
    parent = loop(between=f"{name}(p5, descr=<Guard0x7f05>) [p5]")
    bridge = pair(
        "[p0]\ni1 = ptr_eq(p0, ConstPtr(null))\nfinish(p0, i1)",
        f"[p10]\nfinish({constant}, {int(name == 'guard_nonnull')})",
        "7f05",
    )
    assert isinstance(judged(parent + bridge)[-1].verdict, Proved)
    assert not isinstance(judged(loop("7f05", handed="p5") + bridge)[-1].verdict, Proved)


def test_a_value_that_was_found_to_be_another_one_is_known_by_its_own_name() -> None:
    loads = [f"i{at} = getfield_gc_i(p{at - 6}, descr={VALUE})" for at in (6, 7)]
    asks = ("i8 = int_ne(i6, i7)", "guard_false(i8{})", "i9 = int_lt(i6, 9)", "guard_true(i9{})")
    whole = "\n".join(("[p0, p1]", *loads, *asks, "finish(i6)"))
    kept = whole.replace("8{})", "8, descr=<Guard0x7f00>) [p0]").replace("9{})", "9, descr=<Guard0x7f01>) [p0, i6]")
    log = pair(whole.replace("{}", ""), kept)
    log += pair(f"[p0, i6]\ni5 = getfield_gc_i(p0, descr={VALUE})\nfinish(i5)", "[p0, i6]\nfinish(i6)", "7f01")
    assert all(isinstance(one.verdict, Proved) for one in judged(log))


INVARIANT = "call_r(ConstClass(get), 64, descr=<Callr 8 i EF=1 OS=5>)"


@pytest.mark.parametrize(
    ("call", "handed", "proved"),
    [
        (INVARIANT, "p6, i1", True),
        (INVARIANT, "p0, i1", False),
        (INVARIANT.replace("64", "72"), "p6, i1", False),
        (INVARIANT.replace("EF=1 OS=5", "EF=5"), "p6, i1", False),
    ],
)
def test_what_a_loop_invariant_call_gave_is_a_fact(call: str, handed: str, proved: bool) -> None:
    load = f"p6 = {call}\ni3 = getfield_gc_i(p0, descr={VALUE})"
    parent = loop(load=load, handed=handed).replace("p6 = call_r", "p6 = call_loopinvariant_r", "EF=1" in call)
    bridge = pair(
        f"[p0, i1]\np2 = {INVARIANT.replace('call', 'call_loopinvariant', 1)}\nfinish(p2)",
        "[p10, i11]\nfinish(p10)",
        "7f01",
    )
    outcomes = judged(parent + bridge)
    assert isinstance(outcomes[0].verdict, Proved)
    assert isinstance(outcomes[1].verdict, Proved) == proved


OF_THREAD = "call_loopinvariant_r(ConstClass(threadlocalref_get), 64, descr=<Callr 8 i EF=1 OS=5>)"


def test_a_bridge_with_a_pending_exception_knows_what_belongs_to_the_thread() -> None:
    """A call in front of what takes the exception would end it."""
    call = ("call_n(ConstClass(work), p0, descr=<Callv 0 r EF=5>)", "guard_no_exception(descr=<Guard0x7f01>) [p0, p5]")
    before = (f"p5 = {OF_THREAD}", call[0], "guard_no_exception()", "finish(p5)")
    after = (
        "label(p0, descr=TargetToken(140))",
        f"p5 = {OF_THREAD.replace('loopinvariant_', '')}",
        *call,
        "finish(p5)",
    )
    taken = ("i1 = save_exc_class()", "p2 = save_exception()", "restore_exception(i1, p2)")
    found = (*taken, "p3 = guard_exception(ConstClass(OperationError))")
    asked = (f"p4 = {OF_THREAD}", f"i6 = getfield_gc_i(p4, descr={VALUE})", "finish(i6)")
    left = (f"i6 = getfield_gc_i(p5, descr={VALUE})", "finish(i6)")
    guard = "p3 = guard_exception(ConstClass(OperationError), descr=<Guard0x7f02>) [p0, p5]"
    log = pair("\n".join(("[p0]", *before)), "\n".join(("[p0]", *after)))
    bridge = pair("\n".join(("[p0, p5]", *found, *asked)), "\n".join(("[p0, p5]", *taken, guard, *left)), "7f01")
    one = judged_last(log + bridge)
    assert isinstance(one.verdict, Proved)


@pytest.mark.parametrize(("handed", "proved"), [("i2", True), ("i5", False)])
def test_what_a_constant_holds_is_a_fact_and_the_constant_that_of_the_loop(handed: str, *, proved: bool) -> None:
    """The label takes what the preamble has loaded from a constant; the guard of the body hands that over."""
    load, ask = "i2 = getfield_gc_i(ConstPtr(ptr{}), descr={})", "i3 = int_lt(i1, i2)\nguard_true(i3{})"
    left, step = "i4 = int_gt(i1, 50)\nguard_false(i4{})", "i5 = int_add(i1, 1)"
    recorded = "\n".join((load.format(1, VALUE), ask.format(""), left.format(""), step))
    guards = [f", descr=<Guard0x7f0{number}>) [p0, i1" for number in (1, 2)]
    first = (load.format(11, VALUE), f"{ask.format(guards[0])[:-1]}]", f"{left.format(guards[1])[:-1]}]", step)
    body = """
        i13 = int_lt(i5, i2)
        guard_true(i13, descr=<Guard0x7f10>) [p0, i5, i2]
        i14 = int_gt(i5, 50)
        guard_false(i14, descr=<Guard0x7f20>) [p0, i5, i2]
        i15 = int_add(i5, 1)
        jump(p0, i15, i2, descr=TargetToken(141))"""
    labels = "label(p0, i1, descr=TargetToken(140))", "label(p0, i5, i2, descr=TargetToken(141))"
    log = pair(
        f"[p0, i1]\n{recorded}\njump(p0, i5, descr=<Loop-1>)",
        "\n".join(("[p0, i1]", labels[0], *first, labels[1], body.strip())),
    )
    back, inputs = "i6 = int_sub(i5, 40)", "[p0, i5, i2]"
    log += pair(
        f"{inputs}\n{back}\njump(p0, i6, descr=<Loop1>)",
        f"{inputs}\n{back}\njump(p0, i6, {handed}, descr=TargetToken(141))",
        "7f20",
    )
    parent, bridge = judged(log)
    assert isinstance(parent.verdict, Proved), parent.verdict
    assert isinstance(bridge.verdict, Proved) is proved, bridge.verdict


def peeled(asked: str = "") -> str:
    """A loop that counts in a field, which the bridge out of its body does not load. The preamble asks so."""
    whole = f"""
        [p0, i1]
        {asked.format("")}
        i3 = int_lt(i1, 9)
        guard_true(i3)
        i2 = int_add(i1, 1)
        setfield_gc(p0, i2, descr={VALUE})
        jump(p0, i2, descr=<Loop-1>)
    """
    optimized = f"""
        [p0, i1]
        label(p0, i1, descr=TargetToken(140))
        {asked.format(", descr=<Guard0x7f08>")} {"[p0, i1]" if asked else ""}
        i3 = int_lt(i1, 9)
        guard_true(i3, descr=<Guard0x7f00>) [p0, i1]
        i2 = int_add(i1, 1)
        setfield_gc(p0, i2, descr={VALUE})
        label(p0, i2, descr=TargetToken(141))
        i13 = int_lt(i2, 9)
        guard_true(i13, descr=<Guard0x7f01>) [p0, i2]
        i12 = int_add(i2, 1)
        setfield_gc(p0, i12, descr={VALUE})
        jump(p0, i12, descr=TargetToken(141))
    """
    return pair(without_blanks(whole), without_blanks(optimized))


LOADED = pair(f"[p0, i2]\ni5 = getfield_gc_i(p0, descr={VALUE})\nfinish(i5)", "[p0, i2]\nfinish(i2)", "7f01")
CALLS = "call_n(ConstClass(work), p0, descr=<Callv 0 r EF=5>)\nguard_no_exception({})"


def to_label(own: str = "", kept: str = "", guard: str = "7f00") -> str:
    """A bridge to the label, which counts on from another number."""
    recorded = f"[p0, i1]\n{own}\njump(p0, 5, descr=<Loop-1>)"
    return pair(
        without_blanks(recorded), without_blanks(f"[p0, i1]\n{kept}\njump(p0, 5, descr=TargetToken(141))"), guard
    )


def test_a_field_that_the_preamble_has_stored_to_is_known_in_the_body() -> None:
    assert all(isinstance(one.verdict, Proved) for one in judged(peeled() + LOADED))


@pytest.mark.parametrize("is_later", [False, True])
def test_it_is_not_known_where_bridges_come_to_the_label(*, is_later: bool) -> None:
    """They have not stored to it."""
    bridges = (LOADED, to_label()) if is_later else (to_label(), LOADED)
    verdicts = [one.verdict for one in judged(peeled() + "".join(bridges))]
    assert not isinstance(verdicts.pop(1 if is_later else 2), Proved)
    assert all(isinstance(one, Proved) for one in verdicts)


LOOKED = pair(f"[p0, i2]\ni5 = getfield_gc_i(p0, descr={OTHER})\nfinish(i5)", "[p0, i2]\nfinish(7)", "7f01")
WRITES = pair(*[f"[p0, i1]\nsetfield_gc(p0, i1, descr={OTHER})\nfinish(i1)"] * 2, "7f08")
SEVEN = f"i9 = getfield_gc_i(p0, descr={OTHER})\nguard_value(i9, 7{{}})"


@pytest.mark.parametrize(
    ("own", "kept", "is_right"),
    [
        pytest.param("", "", True, id="nothing"),
        pytest.param(f"setfield_gc(p0, 8, descr={OTHER})", f"setfield_gc(p0, 8, descr={OTHER})", False, id="a store"),
        pytest.param(CALLS.format(""), CALLS.format("descr=<Guard0x7f09>") + " [p0]", False, id="a call"),
        pytest.param(None, None, False, id="a store on a detour"),
    ],
)
def test_a_field_that_nobody_writes_in_front_of_the_label_is_known(
    own: str | None, kept: str | None, *, is_right: bool
) -> None:
    """What both parts ask of it was found by the preamble alone."""
    comes = to_label("", "", "7f99") if own is None else to_label(own, kept or "")
    verdicts = [one.verdict for one in judged(peeled(SEVEN) + comes + LOOKED + WRITES * (own is None))]
    assert isinstance(verdicts[2], Proved) is is_right, verdicts


@pytest.mark.parametrize(
    ("lines", "is_right"),
    [
        pytest.param((f"i9 = getfield_gc_i(p0, descr={VALUE})",), True, id="loaded"),
        pytest.param((f"setfield_gc(p0, i9, descr={VALUE})",), True, id="stored"),
        pytest.param((f"i9 = getfield_gc_i(p0, descr={OTHER})",), False, id="another field"),
        pytest.param(
            (f"i9 = getfield_gc_i(p0, descr={VALUE})", f"setfield_gc(p1, 7, descr={VALUE})"), False, id="a store"
        ),
        pytest.param((f"i9 = getfield_gc_i(p0, descr={VALUE})", "{call}"), False, id="a call"),
    ],
)
def test_a_bridge_may_hand_over_what_is_in_the_field(lines: tuple[str, ...], *, is_right: bool) -> None:
    inputs = "[p0, i1, p1]" if lines[0].startswith("i9") else "[p0, i9, p1]"
    own, kept = ("\n".join(lines).replace("{call}", CALLS.format(guard)) for guard in ("", "descr=<Guard0x7f09>) [p0"))
    to = pair(
        f"{inputs}\n{own}\njump(p0, i9, descr=<Loop-1>)",
        f"{inputs}\n{kept.replace(') [p0)', ') [p0]')}\njump(p0, i9, descr=TargetToken(141))",
        "7f00",
    )
    assert isinstance(judged(peeled() + to + LOADED)[2].verdict, Proved) is is_right


ASKED = "guard_class(p0, ConstClass(W_Box){})"
CLASSED = pair("[p0, i2]\nguard_class(p0, ConstClass(W_Box))\nfinish(i2)", "[p0, i2]\nfinish(i2)", "7f01")


def test_what_the_preamble_has_found_of_a_value_is_trusted_where_bridges_come_to_the_label() -> None:
    alone, behind = judged(peeled(ASKED) + CLASSED)[1], judged(peeled(ASKED) + to_label() + CLASSED)[2]
    for one, is_trusted in ((alone, False), (behind, True)):
        assert isinstance(one.verdict, Proved), one.verdict
        assert one.texts is not None
        assert (TRUSTED in one.texts.assumes) is is_trusted


def test_that_is_not_certain() -> None:
    items = pairs_of(peeled(ASKED) + to_label() + CLASSED)
    certain = study(items, "log").certain()
    (*_, last) = (item for item in certain.given(items) if isinstance(item, LogPair))
    assert not isinstance(judge(last, "log", certain).verdict, Proved)


def test_a_field_of_what_is_handed_over_in_its_place_is_not_known() -> None:
    """But trusted, where no trace of the log writes it."""
    lines = "[p0, i1]\np9 = getfield_gc_r(p0, descr=<FieldP Box.next 32>)\njump(p9, 5, descr={})"
    other = pair(lines.format("<Loop-1>"), lines.format("TargetToken(141)"), "7f00")
    assert not isinstance(judged(peeled(SEVEN) + other + LOOKED + WRITES)[2].verdict, Proved)
    one = judged(peeled(SEVEN) + other + LOOKED)[2]
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert TRUSTED in one.texts.assumes


@pytest.mark.parametrize(("guard", "is_right"), [("7f01", True), ("7f00", True), ("7f08", False)])
def test_a_bridge_hands_over_what_its_parent_has_found(guard: str, *, is_right: bool) -> None:
    """One out of the body what was at the label; one out of the preamble may have left before that has looked."""
    verdict = judged(peeled(SEVEN) + to_label(guard=guard) + LOOKED + WRITES)[2].verdict
    assert isinstance(verdict, Proved) is is_right


@pytest.mark.parametrize(("found", "is_right"), [("7", True), ("8", False)])
def test_what_guards_of_a_bridge_find_in_the_field_is_what_it_has_in_hand(found: str, *, is_right: bool) -> None:
    asks = f"i9 = getfield_gc_i(p0, descr={OTHER})\nguard_value(i9, {found}{{}})"
    call = CALLS.format("descr=<Guard0x7f09>") + " [p0]"
    own = f"[p0, i1]\n{CALLS.format('')}\n{asks.format('')}\njump(p0, 5, descr=<Loop-1>)"
    kept = f"[p0, i1]\n{call}\n{asks.format(', descr=<Guard0x7f0a>')} [p0]\njump(p0, 5, descr=TargetToken(141))"
    assert isinstance(judged(peeled(SEVEN) + pair(own, kept, "7f00") + LOOKED)[2].verdict, Proved) is is_right


def test_what_a_loop_invariant_call_gave_is_a_fact_where_bridges_come_to_the_label() -> None:
    of_thread, step = (
        OF_THREAD.replace("_loopinvariant", ""),
        "i3 = int_lt(i1, 9)\nguard_true(i3{})\ni2 = int_add(i1, 1)",
    )
    whole = f"[p0, i1]\np8 = {of_thread}\n{step.format('')}\njump(p0, i2, descr=<Loop-1>)"
    first = step.format(", descr=<Guard0x7f00>").replace(")\ni2", ") [p0, i1]\ni2")
    again = "i13 = int_lt(i2, 9)\nguard_true(i13, descr=<Guard0x7f01>) [p0, i2, p8]\ni12 = int_add(i2, 1)"
    labels = ("label(p0, i1, descr=TargetToken(140))", "label(p0, i2, p8, descr=TargetToken(141))")
    optimized = f"[p0, i1]\n{labels[0]}\np8 = {OF_THREAD}\n{first}\n{labels[1]}\n{again}"
    log = pair(whole, f"{optimized}\njump(p0, i12, p8, descr=TargetToken(141))")
    to = f"[p0, i1]\np8 = {OF_THREAD}\njump(p0, 5, {{}}descr=TargetToken(141))"
    log += pair("[p0, i1]\njump(p0, 5, descr=<Loop1>)", to.format("p8, "), "7f00")
    log += pair(f"[p0, i2, p8]\np3 = {of_thread}\nfinish(p3)", "[p0, i2, p8]\nfinish(p8)", "7f01")
    assert isinstance(judged(log)[2].verdict, Proved)


MAKES = f"""
    {{new}} = new(descr=<SizeDescr 40>)
    setfield_gc({{new}}, 7, descr={VALUE})
    setfield_gc(p1, {{new}}, descr=<FieldP Box.next 32>)"""


def makes_one() -> str:
    """A loop that makes an object in each iteration, and stores to another one."""
    test = "i{0} = int_lt(i{1}, 9)\nguard_true(i{0}{2}\ni{3} = int_add(i{1}, 1)"
    step = f"setfield_gc(p1, 8, descr={VALUE})\n{test}"
    recorded = f"[p0, p1, i1]\n{step.format(4, 1, ')', 2)}{MAKES.format(new='p5')}\njump(p5, p1, i2, descr=<Loop-1>)"
    first = step.format(4, 1, ", descr=<Guard0x7f00>) [p0, p1, i1]", 2) + MAKES.format(new="p5")
    again = step.format(14, 2, ", descr=<Guard0x7f01>) [p5, p1, i2]", 12) + MAKES.format(new="p15")
    labels = ("label(p0, p1, i1, descr=TargetToken(140))", "label(p5, p1, i2, descr=TargetToken(141))")
    optimized = f"[p0, p1, i1]\n{labels[0]}\n{first}\n{labels[1]}\n{again}\njump(p15, p1, i12, descr=TargetToken(141))"
    return pair(without_blanks(recorded), without_blanks(optimized))


@pytest.mark.parametrize(("handed", "is_right"), [("", True), ("p5", False)])
def test_what_a_label_takes_may_be_one_object_where_bridges_come(handed: str, *, is_right: bool) -> None:
    to = f"[p0, p1, i1]{MAKES.format(new='p5')}\njump(p5, {handed}, 5, descr={{}})"
    comes = pair(*(without_blanks(to.format(descr)) for descr in ("<Loop1>", "TargetToken(141)")), "7f00")
    inputs, load = "[p0, p1, i2]", f"i5 = getfield_gc_i(p0, descr={VALUE})"
    looks = pair(f"{inputs}\n{load}\nfinish(i5)", f"{inputs}\nfinish(7)", "7f01")
    last = judged_last(makes_one() + (comes if handed else "") + looks)
    assert isinstance(last.verdict, Proved) is is_right


def test_a_trace_that_cannot_be_read_may_write_anything() -> None:
    """The last argument is a number of too many digits."""
    damaged = pair("[p0, i1]\nfinish(i1)", f"[p0, i1]\ni2 = int_add(i1, {'1' * 5000})\nfinish(i2)", "7f08")
    one = judged(peeled(SEVEN) + to_label("", "", "7f99") + LOOKED + damaged)[2]
    assert not isinstance(one.verdict, Proved)


def test_effects_on_which_a_label_relies_are_told() -> None:
    """Each bridge to the label has stored there what it hands over, in front of a call that leaves the field."""
    store, load = f"setfield_gc(p0, 5, descr={VALUE})", f"getfield_gc_i(p0, descr={VALUE})"

    def called(guard: str) -> str:
        return f"{CALLS.format(f'descr=<Guard0x{guard}>')} [p0]"

    log = peeled() + to_label(f"{store}\n{CALLS.format('')}", f"{store}\n{called('7f0a')}") + LOADED
    for line in (3, 4):  # two that forward the field over the call
        first = f"[p0]\ndebug_merge_point(0, 0, 'g;a.py:{line}-{line}~#40 FOR_ITER')\ni1 = {load}"
        recorded = f"{first}\n{CALLS.format('')}\ni2 = {load}\ni3 = int_add(i1, i2)\nfinish(i3)"
        log += pair(recorded, f"{first}\n{called(f'7fa{line}')}\ni3 = int_add(i1, i1)\nfinish(i3)", f"7f9{line}")
    one = judged(log)[2]
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert any(what.startswith("call ") and what.endswith(f"does not write {VALUE}") for what in one.texts.assumes)


@pytest.mark.parametrize("comes", [False, True])
def test_kinds_of_objects_are_told_behind_the_last_label_to_which_bridges_come(
    monkeypatch: pytest.MonkeyPatch, *, comes: bool
) -> None:
    """They may bring tables of other types, and arrays of others than frames."""
    ways: list[Path] = []

    def observed(name: str) -> None:
        tells = getattr(pair_text, name)

        def seen(sides: Sides, path: Path | None = None) -> object:
            ways.extend([path] if path else [])
            return tells(sides, path)

        monkeypatch.setattr(pair_text, name, seen)

    observed("with_tables")
    observed("with_variables")
    judged(peeled() + to_label() * comes + LOADED)
    through = [path for path in ways if "p0" in path.handed and "i2" in path.handed]
    assert len(through) >= 2
    assert all(any(line.name == "label" for line in path.lines) is not comes for path in through)


INTVAL = "<FieldS pypy.objspace.std.intobject.W_IntObject.inst_intval 8 pure>"


def goes_round_with_a_box() -> str:
    """A loop that makes a new number in each iteration, gives it to somebody, and goes round with both."""

    def step(old: str, at: int, guard: str) -> str:
        made = f"p{at}9 = new_with_vtable(descr=<SizeDescr 16>)\nsetfield_gc(p{at}9, i{at}8, descr={INTVAL})"
        tested = f"i{at}5 = int_lt({old}, 100)\nguard_true(i{at}5{guard}\ni{at}8 = int_add({old}, 1)"
        return f"{tested}\n{made}\nsetfield_gc(p1, p{at}9, descr=<FieldP Box.keep 8>)"

    inputs, taken = "[p0, i7, p1]", "p19, i18, p1"
    first, again = (
        step("i7", 1, f", descr=<Guard0x7f01>) {inputs}"),
        step("i18", 2, f", descr=<Guard0x7f02>) [{taken}]"),
    )
    labels = "label(p0, i7, p1, descr=TargetToken(140))", f"label({taken}, descr=TargetToken(141))"
    return pair(
        f"{inputs}\n{step('i7', 1, ')')}\njump({taken}, descr=<Loop-1>)",
        f"{inputs}\n{labels[0]}\n{first}\n{labels[1]}\n{again}\njump(p29, i28, p1, descr=TargetToken(141))",
    )


CLASS_OF_P8 = "guard_nonnull_class(p8, ConstClass(W_IntObject){})"
CLASS_OF_P0, OF_CLASS = "guard_class(p0, ConstClass(W_IntObject))", "i3 = getfield_gc_i(p0, descr=<FieldS Box.zz 24>)"


@pytest.mark.parametrize(
    ("asks", "gone", "kept", "is_known"),
    [
        ("", CLASS_OF_P0, OF_CLASS, False),
        (CLASS_OF_P8, CLASS_OF_P0, OF_CLASS, True),
        (CLASS_OF_P8, f"i3 = getfield_gc_i(p0, descr={INTVAL})", "i3 = same_as_i(i2)", False),
    ],
)
def test_what_the_preamble_knows_of_an_object_bridges_have_to_vouch_for(
    asks: str, gone: str, kept: str, *, is_known: bool
) -> None:
    """Of which class it is, and what is in a field that never changes. One hands another object to the label."""
    comes = "[p0, i7, p1]\np8 = getfield_gc_r(p1, descr=<FieldP Box.other 16>)\n{}\njump(p8, i7, p1, descr={})"
    asked = f"{asks.format(', descr=<Guard0x7f09>')} [p0]" if asks else ""
    log = goes_round_with_a_box() + pair(
        without_blanks(comes.format(asks.format(""), "<Loop1>")),
        without_blanks(comes.format(asked, "TargetToken(141)")),
        "7f02",
    )
    both = kept if kept == OF_CLASS else ""
    recorded = without_blanks(f"[p0, i2, p1]\n{gone}\n{both}\nfinish(i3)")
    log += pair(recorded, f"[p0, i2, p1]\n{kept}\nfinish(i3)", "7f02")
    verdict = judged(log)[2].verdict
    assert isinstance(verdict, Proved) is is_known
    assert not isinstance(verdict, Refuted)  # PyPy may have known
