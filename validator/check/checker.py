"""Checks a certificate: does it prove that one trace is a correct optimization of another one?"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from optimizer.ir.check import check_supported
from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.row import FIELD, INT
from optimizer.ir.trace import Operation, Trace, all_operations, exit_of
from optimizer.ir.types.byte_access import slot_of
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Array, Field, Layout, pair_layout, uses_raw
from optimizer.ir.types.memory_types import BYTES, MemoryKind
from validator.check.asking import Asking, OutOfTime
from validator.check.certificate import Certificate, Failargs, Guards
from validator.check.proof import Optimized
from validator.check.side import Side
from validator.check.universe import Universe

EFFORT = 20_000_000
"""The effort of a query, in Z3's units: about ten million a second."""
TIMEOUT_S = 60.0
"""The time for the pair, in seconds."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome where all `obligations` hold; `queries` of them were asked of a solver."""

    obligations: int
    queries: int


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The outcome where that obligation was not settled, for that reason. Without one, it is the pair that is not
    judged. `candidate`: inputs, None for what is no int, of a state on which it may fail, if the solver has come up
    with one. `others`: those behind it that were not settled either, as far as there was time for them."""

    obligation: str
    reason: str
    candidate: tuple[int | None, ...] = ()
    others: tuple[str, ...] = ()


def check(
    before: Trace,
    after: Trace,
    certificate: Certificate,
    guards: Guards = Guards.EARLY,
    failargs: Failargs = Failargs.CHECK,
    effort: int = EFFORT,
    timeout_s: float = TIMEOUT_S,
) -> Checked | Unsettled:
    """Does the certificate prove that `after` is a correct optimization of `before`? Raises InputError where the traces
    do not agree on what they name."""
    problem = _problem(before, after, certificate.origins)
    if problem:
        return Unsettled("", problem)
    try:
        universe = _universe(before, after, pair_layout(before, after))
        asking = Asking(universe, effort, timeout_s)
        recorded = Side(before, universe, asking, certificate)
        recorded.run()
        optimized = Optimized(after, recorded, asking, certificate, guards, failargs)
        with suppress(OutOfTime):
            optimized.prove()
            if not optimized.unsettled:
                return Checked(optimized.obligations, asking.queries)
        for first, (reason, model) in optimized.unsettled.items():
            return Unsettled(first, reason, _inputs(recorded, model), tuple(optimized.unsettled)[1:])
        raise OutOfTime
    except OutOfTime:
        return Unsettled("", "the checker ran out of time")
    except Unsupported as limit:
        return Unsettled("", str(limit))


def _inputs(recorded: Side, model: Any) -> tuple[int | None, ...]:
    def value(one: Any) -> int:
        return int(model.eval(one.translate(model.ctx), model_completion=True).as_signed_long())

    inputs = () if model is None else recorded.trace.inputs
    return tuple(value(recorded.values[var.name]) if var.type is INT else None for var in inputs)


def _problem(before: Trace, after: Trace, origins: tuple[int | None, ...]) -> str | None:
    """The reason for which the pair is not judged, if there is one. The origins that the texts give must be these, and
    they never decrease."""
    names = [k if exit_of(guard).origin is None else exit_of(guard).origin for k, guard in enumerate(before.guards)]
    rows = [origin for origin in origins if origin is not None]
    are_rows = rows == sorted(rows) and all(row in range(len(names)) for row in rows)
    said = [(exit_of(guard).origin, origin) for guard, origin in zip(after.guards, origins, strict=False)]
    apart = are_rows and any(name not in (None, None if row is None else names[row]) for name, row in said)
    problems = (
        (before.word != after.word, "the traces have words of different widths"),
        ([var.type for var in before.inputs] != [var.type for var in after.inputs], "the traces have different inputs"),
        (len(origins) != len(after.guards), "the certificate has not as many origins as there are guards"),
        (len(rows) < len(origins) and names, "a guard has no origin"),
        (not are_rows, "the certificate's origins decrease, or are none of the recorded trace"),
        (apart, "the certificate has another origin than the text"),
    )
    return next((reason for is_so, reason in problems if is_so), None)


def _universe(before: Trace, after: Trace, layout: Layout) -> Universe:
    """Raises Unsupported for what has no meaning here."""
    operations: list[Operation] = []
    for trace in (before, after):
        check_supported(trace)
        operations += [meant(one, layout) for one in all_operations(trace)]
    slots: dict[str, Field] = {}
    indexed: set[str] = set()
    for operation in operations:
        memory, descr = operation.op.memory, layout.descr_of(operation)
        # An array may be allocated, and be left unwritten.
        named = descr.slots if isinstance(descr, Array) else (slot_of(descr),)
        for slot in named:
            if memory is not None and slot is not None:
                slots[slot.key] = layout.fields.get(slot.key, slot)  # not that of a subclass
                if memory.descr is not FIELD:
                    indexed.add(slot.key)
    are_raw = [uses_raw(trace, layout) for trace in (before, after)]  # both are looked at, for what is not modelled
    if any(are_raw) and BYTES.key in slots:
        for slot in slots.values():
            if slot.kind is MemoryKind.RAW and slot.type is not INT:
                raise Unsupported(f"{slot.key} beside bytes of raw memory")
    return Universe(layout, slots, frozenset(indexed))
