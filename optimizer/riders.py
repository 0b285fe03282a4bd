"""The passes that ride on a walk over a trace, and their answers when the walk asks about an operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from optimizer.facts.facts import Facts
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.ops import Kind, Op, Type
from optimizer.ir.rows.row import REF
from optimizer.ir.trace import Exit, Operation, Trace, Value, Var, all_operations


@immutable
class Equal:
    """The result is this value, which the walk has emitted, or a constant. Nothing is emitted.

    `why` names the rule. Of an overflow operation, `overflowed` says what its flag is.
    """

    value: Value
    why: str
    overflowed: bool | None = None


@immutable
class Becomes:
    """The answer that this operation stands there instead, with the same result.

    An overflow operation becomes one with the same flag, or one without, and then `overflowed` says what the
    flag was.
    """

    op: Op
    args: tuple[Value, ...]
    why: str
    overflowed: bool | None = None


@immutable
class Passes:
    """The guard passes wherever it is reached."""

    why: str


@immutable
class Fails:
    """The guard fails wherever it is reached."""

    why: str


@immutable
class Needless:
    """The operation, which has no result, changes nothing and tells nothing. It is not emitted."""

    why: str


@immutable
class Taken:
    """The pass takes the operation, and will emit it where it must."""

    why: str


@immutable
class First:
    """The answer that these operations, which the pass has taken, are emitted here; then everybody is asked again."""

    taken: tuple[Operation, ...]


@immutable
class Through:
    """The operation `first`, with a fresh name for its result, is put out ahead, as if it had been recorded there; then
    the answer is `then`."""

    first: Operation
    then: Becomes


@immutable
class Unrolled:
    """The answer that these operations stand there instead, as if they had been recorded there; what they compute has
    fresh names."""

    operations: tuple[Operation, ...]
    why: str


@immutable
class Merged:
    """The guard passes, if `earlier`, which has been emitted as a guard, becomes `op`."""

    earlier: Operation
    op: Op
    args: tuple[Value, ...]
    why: str


Answer = Equal | Becomes | Passes | Fails | Needless | Taken | First | Through | Unrolled | Merged


class Names:
    """Gives names that nobody has in a trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._used: set[str] = set()  # found when the first name is asked for
        self._count = 0

    def fresh(self, type_: Type) -> Var:
        if not self._used:
            self._used.update(var.name for var in self._trace.inputs)
            self._used.update(op.result.name for op in all_operations(self._trace) if op.result is not None)
        letter = "p" if type_ is REF else "i"
        while f"{letter}{self._count}" in self._used:
            self._count += 1
        self._count += 1
        return Var(f"{letter}{self._count - 1}", type_)


class Pass:
    """A pass that rides on a walk; made for one walk.

    If one of them `decides`, the walk takes what the bounds say of values and guards for decided: a value with
    one possibility is that constant wherever it is used, and a guard that cannot pass always fails.
    """

    name: ClassVar[str]
    decides: ClassVar[bool] = False
    kinds: ClassVar[frozenset[Kind]] = frozenset(Kind)
    """The kinds of operations that it has anything to say about; of others it is not asked."""

    learned: ClassVar[frozenset[Kind]] = frozenset(Kind)
    """The kinds of operations that it learns from."""

    prepared: ClassVar[frozenset[Kind]] = frozenset(Kind)
    """The kinds of operations before which it may have something to emit."""

    @staticmethod
    def knows(row: Op) -> bool:
        """May it have anything to say about operations of that row, which is of one of its kinds?"""
        return True

    def begin(self, trace: Trace) -> None:
        """The walk over `trace` begins."""

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        """The operations or the value to stand in this place instead; None if this pass has nothing to say. An answer
        is obeyed."""
        return None

    def learn(self, operation: Operation, facts: Facts) -> None:
        """`operation` has been emitted or taken, and `facts` know of it."""

    def prepare(self, operation: Operation, facts: Facts) -> Sequence[Operation]:
        """Operations that must be emitted before `operation` is. Nobody is asked about them."""
        return ()

    def complete(self, exit_: Exit, facts: Facts, names: Names) -> Exit:
        """The exit of a guard that is emitted now, with what has been taken and is needed there."""
        return exit_
