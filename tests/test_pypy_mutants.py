"""`scripts/pypy-mutants`: faults in a log of PyPy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from pypy_logs import boxed

from optimizer.ir.immutable import replace
from pypy_mutants.__main__ import table
from pypy_mutants.edits import FAULTS, mutants
from pypy_mutants.measure import judging, read_log

LINES = """\
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with 9 ops
[p0, i1, p2]
+17: label(p0, i1, p2, descr=TargetToken(140))
+18: i3 = getfield_gc_i(p0, descr=<FieldS Counter.inst_count 8>)
+19: i4 = int_sub(i3, i1)
+20: guard_true(i4, descr=<Guard0x7f20>) [p0, i1]
+21: setfield_gc(p0, i4, descr=<FieldS Counter.inst_count 8>)
+22: call_n(ConstClass(tell), p0, descr=<Callv 0 r EF=5>)
+23: i5 = getfield_gc_i(p2, descr=<FieldS Counter.inst_count 8>)
+24: i6 = getfield_gc_i(p2, descr=<FieldS Counter.inst_limit 16>)
+25: p7 = new(descr=<SizeDescr 16>)
+26: setfield_gc(p7, i5, descr=<FieldS Counter.inst_count 8>)
+27: i8 = int_add_ovf(i6, 1)
+28: guard_no_overflow(descr=<Guard0x7f30>) [p0]
+29: jump(p0, i8, p7, descr=TargetToken(140))
+30: --end of the loop--""".splitlines()


def after(fault: str) -> list[list[str]]:
    """The lines that each mutant has instead."""
    (found,) = (one for one in FAULTS if one.name == fault)
    return [[line for line in lines if line not in LINES] for lines in mutants(LINES, found, Random(1))]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_each_kind_of_fault_changes_a_trace(fault: object) -> None:
    (found,) = (one for one in FAULTS if one is fault)
    made = mutants(LINES, found, Random(1))
    assert made
    assert all(list(lines) != LINES and lines[:3] == tuple(LINES[:3]) for lines in made)


def test_nothing_is_moved_in_front_of_the_inputs() -> None:
    bridge = [LINES[0], LINES[1].replace("i1", "i4"), LINES[6], LINES[5], LINES[-2]]
    (moved,) = (one for one in FAULTS if one.name == "guard moved over a store or call")
    made = mutants(bridge, moved, Random(1))
    assert [list(lines) for lines in made] == [[*bridge[:2], bridge[3], bridge[2], bridge[4]]]


def test_what_is_changed() -> None:
    assert ["+19: i4 = int_sub(i1, i3)"] in after("operands swapped")
    assert after("guard inverted")[0] == ["+20: guard_false(i4, descr=<Guard0x7f20>) [p0, i1]"]
    assert ["+27: i8 = int_add(i6, 1)"] in after("guard dropped")
    assert ["+24: i6 = getfield_gc_i(p2, descr=<FieldS Counter.inst_count 8>)"] in after("wrong field")
    assert ["+26: setfield_gc(p7, i6, descr=<FieldS Counter.inst_count 8>)"] in after("wrong field of a virtual")
    assert [] in after("store dropped")


def test_nothing_is_used_before_it_is_made() -> None:
    (moved,) = (one for one in FAULTS if one.name == "load from before a store")
    (lines,) = {tuple(lines) for lines in mutants(LINES, moved, Random(1))}
    assert lines.index(LINES[8]) < lines.index(LINES[6])


def test_a_log_with_a_mutant_in_it_is_judged(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(boxed())
    log = replace(read_log(str(tmp_path / "run.log")), proved=(0,))
    with judging([log], 1, 10.0) as judge:
        found = [mutant for mutant in map(judge, range(10)) if mutant is not None]
    assert {mutant.verdict for mutant in found} == {"refuted"}
    assert "| all |" in table(found)
    assert table(found).endswith("proved: 0.0 %")


def test_a_log_that_is_not_there_is_told(tmp_path: Path) -> None:
    command, scripts = [sys.executable, "-m", "pypy_mutants", "no.log"], Path(__file__).parents[1] / "scripts"
    environment = {**os.environ, "PYTHONPATH": str(scripts)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "error: no.log: there is no such file\n")


def test_no_guard_comes_between_an_operation_and_the_guard_on_it() -> None:
    (moved,) = (one for one in FAULTS if one.name == "guard moved over a store or call")
    for lines in mutants(LINES, moved, Random(1)):
        at = next(at for at, line in enumerate(lines) if "int_add_ovf" in line)
        assert "guard_no_overflow" in lines[at + 1]
