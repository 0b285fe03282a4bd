"""A hunt: seeds in generations, programs that do something new kept and mutated, and a folder that remembers it.

All seeds of a generation draw from what was kept before it, so that what is drawn depends neither on the number of
processes nor on which of them is faster, and a hunt that was killed goes on with the same programs.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random

from fuzz.cases.store import store_case
from fuzz.hunt.plan import CASES, RESULTS, Plan, Result, read_results
from fuzz.hunt.programs.mutate import mutated
from fuzz.hunt.programs.program import Program, draw_program
from fuzz.hunt.trial import Drawn, Tried, lost, trying
from optimizer.ir.immutable import replace
from validator.command.exits import input_errors
from validator.processes.workers import Done, Loss, Supervision, Workers, working

GENERATION = 32
"""Seeds in a generation."""

_MUTATED = 60
"""The percentage of the programs that are made from others, once there are some."""

_REPEATED = 3
"""So many finds that came to known buckets; others that are like them are only counted."""

_MEMORY_MB = 4096
_PATIENCE_S = 1800.0


class Hunt:
    """A hunt in a folder. What its results tell is `known`; to be closed. Raises InputError and OSError."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.plan = plan
        self._folder = folder
        self.known = {result.seed: result for result in read_results(folder)}
        self._file = (folder / RESULTS).open("a+b")
        self._file.seek(0)
        self._file.truncate(self._file.read().rfind(b"\n") + 1)  # without what was cut off
        self._covered: set[str] = set()
        self._kept: list[tuple[int, Program]] = []

    def close(self) -> None:
        with input_errors(name=str(self._folder)):
            self._file.close()

    def run(self, jobs: int, goes_on: Callable[[int], bool]) -> Generator[Result]:
        """The results of seeds that are not known, as they come, by so many processes, as long as `goes_on` says so of
        the next seed. To be closed when it is not run to its end."""
        with working(trying(self.plan), Supervision(jobs, _MEMORY_MB, _PATIENCE_S)) as workers:
            for first in count(self.plan.seed, GENERATION):
                yield from self._generation(range(first, first + GENERATION), workers, goes_on)
                if not all(seed in self.known for seed in range(first, first + GENERATION)):
                    return
                self._learn(range(first, first + GENERATION))

    def _generation(
        self,
        seeds: range,
        workers: Workers[Drawn, Tried],
        goes_on: Callable[[int], bool],
    ) -> Iterator[Result]:
        left = (seed for seed in seeds if seed not in self.known and goes_on(seed))
        while True:
            while workers.has_idle() and (seed := next(left, None)) is not None:
                workers.give(self.draw(seed))
            if not workers.is_busy():
                return
            for drawn, answer in workers.collect():
                if not isinstance(answer, Done):
                    yield self._keep(lost(drawn, answer) if isinstance(answer, Loss) else answer)

    def draw(self, seed: int) -> Drawn:
        """The program of a seed: a new one, or one made from two that were kept."""
        random = Random(f"hunt {seed}")
        known = frozenset(self._known_finds())
        if not self._kept or random.randrange(100) >= _MUTATED:
            return Drawn(seed, draw_program(seed), known=known)
        (one, program), (two, other) = random.choice(self._kept), random.choice(self._kept)
        return Drawn(seed, mutated(program, other, seed), (one, two), known)

    def _known_finds(self) -> Iterator[str]:
        """Likenesses of finds that need not be made small: one was whose cause it tells, or many came to buckets that
        were there."""
        seen, repeated = set[str](), Counter[str]()
        for result in self.known.values():
            if result.bucket:
                repeated[result.like] += result.bucket in seen or (": " in result.like) * _REPEATED
                seen.add(result.bucket)
        yield from (like for like, times in repeated.items() if times >= _REPEATED)

    def _keep(self, tried: Tried) -> Result:
        """Stores the case of a find, if its bucket is new, then the line of the seed, which holds what is new."""
        result = replace(
            tried.result, covered=tuple(what for what in tried.result.covered if what not in self._covered)
        )
        with input_errors(name=str(self._folder)):
            if tried.case is not None:
                store_case(self._folder / CASES, tried.case)
            self._file.write(result.line.encode())
            self._file.flush()
        with suppress(OSError):
            os.fsync(self._file.fileno())
        self.known[result.seed] = result
        return result

    def _learn(self, seeds: range) -> None:
        """The generation is over: keeps the programs in which something happened that had not. What is made from a find
        mostly shows it again."""
        for seed in seeds:
            result = self.known[seed]
            if new := set(result.covered) - self._covered:
                self._covered |= new
                self._kept += [(seed, result.program)] * (not result.kind)
