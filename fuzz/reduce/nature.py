"""The nature of a change: what it removes and inserts, and which kinds of values stand in place of which."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from fuzz.draw.rows import is_test
from optimizer.ir.rows.ops import Kind
from optimizer.ir.trace import Operation, Value, Var

Signature = tuple[str, ...]
"""An operation without its variables: its name, its descr and its constants."""


@dataclass(frozen=True, slots=True)
class Nature:
    """A change without what it is made to: what it removes, what it inserts, and which kinds of values it puts in place
    of which."""

    removed: tuple[Signature, ...]
    inserted: tuple[Signature, ...]
    substituted: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Outline:
    """A change in few words, the same for most changes of one cause: the operations that only one trace has, but for
    those that only these use, which are `used`; all comparisons are one, all loads, all guards. `effects` are those of
    the recorded trace that are more than numbers and guards, where the change is made to such."""

    removed: frozenset[str]
    inserted: frozenset[str]
    substituted: frozenset[tuple[str, str]]
    used: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()

    @property
    def is_of_operations(self) -> bool:
        """Are there operations that only one of the traces has?"""
        return bool(self.removed or self.inserted)

    def is_part_of(self, other: Outline) -> bool:
        """Are there no operations in it that the other one does not have, but some?"""
        return (
            self.is_of_operations
            and self.removed <= other.removed | other.used
            and self.inserted <= other.inserted | other.used
        )

    def __str__(self) -> str:
        if self.effects:
            return " ".join(sorted(self.effects))
        olds, news = ({pair[side] for pair in self.substituted} for side in (0, 1))
        sides = (self.removed, self.inserted) if self.is_of_operations else (olds, news)
        return " -> ".join(" ".join(sorted(side)) or "nothing" for side in sides)


def substitutions(one: Operation, two: Operation) -> Iterator[tuple[Value | str | None, Value | str | None]]:
    if one.op is not two.op:
        yield one.op.name, two.op.name
    handed = [op.exit.failargs if op.exit is not None else () for op in (one, two)]
    for olds, news in ((one.args, two.args), handed):
        if olds is None or news is None:
            yield from [("a list", "no list") if news is None else ("no list", "a list")] * (olds != news)
        elif len(olds) != len(news):
            yield ("more", "fewer") if len(olds) > len(news) else ("fewer", "more")
        else:
            yield from zip(olds, news, strict=True)


def kinds_of(
    old: Value | str | None,
    new: Value | str | None,
    gone: Collection[Var | None],
    made: Collection[Var | None],
    before: Mapping[Var, Operation],
    after: Mapping[Var, Operation],
) -> tuple[str, str]:
    """The kind of the old value, and the kind of the one that stands in its place. An operation tells where it is
    removed, where another one or a constant stands for it, and where its result stands for another one of the same
    operation."""
    one, two = (
        values.get(value) if isinstance(value, Var) else None for value, values in ((old, before), (new, after))
    )
    if one is not None and (
        old in gone
        or new in made
        or _kind(new) == "constant"
        or (two is not None and (one.op, one.descr) == (two.op, two.descr))
    ):
        return one.op.name, _kind(new) if two is None else two.op.name
    return _kind(old), _kind(new)


def _kind(value: Value | str | None) -> str:
    if isinstance(value, str):
        return value
    return "nothing" if value is None else "value" if isinstance(value, Var) else "constant"


COMPARISON = "comparison"

_WITHOUT_EFFECT = (Kind.PURE, Kind.GUARD, Kind.END, Kind.POSITION)


def family_of(op: Operation) -> str:
    """The name of what computes a number, but for comparisons, and of guards that ask about classes, calls or the code;
    of others what they do, whatever the types."""
    if is_test(op.op):
        return COMPARISON
    if op.op.kind is Kind.GUARD and (memory := op.op.memory) is not None:
        if memory.pending or not op.op.args:
            return op.op.name
        if memory.class_arg is not None:
            return "guard_class"
    return op.op.name if op.op.kind is Kind.PURE else "call" if op.op.is_call else op.op.kind.value


def effects_of(ops: Iterable[Operation]) -> frozenset[str]:
    """The families of those of the operations that do more than compute numbers and ask about them."""
    return frozenset(family_of(op) for op in ops if op.op.kind not in _WITHOUT_EFFECT)


def signature_of(op: Operation) -> Signature:
    return (op.op.name, op.descr or "", *sorted(str(arg) for arg in op.args if not isinstance(arg, Var)))
