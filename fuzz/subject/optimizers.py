"""The optimizer that is tested: our own, a function, or a program."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path

from fuzz.campaign.coverage import what_fired
from fuzz.campaign.examine import AlwaysFails, Hangs, Optimized, Optimizer, describe
from fuzz.subject.external import CommandOptimizer, ServerOptimizer
from fuzz.subject.user_module import load_module
from optimizer.ir.faults import InputError
from optimizer.ir.trace import Trace
from optimizer.peel import peel
from optimizer.pipeline import DEFAULT_PASSES, Optimization, run_passes
from validator.processes.alarm import Late, alarm


class OptimizerKind(StrEnum):
    OURS = "ours"
    PEELING = "ours, which peels loops"
    FUNCTION = "function"
    COMMAND = "command"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class OptimizerSpec:
    """The optimizer that is tested. `text` is `module:function` or a command line, `limit_s` the seconds that it may
    take for a trace, `memory_mb` the megabytes of each process that it is."""

    kind: OptimizerKind = OptimizerKind.OURS
    text: str = ""
    limit_s: float = 10.0
    memory_mb: int = 4096

    @property
    def is_ours(self) -> bool:
        return self.kind in (OptimizerKind.OURS, OptimizerKind.PEELING)

    def arguments(self) -> str:
        """The words of a command line that choose it; empty for our own."""
        default = OptimizerSpec()
        words: list[str] = []
        if not self.is_ours:
            words += [OPTIONS[self.kind], self.text]
        if self.limit_s != default.limit_s:
            words += ["--optimizer-timeout", f"{self.limit_s:g}"]
        if self.memory_mb != default.memory_mb:
            words += ["--optimizer-memory", str(self.memory_mb)]
        return shlex.join(words)


OPTIONS = {
    OptimizerKind.FUNCTION: "--optimizer",
    OptimizerKind.COMMAND: "--optimizer-cmd",
    OptimizerKind.SERVER: "--optimizer-server",
}
"""The option of command lines that chooses each kind."""


@contextmanager
def open_optimizer(spec: OptimizerSpec) -> Iterator[Optimizer]:
    """The optimizer, until its programs are ended. Raises InputError where there is no such function or program."""
    match spec.kind:
        case OptimizerKind.OURS:
            yield within(ours, spec.limit_s)
        case OptimizerKind.PEELING:
            yield within(lambda trace: _done(peel(trace)), spec.limit_s)
        case OptimizerKind.FUNCTION:
            yield within(_function(spec.text), spec.limit_s)
        case OptimizerKind.COMMAND:
            yield CommandOptimizer(_words(spec), spec.limit_s, spec.memory_mb)
        case OptimizerKind.SERVER:
            with closing(ServerOptimizer(_words(spec), spec.limit_s, spec.memory_mb)) as server:
                yield server


def ours(trace: Trace, passes: Sequence[str] = DEFAULT_PASSES, without: Collection[str] = ()) -> Optimized:
    """Our own optimizer, for traces on which no guard always fails: it raises AlwaysFails where it thinks so. It has
    these passes, and does not follow the rules of those names."""
    return _done(run_passes(trace, passes, without))


def _done(done: Optimization) -> Optimized:
    if done.always_fails is not None:
        raise AlwaysFails(done.always_fails, done.trace)
    return Optimized(done.trace, what_fired(done))


def _function(name: str) -> Optimizer:
    """The function that the user names, from a module in the current folder or one that is installed."""
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise InputError(f"--optimizer: expected MODULE:FUNCTION, got {name!r}")
    if module_name.endswith(".py"):
        dotted = module_name.removesuffix(".py").removeprefix("./").replace("/", ".")
        raise InputError(f"--optimizer: expected the name of a module, got a file: say {dotted}:{function_name}")
    try:
        module = load_module(module_name)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}."):
            where = f"there is no module {error.name} in this folder, and none is installed"
            raise InputError(f"--optimizer: {where}") from error
        raise InputError(f"--optimizer: {module_name} cannot be imported: {describe(error)}") from error
    function = getattr(module, function_name, None)
    if not callable(function):
        raise InputError(f"--optimizer: there is no function {function_name} in {module_name}")
    chosen: Optimizer = function
    return chosen


def _words(spec: OptimizerSpec) -> list[str]:
    option = OPTIONS[spec.kind]
    try:
        words = shlex.split(spec.text)
    except ValueError as error:
        raise InputError(f"{option}: {spec.text!r}: {error}") from None
    if not words:
        raise InputError(f"{option}: expected a command, got nothing")
    if shutil.which(words[0]) is None:
        if "/" in words[0] and Path(words[0]).is_file():
            raise InputError(f"{option}: {words[0]!r} is not executable")
        raise InputError(f"{option}: there is no program {words[0]!r}")
    return words


# A limit of time for what runs in this process.


def within(optimizer: Optimizer, limit_s: float) -> Optimizer:
    """The optimizer, which raises Hangs when it takes longer, as far as an alarm can tell."""

    @wraps(optimizer)
    def limited(trace: Trace) -> object:
        try:
            with alarm(limit_s):
                return optimizer(trace)
        except Late:
            raise Hangs(f"no answer within {limit_s:g} s") from None

    return limited
