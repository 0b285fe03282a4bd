"""What a planted fault is, and how it is planted: in the optimizer alone, or in the validator and what it trusts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pytest

from optimizer.ir.trace import Trace
from optimizer.pipeline import DEFAULT_PASSES, Optimization, run_passes

Plant = Callable[[pytest.MonkeyPatch], None]

_Cached = type(lru_cache(lambda: None))


@dataclass(frozen=True, slots=True)
class OptimizerFault:
    """`breaks` says what the optimizer does wrong. `smallest` is the smallest trace known that shows it, empty where
    none was written down."""

    name: str
    breaks: str
    layer: str
    plant: Plant
    smallest: str = ""


@dataclass(frozen=True, slots=True)
class ValidatorFault:
    """`breaks` says what the validator, or what it trusts, does wrong; the tests in `catches` (pytest's names of
    them) fail with it, each of them."""

    name: str
    breaks: str
    layer: str
    plant: Plant
    catches: tuple[str, ...]


@dataclass
class FaultyOptimizer:
    """Our optimizer with a fault, which is planted while it works only: what it shares with the validator is right
    there. What was computed with the fault is kept apart from what was computed without it."""

    fault: OptimizerFault
    _kept: dict[Any, Any] = field(default_factory=dict)

    def __call__(self, trace: Trace) -> Trace:
        return self.run(trace, DEFAULT_PASSES, ()).trace

    def run(self, trace: Trace, passes: Sequence[str], without_rules: Collection[str]) -> Optimization:
        """What these passes make of a trace, without these rules."""
        with pytest.MonkeyPatch.context() as patch:
            for module, name, cached in _caches():
                if cached not in self._kept:
                    self._kept[cached] = lru_cache(**cached.cache_parameters())(cached.__wrapped__)
                patch.setattr(module, name, self._kept[cached])
            self.fault.plant(patch)
            return run_passes(trace, passes, without_rules)


@contextmanager
def planted(fault: ValidatorFault) -> Iterator[None]:
    """The fault is planted everywhere; nothing that was computed with it outlives it."""
    with pytest.MonkeyPatch.context() as patch:
        _forget()
        fault.plant(patch)
        yield
    _forget()


def _caches() -> Iterator[tuple[Any, str, Any]]:
    """What the modules of the optimizer keep of what they have computed."""
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] == "optimizer":
            for name, value in list(vars(module).items()):
                if isinstance(value, _Cached):
                    yield module, name, value


def _forget() -> None:
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] in ("optimizer", "validator"):
            for value in list(vars(module).values()):
                if isinstance(value, _Cached):
                    value.cache_clear()
