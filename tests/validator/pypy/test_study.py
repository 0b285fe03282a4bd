"""Pairs of a log are translated so that the validator can judge them."""

from __future__ import annotations

from optimizer.ir.dialects.pypy_log import read_traces
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.text import parse
from optimizer.ir.text.declarations import parse_declarations
from validator import Failargs, Guards, Options, Proved, Refuted, Verdict, validate
from validator.pypy.study import study, translated

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


def verdict(number: int) -> Verdict:
    log = LOG.replace("NUMBER", str(number)).splitlines()
    pairs = [pair for pair in pair_sections(read_traces(log)) if isinstance(pair, LogPair)]
    text = translated(pairs[0], "log", study(pairs, "log"))
    types = parse_declarations(text.types)
    before, after = parse(text.before, types=types), parse(text.after, types=types)
    return validate(before, after, Options(guards=Guards.SAFE, failargs=Failargs.IGNORE))


def test_a_loop_of_a_log_is_proved() -> None:
    assert isinstance(verdict(1), Proved)


def test_a_wrong_constant_in_a_loop_of_a_log_is_refuted() -> None:
    assert isinstance(verdict(2), Refuted)
