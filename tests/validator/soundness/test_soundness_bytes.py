"""Verdicts on objects by their bytes against many runs of a machine that has decided where fields and items are.

More pairs than the suite has time for: `python tests/validator/soundness/test_soundness_bytes.py
--seconds 600 --seed 1`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[level]) for level in (0, 1, 2, 3)]

import pytest
from bytes_traces import WORD, Machine, Writer
from long_runs import run_long, tally

from optimizer import optimize
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace
from validator import Guards, Options, Proved, Verdict, validate

STATES = 150
HEADER = "[p0, p1, p2, i3, i4]\n"


def mutated(lines: list[str], random: Random) -> list[str]:
    """A trace that is nearly the same."""
    lines = list(lines)
    at = random.randrange(len(lines))
    match random.randrange(7):
        case 0 if "=" not in lines[at].replace("descr=", ""):
            del lines[at]
        case 1 | 2 if at + 1 < len(lines):
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
        case 3:
            lines[at] = re.sub(r"(?<=, )-?\d+(?=[,)])", str(random.choice((0, 1, 2))), lines[at], count=1)
        case 4:
            lines[at] = re.sub(r"\bp[0-2]\b", random.choice(("p0", "p1", "p2")), lines[at], count=1)
        case _:
            values = re.findall(r"\bi\d+\b", "\n".join(lines))
            loaded = [line.split(" = ")[0] for line in lines if re.match(r"i\d+ = g", line)]
            if loaded and values:  # as if it were known what the load gives
                lines = [re.sub(rf"\b{loaded[-1]}\b(?! =)", random.choice(values), line) for line in lines]
    return lines


def pairs(random: Random) -> Iterator[tuple[Trace, Trace]]:
    while True:
        lines = after = "\n".join(Writer(random).lines(random.randint(2, 8))).splitlines()
        for _ in range(random.choice((1, 1, 2))):
            after = mutated(after, random)
        try:
            before, changed = (parse(HEADER + "\n".join(one), word=WORD) for one in (lines, after))
        except Exception:
            continue
        yield before, changed
        yield before, optimize(before)


def judged(pair: tuple[Trace, Trace], random: Random) -> Verdict:
    """The verdict. Fails where runs show that it is wrong."""
    before, after = pair
    verdict = validate(before, after, Options(Guards.SAME, effort=3_000_000, timeout_s=20))
    if isinstance(verdict, Proved):
        for _ in range(STATES):
            machine = Machine(random)
            assert machine.run(before) == machine.run(after), (
                f"proved\n{format_trace(before)}\n{format_trace(after)}\n{vars(machine)}"
            )
    return verdict


@pytest.mark.parametrize("seed", range(2))
def test_verdicts_agree_with_runs(seed: int, rungs: str) -> None:
    random = Random(f"{seed} {rungs}")
    seen = tally(pairs(random), judged, random, 24)
    assert seen["Proved"] > 7, seen
    assert seen["Refuted"] > 0, seen
    assert seen["Unsupported"] + seen["Failed"] < 1, seen


if __name__ == "__main__":
    run_long(__doc__, lambda random: random.choice([*islice(pairs(random), 2)]), judged)
