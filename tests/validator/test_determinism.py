"""The same verdicts for the same pairs: in any order, with any number of jobs, for every seed of Python's hashes, by
solvers that have worked before or not, and on a machine that is busy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.workloads import edit
from fuzz.generate import generate
from fuzz.shape import DEFAULT_MIX, HEAP_MIX, HeapShape, Shape
from optimizer.ir.text import format_trace
from optimizer.pipeline import optimize

ROOT = Path(__file__).parent.parent.parent
EFFORT = "100000"
INTEGERS = Shape(min_operations=10, max_operations=20, mix=DEFAULT_MIX)
HEAP = Shape(inputs=4, min_operations=15, max_operations=25, mix=HEAP_MIX, heap=HeapShape())

# Neither structure nor bounds settle these.
SQUARES = "[i0, i1]\ni2 = int_mul(i0, i0)\ni3 = int_mul(i1, i1)\ni4 = int_sub(i2, i3)\nfinish(i4)\n"
PRODUCT = "[i0, i1]\ni2 = int_add(i0, i1)\ni3 = int_sub(i0, i1)\ni4 = int_mul(i2, i3)\nfinish(i4)\n"
MASKED = "[i0, i1]\ni2 = int_and(i0, i1)\ni3 = int_or(i0, i1)\ni4 = int_add(i2, i3)\nfinish(i4)\n"
SUM = "[i0, i1]\ni2 = int_add(i0, i1)\nfinish(i2)\n"
ALMOST = "[i0, i1]\ni2 = int_add(i0, i1)\ni3 = int_eq(i2, 123456789)\ni4 = int_add(i2, i3)\nfinish(i4)\n"


def pairs() -> Iterator[dict[str, str]]:
    for name, before, after in (("squares", SQUARES, PRODUCT), ("masked", MASKED, SUM), ("almost", SUM, ALMOST)):
        yield {"name": name, "before": before, "after": after}
    for name, shape in (("integers", INTEGERS), ("heap", HEAP)):
        for seed in range(10):
            before = generate(Random(seed), shape).trace
            right = optimize(before)
            for kind, after in (("right", right), ("wrong", edit(right, Random(seed)))):
                yield {"name": f"{name} {seed} {kind}", "before": format_trace(before), "after": format_trace(after)}


def without_times(line: str) -> tuple[str, Any]:
    told = json.loads(line)
    del told["seconds"]
    for obligation in told["obligations"]:
        del obligation["seconds"]
    return told["name"], json.dumps(told)


PROGRAM = """
import sys
from optimizer.ir.term import Term
from validator.cli import main

seed = int(sys.argv.pop(1))
if seed:
    Term.__hash__ = lambda term: hash(term.number * (0x9E3779B97F4A7C15 + 2 * seed) % (1 << 61))
main()
"""
"""Sets of terms are in an order that the seed makes, as the places of terms in memory otherwise do."""


def verdicts(path: Path, lines: list[dict[str, str]], jobs: int, hash_seed: int) -> list[tuple[str, Any]]:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = subprocess.run(
        [
            *(sys.executable, "-c", PROGRAM, str(hash_seed)),
            *("--batch", str(path), "--jobs", str(jobs), "--effort", EFFORT),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.stderr == ""
    return [without_times(line) for line in done.stdout.splitlines()]


@contextmanager
def busy() -> Iterator[None]:
    """Two processes that do nothing but work."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Any]]:
    return verdicts(tmp_path_factory.mktemp("first") / "pairs.jsonl", list(pairs()), jobs=1, hash_seed=0)


def test_there_are_verdicts_of_all_kinds_and_rungs(expected: list[tuple[str, Any]]) -> None:
    told = {name: json.loads(text) for name, text in expected}
    kinds = [one["verdict"] for one in told.values()]
    assert kinds.count("proved") > 15
    assert kinds.count("refuted") > 10
    assert told["squares"]["verdict"] == "unknown"
    assert told["almost"]["verdict"] == "refuted"
    assert {"structure", "running", "solving"} <= {
        obligation["by"] for one in told.values() for obligation in one["obligations"]
    }


@pytest.mark.parametrize(("jobs", "hash_seed"), [(1, 1), (2, 2), (4, 3)])
def test_verdicts_are_the_same(jobs: int, hash_seed: int, expected: list[tuple[str, Any]], tmp_path: Path) -> None:
    lines = list(pairs())
    Random(jobs).shuffle(lines)
    with busy():
        found = verdicts(tmp_path / "pairs.jsonl", lines, jobs, hash_seed)
    assert [name for name, _ in found] == [line["name"] for line in lines]
    assert sorted(found) == sorted(expected)


def test_a_solver_that_has_worked_says_the_same(expected: list[tuple[str, Any]], tmp_path: Path) -> None:
    lines = list(pairs())[:8]
    found = verdicts(tmp_path / "pairs.jsonl", lines + lines[::-1], jobs=1, hash_seed=0)
    assert found == expected[:8] + expected[:8][::-1]
