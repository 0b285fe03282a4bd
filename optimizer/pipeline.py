"""The passes by name, and how they are run: those that walk forward fused in one walk, then dead code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from optimizer.ir.check import check_supported, inner_label
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import immutable
from optimizer.ir.trace import Trace
from optimizer.ir.types.calls import call_of
from optimizer.ir.types.trace_layout import layout_of
from optimizer.passes import dead_code
from optimizer.passes.calls import Calls
from optimizer.passes.cse import CommonSubexpressions
from optimizer.passes.floats import Floats
from optimizer.passes.fold import Fold
from optimizer.passes.guards import Guards
from optimizer.passes.heap import HeapAccesses
from optimizer.passes.raw import RawAccesses
from optimizer.passes.references import ReferenceTests
from optimizer.passes.simplify import Simplify
from optimizer.passes.strings import Strings
from optimizer.passes.virtuals import Virtuals
from optimizer.riders import Pass
from optimizer.rules.floats import FLOAT_RULES
from optimizer.rules.table import RULES
from optimizer.walk import walk

ALL_RULES = (*RULES, *FLOAT_RULES)
"""The rules of both tables."""

FORWARD: Mapping[str, Callable[[], Pass]] = {
    Fold.name: Fold,
    Simplify.name: lambda: Simplify(ALL_RULES),
    Floats.name: Floats,
    CommonSubexpressions.name: CommonSubexpressions,
    Calls.name: Calls,
    Strings.name: Strings,
    Guards.name: Guards,
    ReferenceTests.name: ReferenceTests,
    Virtuals.name: Virtuals,
    HeapAccesses.name: HeapAccesses,
    RawAccesses.name: RawAccesses,
}
"""The maker of each forward pass, in the order in which they are asked."""

DEFAULT_PASSES: tuple[str, ...] = (*FORWARD, dead_code.NAME)
"""The names of all passes."""


@immutable
class Optimization:
    """A trace as the passes have made it, and counts of their work.

    `always_fails` is the origin of a guard that fails on every run that reaches it, None where none was
    found; behind it nothing was optimized but dead code. `answers` counts how often each rule or reason of a pass has
    rewritten an operation, `operations` and `guards` how many each pass has removed, `results_bounded` and
    `arguments_bounded` how often the row of an operation has sharpened bounds, and `asked` the questions put to forward
    passes.
    """

    trace: Trace
    always_fails: int | None
    answers: Mapping[tuple[str, str], int]
    operations: Mapping[str, int]
    guards: Mapping[str, int]
    results_bounded: Mapping[str, int]
    arguments_bounded: Mapping[str, int]
    asked: int

    @property
    def fired(self) -> Mapping[str, int]:
        """How often each rule or reason has rewritten an operation, in whatever pass."""
        found: Counter[str] = Counter()
        for (_, why), times in self.answers.items():
            found[why] += times
        return found


def optimize(trace: Trace, passes: Sequence[str] = DEFAULT_PASSES) -> Trace:
    """The trace that is left after the named passes.

    Raises ValueError for an unknown pass, `Unsupported` for an operation that has no meaning here.
    """
    return run_passes(trace, passes).trace


def run_passes(
    trace: Trace,
    passes: Sequence[str] = DEFAULT_PASSES,
    without_rules: Collection[str] = (),
    *,
    iterations: bool = False,
) -> Optimization:
    """Run the named passes, whatever the order of their names: forward ones in one walk, then dead code.

    Those of the table's rules that are named in `without_rules` are left out. Of two `iterations` of a loop, with the
    label between them to which it will go back, the second one makes use of what the first one finds out. Raises
    ValueError for an unknown pass, `Unsupported` for an operation that has no meaning here.
    """
    unknown = [name for name in passes if name not in DEFAULT_PASSES]
    if unknown:
        raise ValueError(f"unknown pass {unknown[0]!r}; the passes are {', '.join(DEFAULT_PASSES)}")
    layout = layout_of(trace)
    inner = None if iterations else inner_label(trace)
    if inner:  # not in front
        what = "an inner label: a loop that is peeled already is only read as the optimized trace of a pair"
        raise Unsupported(what, trace.ops[inner].line)
    check_supported(trace, peeled=iterations)
    for operation in [one for one in trace.ops if one.op.is_call]:  # none of them stands in an exit block
        call_of(operation, layout)
    forward = [make() for name, make in FORWARD.items() if name in passes]
    for one in forward:
        if isinstance(one, Simplify):
            one.leave_out(without_rules)
    walked = walk(trace, forward, layout)
    result, operations = walked.trace, walked.operations
    if dead_code.NAME in passes:
        result = dead_code.remove_dead_code(result, layout)
        operations[dead_code.NAME] = len(walked.trace.ops) - len(result.ops)
    return Optimization(
        result,
        walked.always_fails,
        walked.fired,
        operations,
        walked.guards,
        walked.results_bounded,
        walked.arguments_bounded,
        walked.asked,
    )
