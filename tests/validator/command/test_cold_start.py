"""A pair that structure settles is validated without what only other pairs need."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

BEFORE = "[i0, i1]\ni2 = int_add(i0, 2)\ni3 = int_add(i2, 3)\nguard_true(i1) [i3]\nfinish(i3)\n"
AFTER = "[i0, i1]\ni2 = int_add(i0, 5)\nguard_true(i1) [i2]\nfinish(i2)\n"
WRONG = "[i0, i1]\ni2 = int_add(i0, 6)\nguard_true(i1) [i2]\nfinish(i2)\n"

PROGRAM = """
import sys
from importlib import import_module
bare = set(sys.modules)
module, *args = sys.argv[1:]
try:
    import_module(module).main(args)
except SystemExit:
    print()
    print(*sorted(set(sys.modules) - bare))
"""

ONLY_FOR_OTHERS = {
    "difflib",
    "hashlib",
    "hypothesis",
    "json",
    "multiprocessing",
    "optimizer.ir.text.declarations",
    "optimizer.ir.types.calls",
    "optimizer.ir.run.heap",
    "optimizer.ir.text.heap_reader",
    "optimizer.ir.run.interpreter",
    "optimizer.ir.run.object_heap",
    "optimizer.ir.run.objects",
    "optimizer.ir.run.runs",
    "pathlib",
    "subprocess",
    "tempfile",
    "validator.prove.facts.bounded_facts",
    "validator.search.counterexample",
    "validator.prove.facts.bounded_rules",
    "validator.search.replay",
    "validator.tell.side_by_side",
    "validator.search.simplify",
    "validator.solvers.process",
    "z3",
}


COMMANDS = {"validate": ["validator.command.validate"], "traceproof validate": ["fuzz.command.main", "validate"]}


def loaded(folder: Path, after: str, command: str = "validate") -> set[str]:
    paths = [folder / "before.trace", folder / "after.trace"]
    for path, text in zip(paths, (BEFORE, after), strict=True):
        path.write_text(text)
    words = [sys.executable, "-c", PROGRAM, *COMMANDS[command], *map(str, paths)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("command", COMMANDS)
def test_what_structure_settles_loads_no_solver_and_nothing_that_runs(tmp_path: Path, command: str) -> None:
    assert not loaded(tmp_path, AFTER, command) & {*ONLY_FOR_OTHERS, "fuzz.draw.generator"}


def test_what_is_named_is_there() -> None:
    assert [module for module in sorted(ONLY_FOR_OTHERS) if find_spec(module) is None] == []


def test_what_is_refuted_does_load_them(tmp_path: Path) -> None:
    assert loaded(tmp_path, WRONG) >= {
        "optimizer.ir.run.interpreter",
        "optimizer.ir.run.object_heap",
        "optimizer.ir.run.objects",
        "validator.prove.facts.bounded_facts",
        "validator.search.counterexample",
        "validator.search.replay",
        "validator.tell.side_by_side",
    }
