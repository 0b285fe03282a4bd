"""A pair is refuted only where the difference rests on nothing that the log leaves open."""

from __future__ import annotations

import pytest

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from validator import Proved, Refuted, Unknown
from validator.pypy.judge import Judged, judge
from validator.pypy.study import study


def judged(recorded: str, optimized: str) -> Judged:
    """The verdict on a loop of these operations and inputs."""
    inputs, *lines = optimized.splitlines()
    log = f"""\
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
    pairs = [pair for pair in pair_sections(read_traces(log.splitlines())) if isinstance(pair, LogPair)]
    return judge(pairs[0], "log", study(pairs, "log"))


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
