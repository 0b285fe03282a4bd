"""Mutants of programs are programs that end as the others do."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from test_draw_program import run

from fuzz.hunt.programs.mutate import mutated
from fuzz.hunt.programs.program import Program, draw_program

MUTANTS = 15
GENERATIONS = 4


def mutant(seed: int) -> Program:
    """A mutant of mutants."""
    program = draw_program(seed)
    for generation in range(GENERATIONS):
        program = mutated(program, draw_program(seed + generation + 1), seed)
    return program


@pytest.mark.parametrize("seed", range(MUTANTS))
def test_mutants_end_without_an_uncaught_exception(seed: int, tmp_path: Path) -> None:
    program = mutant(seed)
    if program.is_portable:
        run(program, tmp_path, sys.executable)


def test_a_seed_is_one_mutant() -> None:
    program, other = draw_program(1), draw_program(2)
    assert mutated(program, other, 7) == mutated(program, other, 7)
    assert len({mutated(program, other, seed).source for seed in range(30)}) > 20


def test_mutants_differ_in_their_loops_alone() -> None:
    for seed in range(30):
        program = draw_program(seed)
        made = mutated(program, draw_program(seed + 1), seed)
        calls = [ast.unparse(node) for node in ast.parse(program.source).body if isinstance(node, ast.Expr)]
        assert [ast.unparse(node) for node in ast.parse(made.source).body if isinstance(node, ast.Expr)] == calls


BOUNDS = """\
def f0(w0, n0):
    for turn in range(9):
        w0 = take(7001) + n0[7002] + (w0 << 7003) + w0 ** 7004 + 7005

show(f0, 1, [2])
"""


def test_numbers_that_bound_what_a_program_takes_stay() -> None:
    """Arguments, indices, amounts of shifts, and exponents; other numbers become any."""
    program = Program(0, BOUNDS, (), True)
    made = [mutated(program, program, seed).source for seed in range(60)]
    for before, number in ((r"take\(", 7001), (r"n0\[", 7002), ("<< ", 7003), (r"\*\* ", 7004), (r"range\(", 9)):
        assert {found for source in made for found in re.findall(rf"{before}(\d+)", source)} == {str(number)}
    assert any("take(7001)" in source and "7005" not in source for source in made)


@pytest.mark.parametrize(("one", "other"), [(True, True), (True, False), (False, True)])
def test_a_mutant_is_for_other_pythons_if_both_programs_are(*, one: bool, other: bool) -> None:
    """And what both define is defined once."""
    text = f"def take(x):\n    return x\n\n{BOUNDS}"
    made = mutated(Program(0, text, (), one), Program(1, text, (), other), 7)
    assert made.is_portable is (one and other)
    assert made.source.count("def take") == 1
