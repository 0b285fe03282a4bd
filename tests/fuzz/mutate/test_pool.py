"""Traces from files, to be mutated."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.cases.store import Case, store_case
from fuzz.mutate.pool import PoolTrace, load_pool
from optimizer.ir.faults import InputError
from optimizer.ir.run.interpreter import Finished, Jumped, run
from optimizer.ir.text import parse
from validator.tell.stored_state import StoredState

RARE = "[i0, i1]\nguard_value(i0, 1234567) [i1]\ni2 = int_lt(i1, i0)\nguard_true(i2) [i1]\njump(i1)\n"
FINISHES = "[i0]\ni1 = int_is_true(i0)\nguard_true(i1) []\nfinish(i0)\n"


def test_a_case_brings_its_state(tmp_path: Path) -> None:
    state = StoredState(inputs=(("i0", 1234567), ("i1", -3)))
    store_case(tmp_path, Case("rare", RARE, state=state))
    pool = load_pool((str(tmp_path),))
    assert [one.trace for one in pool.traces] == [parse(RARE)]
    example = pool.traces[0].example
    assert example is not None
    assert example.state.inputs == pool.traces[0].as_it_is.state.inputs == (1234567, -3)
    (again,) = load_pool((str(tmp_path / "rare"),)).traces
    assert again.example == example


def is_repaired(one: PoolTrace) -> bool:
    """Is the trace with an example another one?"""
    return one.example is not None and [op.op for op in one.example.trace.ops] != [op.op for op in one.trace.ops]


def test_an_example_is_searched_for_a_trace_without_one(tmp_path: Path) -> None:
    (tmp_path / "one.trace").write_text(RARE)
    (tmp_path / "two.trace").write_text(FINISHES)
    (tmp_path / "notes.txt").write_text("no trace")
    pool = load_pool((str(tmp_path),))
    assert [one.trace for one in pool.traces] == [parse(RARE), parse(FINISHES)]
    for one in pool.traces:
        assert one.example is not None
        assert not is_repaired(one)
        state = one.example.state
        assert isinstance(run(one.trace, state.inputs, state.world).outcome, Finished | Jumped)


def test_a_trace_that_never_gets_to_its_end_is_repaired(tmp_path: Path) -> None:
    file = tmp_path / "never.trace"
    file.write_text("[i0]\nguard_true(i0) []\nguard_false(i0) []\njump(i0)\n")
    (one,) = load_pool((str(file),)).traces
    assert is_repaired(one)
    assert one.as_it_is.trace == one.trace == parse(file.read_text())


def test_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "label.trace").write_text("[i0]\ni1 = int_neg(i0)\nlabel(i1)\njump(i1)\n")
    (tmp_path / "wrong.trace").write_text("[i0]\njump(i1)\n")
    (tmp_path / "bytes.trace").write_bytes(b"[i0]\n# caf\xe9\njump(i0)\n")
    (tmp_path / "good.trace").write_text(FINISHES)
    store_case(tmp_path, Case("case", RARE))
    (tmp_path / "case" / "case.toml").write_text("seed =")
    pool = load_pool((str(tmp_path),))
    assert [one.example is None for one in pool.traces] == [False, True]
    assert [name.rpartition("/")[2] for name, _ in pool.left_out] == ["case", "bytes.trace", "wrong.trace"]
    assert all(reason for _, reason in pool.left_out)
    assert pool.left_out[1][1] == f"{tmp_path}/bytes.trace:2: a text in UTF-8 was expected, but byte 0xe9 is none"
    with pytest.raises(InputError, match="there is no such file"):
        load_pool((str(tmp_path / "missing.trace"),))


LOG = """[1] {jit-log-noopt
# Traced loop or bridge with 3 ops
[p0, i1]
guard_class(p0, 140310492508064)
i2 = getfield_gc_i(p0, descr=<FieldS W.value 8>)
jump(p0, i2)
[2] jit-log-noopt}
[3] {jit-log-noopt
# Traced loop or bridge with 9 ops
[i0]
jump(i0)
[4] jit-log-noopt}
[5] {jit-log-noopt
"""


@pytest.mark.parametrize("is_folder", [False, True])
def test_the_whole_traces_of_a_log(tmp_path: Path, is_folder: bool) -> None:
    (tmp_path / "run.log").write_text(LOG)
    (one,) = load_pool((str(tmp_path if is_folder else tmp_path / "run.log"),)).traces
    assert one.name.endswith("run.log, trace 1")
    assert one.example is not None
    assert not is_repaired(one)
    outcome = run(one.trace, one.example.state.inputs, one.example.state.world, heap=one.example.state.heap).outcome
    assert isinstance(outcome, Jumped)


def test_a_folder_without_traces_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither cases, nor logs, nor files"):
        load_pool((str(tmp_path),))
    with pytest.raises(InputError):
        load_pool((str(tmp_path / "missing.trace"),))
