"""The kinds of things that are told to have happened in a log."""

from __future__ import annotations

from pypy_logs import POINT, bridge, loop, recorded

from fuzz.hunt.coverage import coverage
from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import pair_sections

FIELD = "descr=<FieldS A.x 8>"
GUARD = "descr=<Guard0x7f10>"
LOG = recorded(
    "[p0, i1]",
    POINT.format(line=5),
    f"i2 = getfield_gc_i(p0, {FIELD})",
    f"i3 = getfield_gc_i(p0, {FIELD})",
    POINT.format(line=6),
    "i4 = int_mul(i2, 8)",
    "guard_true(i4, descr=<Guard0x1>) [p0]",
    "i5 = call_i(ConstClass(f), i4, descr=<Calli 8 i EF=5 OS=3>)",
    "jump(p0, i4, descr=<Loop-1>)",
) + loop(
    "[p0, i1]",
    "+1: label(p0, i1, descr=TargetToken(140))",
    POINT.format(line=5),
    f"+2: i2 = getfield_gc_i(p0, {FIELD})",
    POINT.format(line=6),
    "+3: i4 = int_lshift(i2, 3)",
    f"+4: guard_true(i4, {GUARD}) [p0]",
    "+5: i5 = call_i(ConstClass(f), i4, descr=<Calli 8 i EF=5 OS=3>)",
    "+6: jump(p0, i4, descr=TargetToken(140))",
)
BRIDGE = recorded("[p0]", "finish(p0)") + bridge("[p0]", "+1: finish(p0)")


def kinds(log: str) -> frozenset[str]:
    return coverage(pair_sections(read_traces(log.splitlines())))


def test_operations_are_told_with_the_kind_of_their_descr() -> None:
    told = {one for one in kinds(LOG) if one.startswith("operation")}
    assert "operation getfield_gc_i FieldS" in told
    assert "operation call_i Calli EF=5 OS=3" in told
    assert "operation int_mul" in told
    assert "operation int_lshift" not in told  # it was not recorded


def test_rewrites_are_told_by_what_goes_and_comes_at_a_bytecode() -> None:
    told = {one for one in kinds(LOG) if one.startswith("rewrite")}
    assert told == {"rewrite getfield_gc_i >", "rewrite int_mul > int_lshift"}


def test_a_peeled_loop_is_compared_twice() -> None:
    body = LOG.split("{jit-log-opt-loop")[1]
    steps = [line for line in body.splitlines() if line.startswith(("+2", "+3", "+4", "+5:", "debug"))]
    peeled = "\n".join(steps).replace("int_lshift(i2, 3)", "int_add(i2, i2)")
    twice = LOG.replace("+6: jump", f"+5: label(p0, descr=TargetToken(141))\n{peeled}\n+6: jump")
    twice = twice.replace("loop with 8 ops", "loop with 15 ops")
    assert {"rewrite int_mul > int_lshift", "rewrite int_mul > int_add"} <= kinds(twice)
    assert not [one for one in kinds(twice) if "label" in one]


def test_a_bytecode_of_which_much_is_different_tells_no_rewrite() -> None:
    many = "+3: i6 = int_add(i2, 1)\n+3: i7 = int_sub(i6, 1)\n+3: i4 = int_xor(i7, 3)"
    log = LOG.replace("+3: i4 = int_lshift(i2, 3)", many).replace("loop with 8 ops", "loop with 10 ops")
    assert {one for one in kinds(log) if one.startswith("rewrite")} == {"rewrite getfield_gc_i >"}


def test_bridges_are_told_by_the_guard_that_they_start_at() -> None:
    assert "bridge guard_true" in kinds(LOG + BRIDGE)
    assert "bridge guard_true" not in kinds(LOG)
    assert not [one for one in kinds(BRIDGE) if one.startswith("bridge")]  # its guard stands in no trace


def test_damaged_logs_tell_what_is_whole() -> None:
    assert kinds("") == frozenset()
    assert kinds(LOG[: len(LOG) // 2]) == frozenset()
