"""Traces from files, to be mutated."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.mutation.pool import load_pool
from fuzz.store import Case, store_case
from optimizer.ir.faults import InputError
from optimizer.ir.interpreter import Finished, Jumped, run
from optimizer.ir.text import parse
from validator.stored_state import StoredState

RARE = "[i0, i1]\nguard_value(i0, 1234567) [i1]\ni2 = int_lt(i1, i0)\nguard_true(i2) [i1]\njump(i1)\n"
FINISHES = "[i0]\ni1 = int_is_true(i0)\nguard_true(i1) []\nfinish(i0)\n"


def test_a_case_brings_its_state(tmp_path: Path) -> None:
    state = StoredState(inputs=(("i0", 1234567), ("i1", -3)))
    store_case(tmp_path, Case("rare", RARE, state=state))
    pool = load_pool((str(tmp_path),))
    assert [one.trace for one in pool.traces] == [parse(RARE)]
    assert pool.traces[0].state.inputs == (1234567, -3)
    assert pool == load_pool((str(tmp_path / "rare"),))


def test_an_example_is_searched_for_a_trace_without_one(tmp_path: Path) -> None:
    (tmp_path / "one.trace").write_text(RARE)
    (tmp_path / "two.trace").write_text(FINISHES)
    (tmp_path / "notes.txt").write_text("no trace")
    pool = load_pool((str(tmp_path),))
    assert [one.trace for one in pool.traces] == [parse(RARE), parse(FINISHES)]
    for one in pool.traces:
        assert isinstance(run(one.trace, one.state.inputs, one.state.world).outcome, Finished | Jumped)
    assert load_pool((str(tmp_path / "two.trace"),)).traces == pool.traces[1:]
    assert not pool.repaired


def test_a_trace_that_never_gets_to_its_end_is_repaired(tmp_path: Path) -> None:
    file = tmp_path / "never.trace"
    file.write_text("[i0]\nguard_true(i0) []\nguard_false(i0) []\njump(i0)\n")
    pool = load_pool((str(file),))
    assert pool.repaired == (str(file),)
    assert len(pool.traces) == 1


def test_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "float.trace").write_text("[f0]\nf1 = float_neg(f0)\njump(f1)\n")
    (tmp_path / "wrong.trace").write_text("[i0]\njump(i1)\n")
    (tmp_path / "good.trace").write_text(FINISHES)
    pool = load_pool((str(tmp_path),))
    assert len(pool.traces) == 1
    assert [name.rpartition("/")[2] for name, _ in pool.left_out] == ["float.trace", "wrong.trace"]
    assert all(reason for _, reason in pool.left_out)


def test_a_folder_without_traces_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither cases nor files"):
        load_pool((str(tmp_path),))
    with pytest.raises(InputError):
        load_pool((str(tmp_path / "missing.trace"),))
