"""A pair is refuted only where the difference rests on nothing that the log leaves open."""

from __future__ import annotations

import pytest

from optimizer.ir.run.runs import GuardFailed, Jumped, Outcome, Run, Stopped, Undefined
from tests.pypy_logs import pairs_of
from validator import Proved, Refuted, Unknown
from validator.pypy.judge import Judged, judge
from validator.pypy.open import Open
from validator.pypy.printed.lines import read_printed
from validator.pypy.printed.straight import straight
from validator.pypy.study import study
from validator.search.counterexample import Counterexample, State


def judged(recorded: str, optimized: str) -> Judged:
    """The verdict on a loop of these operations and inputs."""
    pairs = pairs_of(_log(recorded, optimized))
    return judge(pairs[0], "log", study(pairs, "log"))


def _log(recorded: str, optimized: str) -> str:
    inputs, *lines = optimized.splitlines()
    return f"""\
[1] {{jit-log-noopt
# Traced loop or bridge with {len(recorded.splitlines()) - 1} ops
{recorded}
[2] jit-log-noopt}}
[3] {{jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with {len(lines) + 1} ops
{inputs}
+17: label({inputs[1:-1]}, descr=TargetToken(140))
{chr(10).join(lines)}
+30: --end of the loop--
[4] jit-log-opt-loop}}
"""


EQUAL = "i3 = call_pure_i(ConstClass(ll_streq), p0, ConstPtr(ptr2), descr=<Calli 1 rr EF=0 OS=24>)"
TWIN = "i3 = call_i(ConstClass(_ll_2_str_eq_checknull_char), p0, 88, descr=<Calli 8 ri EF=0 OS=30>)"
REST = """\
guard_false(i3, descr=<Guard0x1>)
i4 = getfield_gc_i(p5, descr=<FieldS Box.value 8>)
i6 = int_add(i4, i1)
i7 = int_lt(i6, 9)
guard_true(i7, descr=<Guard0x2>)
jump(p0, i6, p5, descr=TargetToken(140))"""


def test_what_is_in_a_constant_string_refutes_nothing() -> None:
    outcome = judged(f"[p0, i1, p5]\n{EQUAL}\n{REST}", f"[p0, i1, p5]\n{TWIN}\n{REST}")
    assert isinstance(outcome.verdict, Unknown)
    assert outcome.missing


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("int_add(i4, i1)", "int_add(i4, i4)"),
        ("int_add(i4, i1)", "int_sub(i4, i1)"),
        ("int_lt(i6, 9)", "int_lt(i6, 8)"),
        ("int_lt(i6, 9)", "int_lt(9, i6)"),
        ("guard_true(i7", "guard_false(i7"),
        ("jump(p0, i6", "jump(p0, i4"),
    ],
)
def test_faults_among_numbers_are_refuted_beside_what_is_open(right: str, wrong: str) -> None:
    same = f"[p0, i1, p5]\n{EQUAL.replace('call_pure', 'call')}\n{REST}"
    assert isinstance(judged(f"[p0, i1, p5]\n{EQUAL}\n{REST}", same).verdict, Proved)
    outcome = judged(f"[p0, i1, p5]\n{EQUAL}\n{REST}", same.replace(right, wrong))
    assert isinstance(outcome.verdict, Refuted)
    beside = judged(f"[p0, i1, p5]\n{EQUAL}\n{REST}", f"[p0, i1, p5]\n{TWIN}\n{REST}".replace(right, wrong))
    assert isinstance(beside.verdict, Refuted | Unknown)


CLASS = """\
[p0, i1]
p3 = getfield_gc_r(p0, descr=<FieldP Set.strategy 24>)
{}
p7 = getfield_gc_r(p0, descr=<FieldP Set.text 32>)
i8 = strlen(p7)
{}
jump(p0, i8, descr=TargetToken(140))"""


def test_the_class_of_a_constant_refutes_nothing() -> None:
    value = "guard_value(p3, ConstPtr(ptr9), descr=<Guard0x1>)"
    recorded = CLASS.format("guard_class(p3, ConstClass(Strategy), descr=<Guard0x1>)", value)
    optimized = CLASS.format(value, "i9 = int_add(i8, 0)")
    assert not isinstance(judged(recorded, optimized).verdict, Refuted)


@pytest.mark.parametrize(
    ("gives", "known", "other"),
    [
        ("getfield_gc_i(p0, descr=<FieldU Flags.one 8>)", "int_and({}, 255)", "int_and({}, 254)"),
        ("getfield_gc_i(p0, descr=<FieldU Flags.two 9>)", "int_is_true({})", "int_is_zero({})"),
        ("getfield_gc_i(p0, descr=<FieldS Flags.three 12>)", "int_signext({}, 1)", "int_add({}, 1)"),
        (
            "getinteriorfield_gc_i(p0, 0, descr=<InteriorFieldDescr <FieldU entry.one 0>>)",
            "int_ge({}, 0)",
            "int_neg({})",
        ),
        ("getfield_raw_i(140463277919584, descr=<FieldU raw.one 0>)", "int_and({}, 255)", "int_invert({})"),
        ("call_i(ConstClass(is_it), p0, descr=<Calli 1 r EF=5>)", "int_is_true({})", "int_sub({}, 1)"),
    ],
)
def test_pypy_knows_how_wide_numbers_are(gives: str, known: str, other: str) -> None:
    """A right pair, in one of the widths; and one that is wrong in each."""
    kept = "1" if known.startswith("int_ge") else "i2"
    optimized = f"[p0]\ni2 = {gives}\nfinish({kept})"
    assert isinstance(judged(f"[p0]\ni2 = {gives}\ni3 = {known.format('i2')}\nfinish(i3)", optimized).verdict, Unknown)
    wrong = judged(f"[p0]\ni2 = {gives}\ni3 = {other.format('i2')}\nfinish(i3)", optimized)
    assert "raw" in gives or isinstance(wrong.verdict, Refuted)


FLOATS = """\
[p0, p1]
f2 = getfield_gc_f(p0, descr=<FieldF Point.inst_x 8>)
f3 = getfield_gc_f({}, descr=<FieldF {} 8>)
i4 = float_lt(f2, f3)
guard_false(i4, descr=<Guard0x1>)
{}
jump(p0, p1, descr=TargetToken(140))"""


@pytest.mark.parametrize(
    ("asks", "verdict"),
    [
        ("i5 = float_ge(f2, f3)\nguard_true(i5, descr=<Guard0x2>)", Refuted),  # one of them may be NaN
        ("i5 = float_gt(f3, f2)\nguard_false(i5, descr=<Guard0x2>)", Proved),
        ("i5 = float_lt(f2, 0.500000)\nguard_false(i5, descr=<Guard0x2>)", Unknown),
        ("i5 = cast_float_to_int(f2)\ni6 = int_lt(i5, 9)\nguard_true(i6, descr=<Guard0x2>)", Unknown),
    ],
)
def test_no_guard_on_floats_that_are_loaded_is_left_out_for_what_pypy_knew(asks: str, verdict: type) -> None:
    recorded, optimized = (FLOATS.format("p1", "Point.inst_y", text) for text in (asks, ""))
    assert isinstance(judged(recorded, optimized.replace("\n\n", "\n")).verdict, verdict)


@pytest.mark.parametrize("known", ["the other one", "by a guard"])
def test_one_may_be_where_pypy_knew_a_float(known: str) -> None:
    """As it is in a constant object, of which the optimized trace loads nothing, or was found to be a constant."""
    asks = "i5 = float_ge(f2, f3)\nguard_true(i5, descr=<Guard0x2>)"
    is_guarded = known == "by a guard"
    base = "p1" if is_guarded else "ConstPtr(ptr9)"
    recorded = FLOATS.format(base, "Point.inst_y", asks)
    if is_guarded:
        value = "guard_value(f3, 0.500000, descr=<Guard0x3>)"
        recorded = recorded.replace("i4 =", f"{value}\ni4 =")
        optimized = recorded.replace(f"\n{asks}", "")
    else:
        optimized = "\n".join(line for line in recorded.replace(f"\n{asks}", "").splitlines() if "f3 =" not in line)
        optimized = optimized.replace("f3", "0.500000")
    assert isinstance(judged(recorded, optimized).verdict, Unknown)


CELL, WIDTH = "<FieldP Cell.inst_w_value 8>", "<FieldS Size.inst_width 8 pure>"
LOAD = f"p3 = getfield_gc_r(p0, descr={CELL})\n"
FOUND = f"{LOAD}guard_value(p3, ConstPtr(ptr9), descr=<Guard0x1>)\n"
STORE = f"setfield_gc(p0, ConstPtr(ptr9), descr={CELL})\n"
LOADED = f"p3 = getfield_gc_r(ConstPtr(ptr9), descr={CELL})\n"
SUM = f"i4 = getfield_gc_i(p3, descr={WIDTH})\ni8 = int_add(i2, i4)\n"
ASKS = """\
f4 = getfield_gc_f(p3, descr=<FieldF Point.inst_x 8 pure>)
f5 = getfield_gc_f(p3, descr=<FieldF Point.inst_y 16 pure>)
i6 = float_lt(f4, f5)
guard_false(i6, descr=<Guard0x2>)
i8 = int_add(i2, 7)
"""
ITEM = f"""\
i3 = getfield_gc_i(ConstPtr(ptr9), descr={WIDTH})
p4 = new_array_clear(9, descr=<ArrayS 8>)
setarrayitem_gc(p4, 7, 7, descr=<ArrayS 8>)
i5 = getarrayitem_gc_i(p4, i3, descr=<ArrayS 8>)
i8 = int_add(i2, i5)
"""


@pytest.mark.parametrize(
    ("kept", "gone"),
    [(FOUND, SUM), (FOUND, ASKS), (STORE, LOAD + SUM), (STORE, LOAD + ASKS), ("", LOADED + ASKS), ("", ITEM)],
)
def test_what_is_in_an_object_that_pypy_knew_refutes_nothing(kept: str, gone: str) -> None:
    """The optimizer has looked up a 7 in the constant, or that the guard holds."""
    end = "jump(p0, p1, i8, descr=TargetToken(140))"
    outcome = judged(f"[p0, p1, i2]\n{kept}{gone}{end}", f"[p0, p1, i2]\n{kept}i8 = int_add(i2, 7)\n{end}")
    assert isinstance(outcome.verdict, Unknown)
    assert outcome.missing


def test_which_numbers_classes_and_functions_are_refutes_nothing() -> None:
    one = judged("[p0]\ni1 = int_eq(ConstClass(work), 5)\nfinish(i1)", "[p0]\nfinish(1)")
    assert isinstance(one.verdict, Unknown)


def opened(recorded: str, optimized: str) -> Open:
    """What is open in a loop of these operations and inputs."""
    (pair,) = pairs_of(_log(recorded, optimized))
    return Open(straight(read_printed(pair.recorded, "log"), read_printed(pair.optimized, "log")), pair.kind)


def ran(obligation: str, before: Outcome, after: Outcome) -> Counterexample:
    """A run that breaks the obligation."""
    return Counterexample((), obligation, State(()), Run(before, (), {}), Run(after, (), {}), "", (0,))


@pytest.mark.parametrize(("stored", "is_open"), [("ConstPtr(ptr3)", True), ("p0", False)])
def test_which_constants_a_trace_stores_to_refutes_nothing(stored: str, is_open: bool) -> None:
    """PyPy knows that `ptr3` is not `ptr4`."""
    load, guard = f"p3 = getfield_gc_r(ConstPtr(ptr4), descr={CELL})", "guard_nonnull(p3, descr=<Guard0x1>)"
    before = f"[p0, p1]\nsetfield_gc({stored}, p1, descr={CELL})\n{load}\n{guard}\njump(p0, p1, descr=<Loop-1>)"
    after = f"[p0, p1]\n{load}\n{guard}\njump(p0, p1, descr=TargetToken(140))"
    run = ran("guard 0: condition", Jumped(()), GuardFailed(0, None))
    assert bool(opened(before, after).rests_on(run)) is is_open


@pytest.mark.parametrize(("ends", "is_open"), [(Stopped(1), True), (Jumped(()), False)])
def test_a_call_that_one_trace_alone_does_refutes_nothing(ends: Outcome, is_open: bool) -> None:
    """PyPy knows that the second lookup returns, as the first one did."""
    look = "i{} = call_i(ConstClass(lookup), p0, descr=<Calli 8 r EF=5 OS=4>)"
    load = "i3 = getfield_gc_i(p0, descr=<FieldS Box.value 16>)"
    before = f"[p0]\n{look.format(1)}\n{look.format(2)}\n{load}\njump(p0, descr=<Loop-1>)"
    after = f"[p0]\n{look.format(1)}\n{load}\njump(p0, descr=TargetToken(140))"
    run = ran("op 2: defined", ends, Undefined(2, "the object is NULL"))
    assert bool(opened(before, after).rests_on(run)) is is_open


def test_ends_with_different_numbers_of_values_may_hang_on_anything() -> None:
    one = judged("[p0, i1]\nguard_value(p0, ConstPtr(ptr3))\nfinish(i1)", "[p0, i1]\nfinish(i1, i1)")
    assert isinstance(one.verdict, Unknown)


def test_operations_have_no_numbers_of_lines_where_a_guard_for_a_float_is_several() -> None:
    guard = "guard_value(f1, 2.5{})"
    before = f"[p0, f1]\n{guard.format('')}\njump(p0, f1, descr=<Loop-1>)"
    after = f"[p0, f1]\n{guard.format(', descr=<Guard0x1>')} [p0]\njump(p0, f1, descr=TargetToken(140))"
    run = ran("op 4: defined", Jumped(()), Undefined(4, "the object is NULL"))
    assert opened(before, after).rests_on(run)
