"""Tests that judge random pairs: so many in the suite, and from the command line for as long as one likes."""

from __future__ import annotations

import argparse
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from random import Random
from typing import TypeVar

import pytest

from validator import Unknown, Unsupported, Verdict

Pair = TypeVar("Pair")


def run_long(description: str | None, draw: Callable[[Random], Pair], judge: Callable[[Pair, Random], Verdict]) -> None:
    """Judges pairs for so long, and prints what is wrong, and how often each verdict was given."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--unknowns", action="store_true", help="print what is unknown")
    parser.add_argument("--stop", action="store_true", help="stop at the first wrong verdict")
    parser.add_argument("--solver-alone", action="store_true", help="without the samples that refute most pairs")
    given = parser.parse_args()
    if given.solver_alone:
        pytest.MonkeyPatch().setattr("validator.search.running.sample_states", lambda *_: iter(()))
    seen: Counter[str] = Counter()
    number, until = given.seed * 1_000_000, time.perf_counter() + given.seconds
    while time.perf_counter() < until:
        number += 1
        random = Random(number)
        pair = draw(random)
        try:
            verdict = judge(pair, random)
        except Exception as problem:
            seen[f"WRONG {type(problem).__name__}"] += 1
            where = "" if isinstance(problem, AssertionError) else f"{traceback.format_exc()}\n{pair}"
            print(f"=== {number}: {type(problem).__name__}: {problem}{where}", flush=True)
            if given.stop:
                break
            continue
        seen[_name(verdict)] += 1
        if given.unknowns and isinstance(verdict, Unknown):
            print(f"--- {number} unknown: {verdict.reason}\n{pair}", flush=True)
    for name, count in seen.most_common():
        print(f"{count:6} {name}")


def tally(pairs: Iterable[Pair], judge: Callable[[Pair, Random], Verdict], random: Random, count: int) -> Counter[str]:
    """How often each kind of verdict is given to the first pairs, so many of them."""
    return Counter(type(judge(pair, random)).__name__ for pair in islice(pairs, count))


def _name(verdict: Verdict) -> str:
    match verdict:
        case Unknown(reason=reason):
            return f"Unknown: {reason.rpartition(': ')[2]}"
        case Unsupported(reason=reason):
            return f"Unsupported: {reason}"
        case _:
            return type(verdict).__name__
