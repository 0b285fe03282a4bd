"""The same verdicts for the same pairs: in any order, with any number of jobs, for every seed of Python's hashes, by
solvers that have worked before or not, and on a machine that is busy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from processes import end_all, start_python

from fuzz.draw.generator import generate
from fuzz.draw.mixes import DEFAULT_MIX, HEAP_MIX
from fuzz.draw.shape import HeapShape, Shape
from fuzz.selftest.random_edits import edit
from optimizer.ir.text import format_trace
from optimizer.pipeline import optimize
from tests.validator.prove.test_one_query import OTHER_PRODUCTS, OTHER_SUMS, PRODUCTS, SUMS, on_three

ROOT = Path(__file__).parents[3]
EFFORT = "100000"
INTEGERS = Shape(min_operations=10, max_operations=20, mix=DEFAULT_MIX)
HEAP = Shape(inputs=4, min_operations=15, max_operations=25, mix=HEAP_MIX, heap=HeapShape())

# Neither structure nor bounds settle these.
SQUARES = "[i0, i1]\ni2 = int_mul(i0, i0)\ni3 = int_mul(i1, i1)\ni4 = int_sub(i2, i3)\nfinish(i4)\n"
PRODUCT = "[i0, i1]\ni2 = int_add(i0, i1)\ni3 = int_sub(i0, i1)\ni4 = int_mul(i2, i3)\nfinish(i4)\n"
MASKED = "[i0, i1]\ni2 = int_and(i0, i1)\ni3 = int_or(i0, i1)\ni4 = int_add(i2, i3)\nfinish(i4)\n"
SUM = "[i0, i1]\ni2 = int_add(i0, i1)\nfinish(i2)\n"
ALMOST = "[i0, i1]\ni2 = int_add(i0, i1)\ni3 = int_eq(i2, 123456789)\ni4 = int_add(i2, i3)\nfinish(i4)\n"
HARD = {
    "squares": (SQUARES, PRODUCT),
    "masked": (MASKED, SUM),
    "almost": (SUM, ALMOST),
    "sums": (on_three(SUMS), on_three(OTHER_SUMS)),
    "products": (on_three(PRODUCTS), on_three(OTHER_PRODUCTS)),
}


def pairs() -> Iterator[dict[str, str]]:
    for name, (before, after) in HARD.items():
        yield {"name": name, "before": before, "after": after}
    for name, shape in (("integers", INTEGERS), ("heap", HEAP)):
        for seed in range(8):
            before = generate(Random(seed), shape).trace
            right = optimize(before)
            for kind, after in (("right", right), ("wrong", edit(right, Random(seed)))):
                yield {"name": f"{name} {seed} {kind}", "before": format_trace(before), "after": format_trace(after)}


def without_times(line: str) -> tuple[str, str]:
    told = json.loads(line)
    del told["seconds"]
    for obligation in told["obligations"]:
        del obligation["seconds"]
    return told["name"], json.dumps(told)


PROGRAM = """
import os, sys, zlib
from optimizer.ir.domains.term import Term
from validator.command.validate import main
from validator.solvers import smtlib

seed, queries = int(sys.argv.pop(1)), os.open(sys.argv.pop(1), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
if seed:
    Term.__hash__ = lambda term: hash(term.number * (0x9E3779B97F4A7C15 + 2 * seed) % (1 << 61))

def script(terms, conditions, **more):
    made = make_script(terms, conditions, **more)
    os.write(queries, f"{zlib.crc32(made.text.encode()):08x}\\n".encode())
    return made

make_script, smtlib.script = smtlib.script, script
main()
"""
"""Sets of terms are in an order that the seed makes, as the places of terms in memory otherwise do. What solvers are
asked is noted."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """By name, what is told of each pair but for times; and what solvers were asked, in no order."""

    told: list[tuple[str, str]]
    asked: list[str]


def outcome(folder: Path, lines: list[dict[str, str]], jobs: int, seed: int) -> Outcome:
    path, queries = folder / "pairs.jsonl", folder / "queries"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    command = [sys.executable, "-c", PROGRAM, str(seed), str(queries), "--batch", str(path)]
    done = subprocess.run(
        [*command, "--jobs", str(jobs), "--effort", EFFORT],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.stderr == ""
    return Outcome([without_times(line) for line in done.stdout.splitlines()], sorted(queries.read_text().split()))


@contextmanager
def busy() -> Iterator[None]:
    """A process that does nothing but work."""
    start_python("while True: pass")
    yield
    end_all()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return outcome(tmp_path_factory.mktemp("first"), list(pairs()), jobs=1, seed=0)


def test_there_are_verdicts_of_all_kinds_and_rungs(expected: Outcome) -> None:
    told = {name: json.loads(text) for name, text in expected.told}
    kinds = [one["verdict"] for one in told.values()]
    assert kinds.count("proved") > 10
    assert kinds.count("refuted") > 6
    assert told["squares"]["verdict"] == "unknown"
    assert told["almost"]["verdict"] == "refuted"
    assert len(expected.asked) > 5
    assert {"structure", "running", "solving"} <= {
        obligation["by"] for one in told.values() for obligation in one["obligations"]
    }


@pytest.mark.parametrize(("jobs", "seed", "machine"), [(1, 1, nullcontext), (3, 2, busy)])
def test_verdicts_are_the_same(
    jobs: int, seed: int, machine: Callable[[], AbstractContextManager[None]], expected: Outcome, tmp_path: Path
) -> None:
    lines = list(pairs())
    Random(jobs).shuffle(lines)
    with machine():
        found = outcome(tmp_path, lines, jobs, seed)
    assert [name for name, _ in found.told] == [line["name"] for line in lines]
    assert sorted(found.told) == sorted(expected.told)
    assert found.asked == expected.asked


def test_a_solver_that_has_worked_says_the_same(expected: Outcome, tmp_path: Path) -> None:
    lines = list(pairs())[:8]
    found = outcome(tmp_path, lines + lines[::-1], jobs=1, seed=0)
    assert found.told == expected.told[:8] + expected.told[:8][::-1]
