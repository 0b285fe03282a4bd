"""The PyPy under test: a command, and runs of programs by it that may hang, crash or eat their memory."""

from __future__ import annotations

import re
import shlex
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from optimizer.ir.faults import InputError
from validator.processes.child import Came, Child

WARM_UP = "threshold=61,function_threshold=100,trace_eagerness=10"
"""PyPy compiles sooner than by itself, so that short runs have many traces."""

VERBOSE = "TRACEPROOF_VERBOSE"
"""The variable of the environment with which programs print each row."""

_SECTIONS = "jit-log-noopt,jit-log-opt"
_TELL = 'import sys; print(" ".join(sys.version.split()))'
_WHERE = "`apt-get install pypy3` installs one, https://pypy.org/download.html has all"


@dataclass(frozen=True, slots=True)
class Limits:
    """The seconds and megabytes that a program may take."""

    seconds: float = 10.0
    memory_mb: int = 1024

    @property
    def larger(self) -> Limits:
        """The limits that no slow or small machine explains."""
        return Limits(8 * self.seconds, 4 * self.memory_mb)


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that has ended. `code` is the exit code, or minus the signal; None: it had to be ended."""

    code: int | None
    output: str
    errors: str

    @property
    def is_starved(self) -> bool:
        """Was there too little memory or time, or did somebody else end it?"""
        outside = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGXCPU)
        return self.code in outside or "MemoryError" in self.errors or "out of memory" in self.errors.lower()

    @property
    def crash(self) -> str:
        """The crash in words, the same for crashes of one cause: an assertion with its place, or a signal; '' if it has
        not crashed."""
        fatal = re.search(r"Fatal RPython error: (.*)", self.errors)
        if fatal is None and (self.code is None or self.code >= 0):
            return ""
        places = re.findall(r'^ +File "\w+\.c", line \d+, in (\w+)', self.errors, re.MULTILINE)
        what = fatal[1] if fatal is not None else signal.Signals(-(self.code or 0)).name
        return f"{what} in {places[-1]}" if places else what


@dataclass(frozen=True, slots=True)
class Target:
    """The command of a PyPy, options of its JIT beside those of the warm-up, and what it says of itself."""

    command: str
    jit: str = ""
    version: str = field(default="", compare=False)

    @property
    def options(self) -> str:
        """All options of its JIT, as `--jit` takes them."""
        return ",".join(filter(None, (WARM_UP, self.jit)))

    def words(self, program: str | Path, *, jit: bool = True) -> tuple[str, ...]:
        """The command that runs the program, with the JIT or without."""
        return (*shlex.split(self.command), "--jit", self.options if jit else "off", "-S", "-B", str(program))

    def run(
        self, program: Path, limits: Limits, *, jit: bool = True, log: Path | None = None, verbose: bool = False
    ) -> Ran:
        """The run of the program, with a log of its traces if there is a place for one."""
        logging = {} if log is None else {"PYPYLOG": f"{_SECTIONS}:{log}"}
        return run(self.words(program, jit=jit), limits, logging | ({VERBOSE: "1"} if verbose else {}))


def run(words: Sequence[str], limits: Limits, variables: Mapping[str, str] = {}) -> Ran:
    """The run of a command, in which texts have the same hashes each time. Raises OSError where it cannot be
    started."""
    given = {"PYTHONHASHSEED": "0", **variables}
    child = Child(("env", *(f"{name}={value}" for name, value in given.items()), *words), limits.memory_mb)
    with closing(child):
        came = child.exchange(b"", time.monotonic() + limits.seconds)
        code = child.end() if came is Came.END else None
        if came is not Came.END:
            child.kill()
        return Ran(code, child.output.decode(errors="backslashreplace"), child.report())


def open_target(command: str, jit: str = "") -> Target:
    """The target, which was asked what it is. Raises InputError where it is none."""
    try:
        words = shlex.split(command)
        if not words:
            raise ValueError("expected a command, got nothing")
        told = run((*words, "--jit", "off", "-c", _TELL), Limits())
    except (OSError, ValueError) as problem:
        raise InputError(f"--target: {command!r}: {problem}; {_WHERE}") from None
    if told.code == 127:
        raise InputError(f"--target: there is no program {words[0]}; {_WHERE}")
    if told.code != 0 or not told.output.strip():
        ended = "it does not answer" if told.code is None else f"it ends with {told.code}"
        said = told.errors.strip().splitlines()[:1] or [ended]
        raise InputError(f"--target: {command} is no PyPy with a JIT: {said[0]}; {_WHERE}")
    target = Target(command, jit, told.output.strip())
    tried = run((*words, "--jit", target.options, "-c", "pass"), Limits())
    if tried.code:
        said = tried.errors.strip().splitlines()[-1:] or [f"it ends with {tried.code}"]
        raise InputError(f"--jit: {command} does not take these options: {said[0]}")
    return target
