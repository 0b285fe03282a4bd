"""What took part in optimizing a trace, and all that could have.

A rule or reason goes by its name, a pass that has removed something is `pass:fold`. The bounds that an operation gives
are `result:int_and` where it has told more of its result than it does of any arguments, and `argument:int_and`
where it has told more of an argument than was known.
"""

from __future__ import annotations

from functools import cache

from optimizer.ir.ops import OPS
from optimizer.pipeline import DEFAULT_PASSES, Optimization
from optimizer.rules import RULES


def what_fired(optimization: Optimization) -> frozenset[str]:
    """The rules, reasons, passes and transfer functions that did something."""
    passes = (
        name for name in DEFAULT_PASSES if optimization.operations.get(name, 0) > 0 or optimization.guards.get(name)
    )
    return frozenset(
        (
            *optimization.fired,
            *(f"pass:{name}" for name in passes),
            *(f"result:{name}" for name in optimization.results_bounded),
            *(f"argument:{name}" for name in optimization.arguments_bounded),
        )
    )


@cache
def all_coverage() -> frozenset[str]:
    """Every rule, pass and transfer function that there is."""
    modelled = [row for row in OPS.values() if row.modelled and (row.is_pure or row.is_guard) and row.args]
    return frozenset(
        (
            *(rule.name for rule in RULES),
            *(f"pass:{name}" for name in DEFAULT_PASSES),
            *(f"result:{row.name}" for row in modelled if row.is_pure),
            *(f"argument:{row.name}" for row in modelled),
        )
    )
