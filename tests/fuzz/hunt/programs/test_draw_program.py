"""Programs are the same everywhere, end by themselves without an uncaught exception, and use all of the grammar."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fuzz.hunt.programs.prelude import shortened
from fuzz.hunt.programs.program import FAMILIES, Program, draw_program

SEEDS = 1000
RUN = 24
"""The seeds whose programs are run, several a process: what is uncaught in any is told by its name."""
PYPY = shutil.which("pypy3")
HOT = "threshold=43,trace_eagerness=5,function_threshold=83"


@pytest.fixture(scope="module")
def programs() -> list[Program]:
    return [draw_program(seed) for seed in range(SEEDS)]


def digest_of_texts() -> str:
    texts = "".join(draw_program(seed).source for seed in range(20))
    return hashlib.sha256(texts.encode()).hexdigest()


def test_a_seed_is_the_same_program_in_another_process() -> None:
    code = "from test_draw_program import digest_of_texts; print(digest_of_texts())"
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest_of_texts()


def test_seeds_are_different_programs(programs: list[Program]) -> None:
    assert len({program.source for program in programs}) == SEEDS


def test_each_part_of_the_grammar_is_used(programs: list[Program]) -> None:
    used = {name for program in programs for name in program.parts}
    assert used == {part.name for table in FAMILIES.values() for part in table}


def test_names_are_of_one_part() -> None:
    names = [part.name for table in FAMILIES.values() for part in table]
    assert len(set(names)) == len(names)


def test_all_that_was_meant_as_a_hole_is_filled(programs: list[Program]) -> None:
    assert not [program for program in programs if "$" in program.source]
    for program in programs[::4]:
        ast.parse(program.source)


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


def run(program: Program, folder: Path, *command: str, verbose: bool = False) -> str:
    """The lines that a program prints; it has to end well, within its limits."""
    path = folder / f"{program.seed}.py"
    path.write_text(program.source)
    environment = {key: value for key, value in os.environ.items() if key != "TRACEPROOF_VERBOSE"}
    environment |= {"TRACEPROOF_VERBOSE": "1"} if verbose else {}
    preexec = limited if command[0] == sys.executable else None
    done = subprocess.run(
        [*command, str(path)], capture_output=True, text=True, timeout=60, env=environment, preexec_fn=preexec
    )
    assert (done.returncode, done.stderr) == (0, ""), f"seed {program.seed}"
    return done.stdout


@pytest.mark.parametrize("seed", range(RUN))
def test_programs_end_without_an_uncaught_exception(seed: int, tmp_path: Path) -> None:
    program = draw_program(seed)
    if program.is_portable:
        out = run(program, tmp_path, sys.executable)
        assert re.fullmatch(r"(f\d+ \d+ [0-9a-f]{8}\n)+", out)


def test_rows_are_shown_where_that_is_asked_for(tmp_path: Path) -> None:
    program = draw_program(0)
    quiet, verbose = (run(program, tmp_path, sys.executable, verbose=shown) for shown in (False, True))
    assert [line for line in verbose.splitlines() if line[0] == "f"] == quiet.splitlines()
    rows = sum(int(line.split()[1]) for line in quiet.splitlines())
    assert len(verbose.splitlines()) == rows + len(quiet.splitlines())


def test_a_program_with_a_shorter_frame_prints_all_values(tmp_path: Path) -> None:
    program = draw_program(0)
    short = replace(program, source=shortened(program.source))
    assert len(short.source) < len(program.source)
    out = run(short, tmp_path, sys.executable)
    assert {line.split()[0] for line in out.splitlines()} == {f"f{number}" for number in range(6)}
    assert shortened("print(1)\n") == "print(1)\n"


@pytest.mark.skipif(PYPY is None, reason="needs pypy3")
@pytest.mark.parametrize("seed", range(4))
def test_a_jit_compiles_loops(seed: int, tmp_path: Path) -> None:
    assert PYPY is not None
    program, log = draw_program(seed), tmp_path / "log"
    plain = run(program, tmp_path, PYPY, "--jit", "off")
    if program.is_portable:
        assert run(program, tmp_path, sys.executable) == plain
    command = ["env", f"PYPYLOG=jit-log-opt:{log}", PYPY, "--jit", HOT, str(tmp_path / f"{seed}.py")]
    hot = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if hot.stdout == plain:  # or it is a find
        assert log.read_text().count("{jit-log-opt-loop") >= 6
