"""Changes that an optimizer has made, as they can be seen from outside: in both traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fuzz.edits.walk import renumbered, without_origins
from optimizer.ir.rows.ops import Kind
from optimizer.ir.trace import ConstInt, Trace, Value, Var, all_operations


def is_changed(before: Trace, after: Trace) -> bool:
    """Is it another trace, but for the names of variables and the origins of guards?"""
    if len(before.ops) != len(after.ops) or len(before.inputs) != len(after.inputs):
        return True
    if before.ops == after.ops:
        return False
    return without_origins(renumbered(before)).ops != without_origins(renumbered(after)).ops


def seen_changes(before: Trace, after: Trace) -> frozenset[str]:
    """The operations that went and came, each with what its arguments are and stand for; the pairs of these, where
    they are few; nothing where the traces are the same, but for the names of variables.

    That is what can be known of the rules of an optimizer that does not tell them.
    """
    ones, others = Counter(_forms(before)), Counter(_forms(after))
    gone, come = sorted((ones - others).elements()), sorted((others - ones).elements())
    changes = {f"-{form}" for form in gone} | {f"+{form}" for form in come}
    if len(gone) * len(come) <= _MOST_PAIRS:
        changes |= {f"{left} -> {right}" for left in gone for right in come}
    return frozenset(changes)


_MOST_PAIRS = 12


def _forms(trace: Trace) -> Iterator[str]:
    """Each operation by its name, and each of its arguments by the name of the operation that computed it."""
    names = {var: var.type.value for var in trace.inputs}
    for operation in all_operations(trace):
        if operation.result is not None:
            names[operation.result] = operation.op.name
        if operation.op.kind not in (Kind.END, Kind.EVENT, Kind.POSITION):
            yield f"{operation.op.name}({', '.join(_form(operation.args, names))})"


def _form(args: Sequence[Value], names: Mapping[Var, str]) -> Iterator[str]:
    for index, arg in enumerate(args):
        is_again = arg in args[:index]
        yield "again" if is_again else names.get(arg, "?") if isinstance(arg, Var) else _constant_form(arg)


def _constant_form(value: Value) -> str:
    """Small numbers as they are."""
    number = value.value if isinstance(value, ConstInt) else None
    return str(number) if number is not None and -1 <= number <= 1 else "constant"


@dataclass(slots=True)
class HandedBack:
    """The number of traces that an optimizer has given back, and of those `changed`; the names of operations in all of
    them, and in those that it changed."""

    traces: int = 0
    changed: int = 0
    names: set[str] = field(default_factory=set)
    names_changed: set[str] = field(default_factory=set)

    def add(self, changed: bool | None, names: Iterable[str]) -> None:
        """One result more."""
        if changed is None:
            return
        self.traces += 1
        self.changed += changed
        self.names.update(names)
        if changed:
            self.names_changed.update(names)

    @property
    def never_changed(self) -> list[str]:
        """The operations that were in no changed trace."""
        return sorted(self.names - self.names_changed)

    @property
    def share(self) -> str:
        """The part of the traces that was handed back as it was."""
        unchanged = self.traces - self.changed
        percent = round(100 * unchanged / (self.traces or 1))
        return f"{min(percent, 99) if self.changed else percent} % of {self.traces}"

    def sentence(self, most: int) -> str:
        """All of it, with so many names."""
        never, shown = self.never_changed, self.never_changed[:most]
        more = [f"and {len(never) - most} more"] * (len(never) > most)
        unchanged = f"; never in a changed trace: {', '.join([*shown, *more])}" * bool(never)
        return f"handed back unchanged: {self.share}{unchanged}"


class Seen:
    """The names of operations that a batch has seen in traces that the optimizer changed, and in others."""

    def __init__(self) -> None:
        self._names: dict[bool, set[str]] = {True: set(), False: set()}

    def new(self, before: Trace, is_changed: bool) -> tuple[str, ...]:
        """The names of operations of the recorded trace that are new, in order."""
        names, seen = {operation.op.name for operation in all_operations(before)}, self._names[is_changed]
        new = tuple(sorted(names - seen))
        seen |= names
        return new
