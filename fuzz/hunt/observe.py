"""Runs of a program with the JIT, without it and by this Python, compared: what a user would see of a fault.

Nothing counts that a slow or small machine, or a program that prints something else each time, explains: a fault is
only one if it shows again, with far larger limits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from itertools import zip_longest
from pathlib import Path

from fuzz.hunt.target import Limits, Ran, Target, run
from fuzz.report.words import last_lines

_REPEATS = 3
_SHOWN = 200


class FindKind(Enum):
    """The kind of a find, the worst first."""

    CRASH = "crash"
    HANG = "hang"
    DIFFERENCE = "difference"
    """It prints something else with the JIT than without."""
    INTERPRETER = "interpreter"
    """It prints something else without the JIT than this Python does."""


@dataclass(frozen=True, slots=True)
class Find:
    """A fault that a run shows. `what` is the crash, or the first words of all lines that differ where both runs end
    alike. `printed` are lines for a person, of each run."""

    kind: FindKind
    what: str
    printed: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        said = {
            FindKind.CRASH: "it crashes",
            FindKind.HANG: "it does not end with the JIT, and does without",
            FindKind.DIFFERENCE: "it prints something else with the JIT than without",
            FindKind.INTERPRETER: "it prints something else without the JIT than CPython does",
        }
        return f"{said[self.kind]}{': ' * bool(self.what)}{self.what}"

    @property
    def tells_place(self) -> bool:
        """Is it a crash that tells where? A signal alone may have any cause."""
        return self.kind is FindKind.CRASH and " in " in self.what


@dataclass(frozen=True, slots=True)
class Seen:
    """The outcome of runs of a program: a find, or `useless`, a reason for which they show nothing. `once`: a
    difference that did not show again."""

    find: Find | None = None
    useless: str = ""
    once: str = ""


@dataclass(frozen=True, slots=True)
class Observer:
    """The way in which programs are run."""

    target: Target
    limits: Limits = field(default_factory=Limits)

    def observe(self, program: Path, *, is_portable: bool, log: Path | None = None, verbose: bool = False) -> Seen:
        """The faults that runs of the program show; the log of the first one is written where it is to be."""
        with_jit = partial(self.target.run, program, verbose=verbose)
        without = partial(self.target.run, program, jit=False, verbose=verbose)
        first, second = with_jit(self.limits, log=log), without(self.limits)
        if _is_bad(first) or _is_bad(second):
            return self._bad(with_jit, without)
        if _told(first) != _told(second):
            return self._different(first, second, with_jit, without)
        if is_portable and not verbose:
            here = run((sys.executable, "-S", "-B", str(program)), self.limits)  # this Python
            if _is_bad(here):
                return Seen(useless="this Python does not end it well")
            if _told(here) != _told(second):
                return Seen(_difference(FindKind.INTERPRETER, here, second, ("CPython", self._named(jit=False))))
        return Seen()

    def _bad(self, with_jit: Callable[[Limits], Ran], without: Callable[[Limits], Ran]) -> Seen:
        """A run was bad: is one with far larger limits?"""
        limits = self.limits.larger
        second = without(limits)
        if second.code is None:
            return Seen(useless="it does not end without the JIT")
        first = with_jit(limits)
        for ran, jit in ((first, True), (second, False)):
            if ran.crash and not ran.is_starved:
                also = () if jit and not second.crash else ("it crashes without the JIT, too",)
                printed = (f"$ {self._named(jit=jit)}", *last_lines(ran.errors or ran.crash).splitlines(), *also)
                return Seen(Find(FindKind.CRASH, ran.crash, printed))
        if first.code is None:
            return Seen(Find(FindKind.HANG, "", (f"$ {self._named(jit=True)}", f"not ended in {limits.seconds:g} s")))
        return Seen(useless="it takes too much time or memory")

    def _different(
        self, first: Ran, second: Ran, with_jit: Callable[[Limits], Ran], without: Callable[[Limits], Ran]
    ) -> Seen:
        if any(_told(without(self.limits)) != _told(second) for _ in range(2)):
            return Seen(useless="it prints something else each time without the JIT")
        for _ in range(_REPEATS):
            again = with_jit(self.limits)
            if _told(again) != _told(second) and not _is_bad(again):
                names = self._named(jit=False), self._named(jit=True)
                return Seen(_difference(FindKind.DIFFERENCE, second, again, names))
        return Seen(once=_difference(FindKind.DIFFERENCE, second, first, ("off", "on")).what or "how it ends")

    def _named(self, *, jit: bool) -> str:
        return " ".join(self.target.words("program.py", jit=jit))


def _is_bad(ran: Ran) -> bool:
    return ran.code is None or bool(ran.crash) or ran.is_starved


def _told(ran: Ran) -> tuple[int | None, str]:
    return ran.code, ran.output


def _difference(kind: FindKind, right: Ran, wrong: Ran, names: tuple[str, str]) -> Find:
    lines = list(zip_longest(right.output.splitlines(), wrong.output.splitlines(), fillvalue=""))
    place = next((n for n, (one, two) in enumerate(lines) if one != two), None)
    told = [f"ends with {ran.code}" for ran in (right, wrong)] if place is None else [*lines[place]]
    printed = [text for name, line in zip(names, told, strict=True) for text in (f"$ {name}", line[:_SHOWN])]
    label = " ".join(dict.fromkeys((one or two).split(" ")[0] for one, two in lines if one != two)).strip()[:_SHOWN]
    if right.code != wrong.code:
        label = ""
        printed += last_lines(wrong.errors).splitlines()
    return Find(kind, label, tuple(printed))
