"""The plan of a campaign, as data: whoever has the plan does the same with the same seed, on whatever machine.

Seeds are worked on in batches of `BATCH`, which start at the campaign's first seed. What is kept and guided by belongs
to a batch, so that a batch is a function of its first seed and of the plan.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from fuzz.subject.optimizers import OptimizerSpec
from validator.tell.plain_data import from_plain, to_plain
from validator.verdict import Options

BATCH = 256
"""Seeds in a batch."""

REDUCE_S = 10.0
"""Seconds to make a find small."""

_LATE_S = 10.0

OPTIONS = Options(effort=10_000_000, timeout_s=20.0)
"""A campaign does not wait long for one proof: there are more traces."""


AIMED = 10
"""The percentage of the traces for an optimizer that is not ours that are mutated from such as it has changed."""


def usual_mutate(optimizer: OptimizerSpec, seeds_from: Sequence[str]) -> int:
    """The percentage of traces that is mutated where nothing is said of it. Traces are drawn for our own optimizer so
    that this finds nothing sooner."""
    if seeds_from:
        return 100
    return 0 if optimizer.is_ours else AIMED


@dataclass(frozen=True, slots=True)
class Plan:
    """`seed` is the first one. A campaign ends after so many `traces` or `seconds` (None: there is no such end), or at
    the find number `stop_after`. It begins with the traces in the files `seeds_from`, but for the first `seeds_skip`.
    Of the others a share of `mutate` percent is mutated, from these and those that the batch has kept. `memory_mb` is
    for each worker. Traces keep to what is `asked` for, and to what the optimizer has `announced` that it
    understands. Of the seeds a share of `check_share` percent has its proof checked."""

    seed: int
    traces: int | None = None
    seconds: float | None = None
    stop_after: int | None = None
    optimizer: OptimizerSpec = field(default_factory=OptimizerSpec)
    seeds_from: tuple[str, ...] = ()
    seeds_skip: int = 0
    mutate: int = 0
    check_share: int = 0
    memory_mb: int = 4096
    options: Options = OPTIONS
    asked: Vocabulary = EVERYTHING
    announced: Vocabulary = EVERYTHING

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that all traces keep to."""
        return self.announced.narrowed(self.asked)

    @property
    def patience_s(self) -> float:
        """The seconds that a worker may be at one trace, all that is done with it together."""
        return self.optimizer.limit_s + (2 + bool(self.check_share)) * (self.options.timeout_s + REDUCE_S) + _LATE_S

    def makes_as(self, other: Plan) -> bool:
        """Does a seed give the same record under both plans?"""
        return self._deciding() == other._deciding()

    def _deciding(self) -> tuple[object, ...]:
        begins = self.seed - self.seeds_skip if self.seeds_from else None
        return self.optimizer, self.seeds_from, begins, self.mutate, self.check_share, self.options, self.vocabulary

    def options_of(self, seed: int) -> Options:
        """The options of that seed's verdict: is a proof checked?"""
        is_checked = Random(f"check {seed}").randrange(100) < self.check_share
        return replace(self.options, audit=True) if is_checked else self.options

    def command(self, first: int, traces: int) -> str:
        """The command that makes the records of that many seeds again."""
        words = ["traceproof fuzz", f"--seed {first}", f"--traces {traces}"]
        if self.optimizer.arguments():
            words.append(self.optimizer.arguments())
        words += [f"--seeds-from {shlex.quote(path)}" for path in self.seeds_from]
        skip = self.seeds_skip + first - self.seed
        if self.seeds_from and skip:
            words.append(f"--seeds-skip {skip}")
        if self.mutate != usual_mutate(self.optimizer, self.seeds_from):
            words.append(f"--mutate {self.mutate}")
        if self.check_share:
            words.append(f"--check-share {self.check_share}")
        words += map(shlex.quote, self.asked.words())
        return " ".join(words)

    @staticmethod
    def read(data: dict[str, Any]) -> Plan:
        """The plan whose plain data that is, or was before there were all these fields. Raises ValueError and
        KeyError."""
        options = to_plain(OPTIONS) | data["options"]
        plan: Plan = from_plain(Plan, to_plain(Plan(0)) | data | {"options": options})
        return plan
