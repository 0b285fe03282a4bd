"""The optimizer that is tested: our own, or a function."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any

from fuzz.campaign import AlwaysFails, Optimized, Optimizer, describe
from optimizer.ir.faults import InputError
from optimizer.ir.trace import Trace
from optimizer.pipeline import run_passes


class OptimizerKind(StrEnum):
    OURS = "ours"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class OptimizerSpec:
    """Which optimizer is tested. `text` is `module:function`, `limit_s` the seconds that it may take for a trace."""

    kind: OptimizerKind = OptimizerKind.OURS
    text: str = ""
    limit_s: float = 10.0

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @staticmethod
    def read(data: dict[str, Any]) -> OptimizerSpec:
        """The specification whose `data` that is."""
        return OptimizerSpec(OptimizerKind(data["kind"]), data["text"], data["limit_s"])

    def arguments(self) -> str:
        """What a command line says to choose it; empty for our own."""
        return "" if self.kind is OptimizerKind.OURS else shlex.join(["--optimizer", self.text])


@contextmanager
def open_optimizer(spec: OptimizerSpec) -> Iterator[Optimizer]:
    """The optimizer. Raises InputError where there is no such function."""
    yield ours if spec.kind is OptimizerKind.OURS else load_optimizer(spec.text)


def ours(trace: Trace) -> Optimized:
    """Our own optimizer, for traces on which no guard always fails: it raises AlwaysFails where it thinks so."""
    done = run_passes(trace)
    if done.always_fails is not None:
        raise AlwaysFails(done.always_fails)
    return Optimized(done.trace, frozenset(done.fired))


def load_optimizer(name: str) -> Optimizer:
    """The function that the user names, from a module that can be imported or stands in the current folder."""
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise InputError(f"--optimizer: expected MODULE:FUNCTION, got {name!r}")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        module = import_module(module_name)
    except Exception as error:
        raise InputError(f"--optimizer: {module_name} cannot be imported: {describe(error)}") from error
    function = getattr(module, function_name, None)
    if not callable(function):
        raise InputError(f"--optimizer: there is no function {function_name} in {module_name}")
    chosen: Optimizer = function
    return chosen
