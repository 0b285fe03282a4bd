"""Pairs of a log are translated so that the validator can judge them."""

from __future__ import annotations

import pytest

from tests.pypy_logs import bridge, judged, judged_bridge, recorded
from validator import Failed, Proved, Refuted, Unknown, Unsupported
from validator.pypy.judge import Judged
from validator.pypy.translate import HASHES
from validator.verdict import Fault

LOG = """\
[1] {jit-log-noopt
# Traced loop or bridge with 5 ops
[p0, i1]
p2 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p2, i1, descr=<FieldS W_IntObject.inst_intval 8 pure>)
i3 = getfield_gc_i(p2, descr=<FieldS W_IntObject.inst_intval 8 pure>)
i4 = int_add(i3, 1)
jump(p0, i4, descr=<Loop-1>)
[2] jit-log-noopt}
[3] {jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with 3 ops
[p0, i1]
+17: label(p0, i1, descr=TargetToken(140))
+19: i4 = int_add(i1, NUMBER)
+21: jump(p0, i4, descr=TargetToken(140))
+30: --end of the loop--
[4] jit-log-opt-loop}
"""


FORGOTTEN = """\
[1] {jit-log-noopt
# Traced loop or bridge with 6 ops
[p0]
i1 = getfield_gc_i(p0, descr=<FieldS Box.value 8>)
call_n(ConstClass(work), descr=<Callv 0 EF=5>)
i2 = getfield_gc_i(p0, descr=<FieldS Box.value 8>)
i3 = int_add(i1, i2)
setfield_gc(p0, i3, descr=<FieldS Box.value 8>)
jump(p0, descr=<Loop-1>)
[2] jit-log-noopt}
[3] {jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with 6 ops
[p0]
+17: label(p0, descr=TargetToken(140))
+19: i1 = getfield_gc_i(p0, descr=<FieldS Box.value 8>)
+20: call_n(ConstClass(work), descr=<Callv 0 EF=5>)
+21: i3 = int_add(i1, i1)
+22: setfield_gc(p0, i3, descr=<FieldS Box.value 8>)
+23: jump(p0, descr=TargetToken(140))
+30: --end of the loop--
[4] jit-log-opt-loop}
[5] {jit-log-noopt
# Traced loop or bridge with 6 ops
[p0]
i1 = getfield_gc_i(p0, descr=<FieldS Box.value 8>)
call_n(ConstClass(work), descr=<Callv 0 EF=5>)
i2 = getfield_gc_i(p0, descr=<FieldS Box.value 8>)
i3 = int_add(i1, i2)
setfield_gc(p0, i3, descr=<FieldS Box.value 8>)
jump(p0, descr=<Loop-2>)
[6] jit-log-noopt}
[7] {jit-log-opt-loop
# Loop 2 (f;a.py:4-9~#40 FOR_ITER) : loop with 7 ops
[p0]
+17: label(p0, descr=TargetToken(140))
+19: i1 = getfield_gc_i(p0, descr=<FieldS Box.value 8>)
+20: call_n(ConstClass(work), descr=<Callv 0 EF=5>)
+20: i2 = getfield_gc_i(p0, descr=<FieldS Box.value 8>)
+21: i3 = int_add(i1, i2)
+22: setfield_gc(p0, i3, descr=<FieldS Box.value 8>)
+23: jump(p0, descr=TargetToken(140))
+30: --end of the loop--
[8] jit-log-opt-loop}
"""


def test_a_loop_of_a_log_is_proved() -> None:
    (one,) = judged(LOG.replace("NUMBER", "1"))
    assert isinstance(one.verdict, Proved)


def test_a_wrong_constant_in_a_loop_of_a_log_is_refuted() -> None:
    (one,) = judged(LOG.replace("NUMBER", "2"))
    assert isinstance(one.verdict, Refuted)


def test_what_hangs_on_knowledge_that_the_log_denies_is_unknown() -> None:
    first, second = judged(FORGOTTEN)
    assert isinstance(first.verdict, Unknown)
    assert "call <Callv 0 EF=5>@work does not write <FieldS Box.value 8>" in first.missing
    assert isinstance(second.verdict, Proved)


def test_a_pair_that_cannot_be_translated_is_unsupported() -> None:
    labels = "".join(f"+16: label(p0, i1, descr=TargetToken({number}))\n" for number in (138, 139))
    thrice = LOG.replace("[p0, i1]\n+17", f"[p0, i1]\n{labels}+17")
    (one,) = judged(thrice.replace("loop with 3", "loop with 5"))
    assert isinstance(one.verdict, Unsupported)


IMMUTABLE = """\
[1] {jit-log-noopt
# Traced loop or bridge with 8 ops
[p0, i1]
p2 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p2, i1, descr=<FieldS Box.value 8 pure>)
call_n(ConstClass(work), p2, descr=<Callv 0 r EF=5>)
i3 = getfield_gc_i(p2, descr=<FieldS Box.value 8 pure>)
i4 = getfield_gc_i(p0, descr=<FieldS Box.value 8 pure>)
i5 = int_lt(i3, i4)
guard_true(i5, descr=<Guard0x1>)
jump(p0, i3, descr=<Loop-1>)
[2] jit-log-noopt}
[3] {jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with 8 ops
[p0, i1]
+17: label(p0, i1, descr=TargetToken(140))
p2 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p2, i1, descr=<FieldS Box.value 8 pure>)
call_n(ConstClass(work), p2, descr=<Callv 0 r EF=5>)
i4 = getfield_gc_i(p0, descr=<FieldS Box.value 8 pure>)
i5 = int_lt(i1, i4)
guard_true(i5, descr=<Guard0x1>)
+21: jump(p0, i1, descr=TargetToken(140))
+30: --end of the loop--
[4] jit-log-opt-loop}
"""


def test_an_immutable_field_of_an_object_that_was_given_away() -> None:
    (one,) = judged(IMMUTABLE)
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert "<FieldS Box.value 8 pure> never changes" in one.texts.assumes


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("int_lt(i1, i4)", "int_lt(i4, i1)"),
        ("p2, i1, descr=<FieldS Box.value 8 pure>", "p2, 7, descr=<FieldS Box.value 8 pure>"),
        ("jump(p0, i1, descr=T", "jump(p0, i4, descr=T"),
        ("guard_true(i5, descr=<Guard0x1>)", "guard_false(i5, descr=<Guard0x1>)"),
    ],
)
def test_faults_beside_an_immutable_field_are_refuted(right: str, wrong: str) -> None:
    recorded, mark, optimized = IMMUTABLE.partition("jit-log-opt-loop")
    assert right in optimized
    (one,) = judged(recorded + mark + optimized.replace(right, wrong, 1))
    assert isinstance(one.verdict, Refuted)


def test_a_guard_that_is_gone_without_a_reason_is_not_proved() -> None:
    recorded, mark, optimized = IMMUTABLE.partition("jit-log-opt-loop")
    dropped = optimized.replace("guard_true(i5, descr=<Guard0x1>)\n", "").replace("with 8 ops", "with 7 ops")
    (one,) = judged(recorded + mark + dropped)
    assert isinstance(one.verdict, Unknown)


def test_a_guard_that_became_weaker_is_not_proved() -> None:
    recorded, mark, optimized = IMMUTABLE.partition("jit-log-opt-loop")
    (one,) = judged(recorded + mark + optimized.replace("int_lt(i1, i4)", "int_le(i1, i4)"))
    assert isinstance(one.verdict, Unknown)


def test_a_field_that_is_watched_somewhere_may_change() -> None:
    watched = IMMUTABLE.replace("[p0, i1]\np2", "[p0, i1]\nquasiimmut_field(p0, descr=<QuasiImmutDescr object>)\np2", 1)
    (one,) = judged(watched.replace("with 8 ops", "with 9 ops", 1))
    assert not isinstance(one.verdict, Proved)


SECOND = """\
[1] {jit-log-noopt
# Traced loop or bridge with 3 ops
[p0]
setfield_gc(p0, ConstPtr(ptr1), descr=<FieldP Box.map 8>)
setfield_gc(p0, ConstPtr(ptr2), descr=<FieldP Box.map 8>)
finish()
[2] jit-log-noopt}
[3] {jit-log-opt-bridge
# bridge out of Guard 0x7f10 with 2 ops
[p0]
+1: setfield_gc(p0, ConstPtr(ptr3), descr=<FieldP Box.map 8>)
EXTRA
+2: finish()
[4] jit-log-opt-bridge}
"""


def test_constants_that_follow_one_another_in_a_place_are_told_apart() -> None:
    second = "+2: setfield_gc(p0, ConstPtr(ptr4), descr=<FieldP Box.map 8>)"
    both = SECOND.replace("EXTRA", second).replace("with 2 ops", "with 3 ops")
    (one,) = judged(both)
    assert isinstance(one.verdict, Proved)
    (last,) = judged(SECOND.replace("EXTRA\n", ""))
    assert isinstance(last.verdict, Proved)


def test_a_second_constant_that_is_not_stored_shows() -> None:
    """The first one is stored where a call can see it, and the second one never: they are not one constant."""
    call = "call_n(ConstClass(tell), p0, descr=<Callv 0 r EF=5>)"
    store = "setfield_gc(p0, ConstPtr(ptr2), descr=<FieldP Box.map 8>)\n"
    log = SECOND.replace(store, f"{call}\n{store}").replace("EXTRA", f"+2: {call}")
    (one,) = judged(log.replace("with 3 ops", "with 4 ops").replace("with 2 ops", "with 3 ops"))
    assert not isinstance(one.verdict, Proved)


def replaced(stored: str, *known: str) -> Judged:
    """A bridge that gives a new object one constant and then another one, and hands it over in another new object,
    which is all that shows what it is; the optimizer stores this value alone. Both begin with what is known."""
    new, held = "p{} = new_with_vtable(descr=<SizeDescr 16>)", "setfield_gc(p{}, {}, descr=<FieldP Box.{} 8>)"
    link, call = held.format(2, "p1", "link"), "call_n(ConstClass(tell), p2, descr=<Callv 0 r EF=5>)"
    stores = (held.format(1, f"ConstPtr(ptr{number})", "map") for number in (1, 2))
    before = (*known, new.format(1), *stores, new.format(2), link, call)
    return judged_bridge(before, (*known, new.format(2), new.format(1), held.format(1, stored, "map"), link, call))


def test_a_constant_that_is_stored_last_is_the_one_that_the_optimizer_stores() -> None:
    assert isinstance(replaced("ConstPtr(ptr4)").verdict, Proved)


def test_the_one_that_was_stored_before_is_not() -> None:
    assert not isinstance(replaced("p0", "guard_value(p0, ConstPtr(ptr1), descr=<Guard0x1>) [p0]").verdict, Proved)


REFERENCE = """\
[1] {jit-log-noopt
# Traced loop or bridge with 6 ops
[p0, p1]
p2 = force_token()
p3 = virtual_ref(p0, p2)
setfield_gc(p1, p3, descr=<FieldP Context.top 8>)
call_n(ConstClass(work), p1, descr=<Callv 0 r EF=6>)
virtual_ref_finish(p3, ConstPtr(null))
finish()
[2] jit-log-noopt}
[3] {jit-log-opt-bridge
# bridge out of Guard 0x7f10 with 8 ops
[p0, p1]
+1: p2 = force_token()
+2: p3 = new_with_vtable(descr=<SizeDescr 24>)
+3: setfield_gc(p3, p2, descr=<FieldP JitVirtualRef.virtual_token 8>)
+4: setfield_gc(p3, ConstPtr(null), descr=<FieldP JitVirtualRef.forced 16>)
+5: setfield_gc(p1, p3, descr=<FieldP Context.top 8>)
+6: call_n(ConstClass(work), p1, descr=<Callv 0 r EF=6>)
+7: setfield_gc(p3, ConstPtr(null), descr=<FieldP JitVirtualRef.virtual_token 8>)
+8: finish()
[4] jit-log-opt-bridge}
"""


def test_a_virtual_reference_that_the_optimizer_makes_is_one() -> None:
    (one,) = judged(REFERENCE)
    assert isinstance(one.verdict, Proved)


@pytest.mark.parametrize("line", ["+3", "+5", "+7"])
def test_a_store_to_a_virtual_reference_that_is_missing_shows(line: str) -> None:
    missing = "".join(one for one in REFERENCE.splitlines(True) if not one.startswith(f"{line}: "))
    (one,) = judged(missing.replace("with 8 ops", "with 7 ops"))
    assert not isinstance(one.verdict, Proved)


@pytest.mark.parametrize("size", [8, 16, 32])
def test_a_virtual_reference_is_of_its_size(size: int) -> None:
    (one,) = judged(REFERENCE.replace("<SizeDescr 24>", f"<SizeDescr {size}>"))
    assert not isinstance(one.verdict, Proved)


def test_a_counter_of_debugging_writes_memory() -> None:
    one = judged_bridge(("finish(p0)",), ("increment_debug_counter(140463277919584)", "finish(p0)"))
    assert isinstance(one.verdict, Unsupported)


@pytest.mark.parametrize("name", ["ll_arraycopy__arrayPtr", "abort"])
def test_a_copy_of_no_items_is_one_of_rpythons_function(name: str) -> None:
    call = f"call_n(ConstClass({name}), p0, p0, 0, 0, 0, descr=<Callv 0 rriii EF=2 OS=1>)"
    one = judged_bridge(("finish(p0)",), (call, "finish(p0)"))
    assert isinstance(one.verdict, Proved) is (name != "abort")


@pytest.mark.parametrize(
    ("name", "is_right"), [("ll_streq", True), ("_ll_4_str_eq_slice_char", True), ("abort", False)]
)
def test_a_function_with_an_oopspec_is_one_of_rpythons(name: str, *, is_right: bool) -> None:
    call = "i1 = call_i(ConstClass({}), p0, p0, descr=<Calli 8 rr EF=0 OS=24>)"
    one = judged_bridge((call.format("ll_streq"), "finish(i1)"), (call.format(name), "finish(i1)"))
    assert isinstance(one.verdict, Unsupported) is not is_right


def test_a_trace_without_operations_is_a_mistake() -> None:
    (one,) = judged(recorded("[p0]", "finish(p0)") + bridge("[p0]"))
    assert isinstance(one.verdict, Failed)
    assert one.verdict.fault is Fault.INPUT


def test_an_end_says_how_the_trace_finishes() -> None:
    end = "finish(descr=<DoneWithThisFrameDescrVoid object at 0x7f>)"
    for optimized, expected in ((end, Proved), ("finish()", Unsupported)):
        (one,) = judged(recorded("[p0]", end) + bridge("[p0]", f"+1: {optimized}"))
        assert isinstance(one.verdict, expected)


CALLS = "call_may_force_n(ConstClass(work), p0, descr=<Callv 0 r EF=7>)"
FORCES = "guard_not_forced({})", "guard_no_exception({})"


@pytest.mark.parametrize(
    ("behind", "is_right"),
    [
        (FORCES, True),
        (FORCES[::-1], False),
        (("i1 = getfield_gc_i(p0, descr=<FieldS P.inst_a 8>)", *FORCES), False),
        ((FORCES[0], "i1 = getfield_gc_i(p0, descr=<FieldS P.inst_a 8>)", FORCES[1]), True),
    ],
)
def test_the_guard_of_what_forces_stands_right_behind_the_call(behind: tuple[str, ...], *, is_right: bool) -> None:
    before = [one.format("") for one in (CALLS, *FORCES)]
    numbered = enumerate((CALLS, *behind))
    kept = [one.format(f"descr=<Guard0x7f{at:02}>") + " [p0]" * one.startswith("guard") for at, one in numbered]
    load = [one for one in behind if one.startswith("i1")]
    one = judged_bridge(
        ["guard_nonnull_class(p0, ConstClass(P))", *before, *load],
        [*["guard_nonnull_class(p0, ConstClass(P), descr=<Guard0x7f50>) [p0]"], *kept],
    )
    assert isinstance(one.verdict, Proved if is_right else Unsupported), one.verdict


@pytest.mark.parametrize("read", ["strhash", "unicodehash", "strlen"])
def test_that_a_string_has_its_hash_is_assumed_by_name(read: str) -> None:
    lines = (f"i1 = {read}(p0)", "finish(i1)")
    one = judged_bridge(lines, lines)
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert (HASHES in one.texts.assumes) is (read != "strlen")


@pytest.mark.parametrize("line", ["i9 = frobnicate(i1)", f"i9 = int_add(i1, {'9' * 5000})", "guard_value(i1)"])
@pytest.mark.parametrize("at", ["+19: ", ""])
def test_a_line_that_is_no_operation_is_the_fault_of_its_pair_alone(line: str, at: str) -> None:
    right, first = LOG.replace("NUMBER", "1"), "+19: " if at else "i3 = "
    wrong = right.replace(first, f"{at}{line}\n{first}")
    wrong = wrong.replace("with 3 ops", "with 4 ops") if at else wrong.replace("with 5 ops", "with 6 ops")
    one, other = judged(wrong + right)
    assert isinstance(one.verdict, Failed)
    assert one.verdict.fault is Fault.INPUT
    assert isinstance(other.verdict, Proved)
