"""New objects that hold new objects: both traces make them of the same classes."""

from __future__ import annotations

import pytest

from tests.validator.pypy.test_stock import judged
from validator import Proved

V, A = "<FieldS W_IntObject.inst_intval 8 pure>", "<FieldP W_Pair.first 8 pure>"
B = "<FieldS W_Pair.second 16 pure>"
HOLDS = f"""\
[1] {{jit-log-noopt
# Traced loop or bridge with 10 ops
[p0, p1]
guard_class(p1, ConstClass(W_Pair))
i2 = getfield_gc_i(p1, descr={B})
i3 = int_add(i2, 1)
p4 = new_with_vtable(descr=<SizeDescr 16>)
setfield_gc(p4, i3, descr={V})
p5 = new_with_vtable(descr=<SizeDescr 24>)
setfield_gc(p5, p4, descr={A})
setfield_gc(p5, i3, descr={B})
setfield_gc(p0, p5, descr=<FieldP Node.last 16>)
jump(p0, p5, descr=<Loop-1>)
[2] jit-log-noopt}}
[3] {{jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with 19 ops
[p0, p1]
+17: label(p0, p1, descr=TargetToken(140))
+18: guard_class(p1, ConstClass(W_Pair), descr=<Guard0x7f10>) [p0, p1]
+19: i2 = getfield_gc_i(p1, descr={B})
+20: i3 = int_add(i2, 1)
+21: p5 = new_with_vtable(descr=<SizeDescr 24>)
+22: p4 = new_with_vtable(descr=<SizeDescr 16>)
+23: setfield_gc(p4, i3, descr={V})
+24: setfield_gc(p5, p4, descr={A})
+25: setfield_gc(p5, i3, descr={B})
+26: setfield_gc(p0, p5, descr=<FieldP Node.last 16>)
+27: label(p0, p5, i3, descr=TargetToken(141))
+28: i8 = int_add(i3, 1)
+29: p9 = new_with_vtable(descr=<SizeDescr 24>)
+30: p10 = new_with_vtable(descr=<SizeDescr 16>)
+31: setfield_gc(p10, i8, descr={V})
+32: setfield_gc(p9, p10, descr={A})
+33: setfield_gc(p9, i8, descr={B})
+34: setfield_gc(p0, p9, descr=<FieldP Node.last 16>)
+35: jump(p0, p9, i8, descr=TargetToken(141))
+36: --end of the loop--
[4] jit-log-opt-loop}}
"""


def test_objects_in_objects_are_of_the_same_classes() -> None:
    (loop,) = judged(HOLDS)
    assert isinstance(loop.verdict, Proved), loop.verdict


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("p9 = new_with_vtable(descr=<SizeDescr 24>)", "p9 = new_with_vtable(descr=<SizeDescr 32>)"),
        ("p10 = new_with_vtable(descr=<SizeDescr 16>)", "p10 = new_with_vtable(descr=<SizeDescr 24>)"),
        ("setfield_gc(p10, i8,", "setfield_gc(p10, i3,"),
        ("setfield_gc(p9, i8,", "setfield_gc(p9, i3,"),
        ("setfield_gc(p0, p9,", "setfield_gc(p0, p5,"),
        ("jump(p0, p9, i8,", "jump(p0, p5, i8,"),
    ],
)
def test_faults_in_objects_in_objects_are_not_proved(right: str, wrong: str) -> None:
    assert HOLDS.count(right) == 1
    (loop,) = judged(HOLDS.replace(right, wrong))
    assert not isinstance(loop.verdict, Proved)
