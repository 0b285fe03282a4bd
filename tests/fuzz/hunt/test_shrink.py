"""Small programs: what is left shows the same, and nothing that an edit of the reducer takes away can go."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from fuzz.hunt.shrink import shrink

PROGRAM = """
import math

class A:
    def get(self, x):
        return x + 41

def f(n, a):
    total = 0
    for i in range(n):
        if i % 3 == 1:
            try:
                total += a.get(i) * 17
            except ValueError:
                total = -1
        else:
            while total > 1000:
                total //= 7
    return total

def g(s):
    with open(s) as file:
        return len(file.read())

print(f(1000, A()), math.sqrt(9007199254740993))
"""


def tokens(source: str) -> set[str]:
    return {type(node).__name__ for node in ast.walk(ast.parse(source))}


@pytest.mark.parametrize(
    ("needed", "most_lines"),
    [({"FloorDiv"}, 1), ({"Mult", "For"}, 3), ({"ClassDef", "While"}, 4), ({"Try"}, 4), ({"With"}, 2)],
)
def test_what_is_needed_is_left_and_little_else(needed: set[str], most_lines: int) -> None:
    small = shrink(PROGRAM, lambda source: needed <= tokens(source), 30)
    assert needed <= tokens(small)
    assert len(small.splitlines()) <= most_lines


def test_what_a_handler_does_is_put_in_the_place_of_its_statement() -> None:
    source = "try:\n    total = f(3)\nexcept ValueError:\n    kept = 1\n"
    assert shrink(source, lambda candidate: "kept =" in candidate, 10) == "kept = 0\n"


def test_each_candidate_is_a_program_and_smaller_ones_only_are_taken() -> None:
    tried: list[str] = []

    def shows(source: str) -> bool:
        compile(source, "", "exec")
        tried.append(source)
        return "41" in source

    small = shrink(PROGRAM, shows, 30)
    assert small == "41\n"
    assert len(tried) < 400


def test_constants_become_simple() -> None:
    source = "x = [9007199254740993 + 'long' * 3.25]\n"
    assert shrink(source, lambda candidate: "+" in candidate, 10) in ("0 + 0\n", "0 + ''\n")


def test_a_program_that_does_not_show_it_as_a_tree_stays_as_it_is() -> None:
    source = "x = 1  # needed\n"
    assert shrink(source, lambda candidate: "needed" in candidate, 10) == source


def test_it_ends_when_its_time_is_up() -> None:
    times = iter(range(1000))
    small = shrink(PROGRAM, lambda source: "print" in source, 5, clock=lambda: next(times))
    assert next(times) < 30
    assert small != shrink(PROGRAM, lambda source: "print" in source, 30)


def test_a_program_of_the_tests_is_made_small() -> None:
    source = (Path(__file__).parents[2] / "programs" / "integers.py").read_text()
    small = shrink(source, lambda candidate: "%" in candidate, 30)
    assert len(small.splitlines()) == 1
