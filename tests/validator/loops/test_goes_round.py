"""Loops that never go round twice, and such as only seem so."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from validator import Options, validate
from validator.loops.goes_round import never_goes_round

ODD = "i1 = getfield_gc_i(p0, descr=count)\ni2 = int_and(i1, 1)\nguard_true(i2) []\n"
STEP = "i3 = int_add(i1, 1)\nsetfield_gc(p0, i3, descr=count)\n"
SILENT = '+++\n[call.tell]\nresult = "void"\nreads = []\nwrites = []\n+++\n'
MODULO = '+++\n[call.mod]\nresult = "int"\nelidable = true\noopspec = "int_py_mod"\n+++\n'


@pytest.mark.parametrize(
    ("loop", "is_right"),
    [
        (f"[p0]\n{ODD}{STEP}jump(p0)\n", True),
        (f"{MODULO}[p0]\n{ODD.replace('int_and(i1, 1', 'call_pure_i(1, i1, 2, descr=mod')}{STEP}jump(p0)\n", True),
        (f"[p0]\n{ODD}jump(p0)\n", False),
        (f"[p0]\n{ODD.replace('guard_true(i2) []', 'record_exact_value_i(i2, 1)')}{STEP}jump(p0)\n", False),
        (f"{SILENT}[p0]\n{ODD}{STEP}call_n(1, descr=tell)\njump(p0)\n", False),
        ("[p0]\ni1 = ptr_eq(p0, ConstPtr(k))\nguard_false(i1) []\njump(ConstPtr(k))\n", False),
        ("[p0]\nguard_nonnull(p0) []\njump(NULL)\n", True),
    ],
)
def test_nothing_is_taken_for_granted(loop: str, *, is_right: bool) -> None:
    trace = parse(loop)
    assert never_goes_round(trace, trace, validate, Options()) is is_right


def test_a_bridge_comes_in_front() -> None:
    loop = parse(f"[p0]\n{ODD}jump(p0)\n")
    for number, is_right in ((2, True), (3, False)):
        bridge = parse(f"[p0]\nsetfield_gc(p0, {number}, descr=count)\njump(p0)\n")
        assert never_goes_round(bridge, loop, validate, Options()) is is_right
