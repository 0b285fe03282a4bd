"""The plan of a hunt, and its folder, as data: what is drawn for a seed is the same wherever the plan is.

hunt.json      the plan, and the versions of what the results depend on
results.jsonl  a line for each seed: see `Result`
cases/         the finds, each a case: see `fuzz.cases.store`
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from fuzz.campaign.plan_file import load_plan, store_plan
from fuzz.hunt.programs.program import Program
from fuzz.hunt.target import Target
from optimizer.ir.faults import InputError
from validator.tell.plain_data import from_plain, to_plain

PLAN, RESULTS, CASES = "hunt.json", "results.jsonl", "cases"


@dataclass(frozen=True, slots=True)
class Plan:
    """A hunt from a first seed on, of a target; so many seconds for the proof of a trace and, about, for making a find
    small. The traces of a share of `prove` percent of the programs are proved; the others are run."""

    seed: int
    target: Target
    timeout_s: float = 3.0
    reduce_s: float = 120.0
    prove: int = 10

    def tries(self, seed: int) -> bool:
        """Are the traces of the program of that seed proved?"""
        return Random(f"prove {seed}").randrange(100) < self.prove

    @property
    def command(self) -> str:
        """The command that begins such a hunt."""
        jit = ("--jit", self.target.jit) if self.target.jit else ()
        hunt = ("traceproof", "hunt", "--target", self.target.command, *jit)
        return shlex.join((*hunt, "--prove", str(self.prove), "--seed", str(self.seed)))


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """A pair that is refuted or a suspect, and no run confirms it: what the verdict says, the assumptions that it
    hangs on, and both traces."""

    where: str
    reason: str
    assumes: tuple[str, ...]
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a seed. `verdicts` and `reasons` are those of the traces of its program; `covered`, the kinds of
    things that happened in it and in no generation before, for which the program is kept to be mutated. `suspects`
    differ in a loop, but on no run of it that was found. Of a find, the `kind`, a `message`, what it is `like` before
    it is made small, and its `bucket` if it was made so. `once`: a difference that did not show again; `lost`: the
    process that worked on it was."""

    seed: int
    program: Program
    parents: tuple[int, ...] = ()
    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    covered: tuple[str, ...] = ()
    unconfirmed: tuple[Unconfirmed, ...] = ()
    suspects: tuple[Unconfirmed, ...] = ()
    kind: str = ""
    like: str = ""
    bucket: str = ""
    message: str = ""
    useless: str = ""
    once: str = ""
    lost: str = ""
    seconds: float = 0.0

    @property
    def line(self) -> str:
        """The line of the file of results; the program is there if it may be needed again."""
        data = to_plain(self)
        if not (self.covered or self.kind or self.unconfirmed or self.suspects or self.once or self.lost):
            data["program"]["source"] = ""
        return json.dumps(data) + "\n"


def write_plan(folder: Path, plan: Plan) -> bool:
    """Puts the plan into the folder, as a whole or not at all; False if there is one already. Raises OSError."""
    return store_plan(folder / PLAN, plan)


def read_plan(folder: Path) -> Plan:
    """The plan of the hunt in the folder. Raises InputError."""
    plan: Plan = load_plan(folder / PLAN, "hunt", partial(from_plain, Plan))
    return plan


def read_results(folder: Path) -> Iterator[Result]:
    """The results that the folder holds; a line that was cut off when the hunt was killed is none."""
    path = folder / RESULTS
    if not path.exists():
        return
    with path.open(encoding="utf-8") as file:
        for line in file:
            if not line.endswith("\n"):
                return
            try:
                yield from_plain(Result, json.loads(line))
            except ValueError as problem:
                raise InputError(f"this is no result of a hunt: {problem}", file=str(path)) from None
