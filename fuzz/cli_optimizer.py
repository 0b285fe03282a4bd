"""The option `--optimizer MODULE:FUNCTION` of command lines."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from fuzz.campaign import AlwaysFails, Optimizer, describe
from optimizer.ir.faults import InputError
from optimizer.ir.trace import Trace


def load_optimizer(name: str) -> Optimizer:
    """The function that the user names, from a module that can be imported or stands in the current folder.

    Raises InputError.
    """
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


def optimize_or_claim(trace: Trace) -> Trace:
    """Our own optimizer, for traces on which no guard always fails: it raises AlwaysFails where it thinks so."""
    from optimizer.pipeline import run_passes

    done = run_passes(trace)
    if done.always_fails is not None:
        raise AlwaysFails(done.always_fails)
    return done.trace
