"""The bounds of a trace's integers while a pass walks along it.

    [i0]
    i1 = int_add_ovf(i0, 10)
    guard_no_overflow() []          i0 <= MAXINT - 10
    i2 = int_lt(i1, 15)             i2 is 0 or 1
    guard_true(i2) []               i2 = 1, so i1 <= 14, so i0 <= 4

An operation bounds its result, and what is later learned of the result goes back into its arguments, and into
theirs up to a fixed depth, so that a whole walk stays linear. Of a value that turns out to be a constant, it also goes
forward into what has been computed of it and of other constants. All that is learned holds where the walk has
come to: on every run that gets there, with all operations before defined and all guards before passed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache

from optimizer.facts.narrowing import narrow
from optimizer.ir.domains.bounds import Bounds, bounds_domain, constant, holds
from optimizer.ir.domains.ranges import Truth
from optimizer.ir.rows.ops import Meaning, Op
from optimizer.ir.trace import ConstInt, Operation, Value, Var

_DEPTH = 4
"""The number of definitions through which a fact goes back, at most."""


class BoundsInference:
    """The bounds of a trace's integers at one place, which moves forward.

    `word` is their width in bits, `known` are those of variables, by name; `decide` is told of each that has one value
    only. `contradiction` is set when no run can reach the place. It is counted how often the rows have told more of a
    result than they do of any arguments, and more of an argument than was known.
    """

    def __init__(self, word: int, decide: Callable[[Var, int], None] = lambda _var, _value: None) -> None:
        self.word = word
        self._decide = decide
        self.contradiction = False
        self.results_bounded: defaultdict[str, int] = defaultdict(int)
        self.arguments_bounded: defaultdict[str, int] = defaultdict(int)
        self._domain = bounds_domain(word)
        self._top = self._domain.top
        self.known: dict[str, Bounds] = {}
        self._definitions: dict[str, Operation] = {}
        self._overflowed: dict[str, bool] = {}
        self._flag_of: Operation | None = None
        self._users: dict[str, list[Operation]] = {}  # the operations on that variable and on constants alone
        self._pending: list[str] = []  # variables that have turned out to be constants, and have users

    def bounds(self, value: Value) -> Bounds:
        """The bounds of an integer."""
        if isinstance(value, Var):
            return self.known.get(value.name, self._top)
        return constant(value.value, self.word) if isinstance(value, ConstInt) else self._top

    def overflowed(self, var: Var) -> bool | None:
        """Did the overflow operation that defines it overflow? None where nobody has looked."""
        return self._overflowed.get(var.name)

    def all_bounds(self, values: Sequence[Value]) -> tuple[Bounds, ...]:
        """The bounds of some integers."""
        return tuple(map(self.bounds, values))

    def truth(self, condition: Meaning, args: Sequence[Value]) -> Truth:
        """The truth of a condition, of a row or any other, on `args`; None where it may hold or not."""
        return holds(condition, self.word, self.all_bounds(args))

    def define(self, operation: Operation) -> bool:
        """Learn from a pure operation that it is defined, and what it computes; of others, nothing.

        Like all that learns, this returns False if no run can reach the place behind.
        """
        if not operation.op.is_pure or operation.result is None:
            return not self.contradiction
        if operation.op.overflows is not None:
            self._flag_of = operation
        self._definitions[operation.result.name] = operation
        args = operation.args
        if len(args) == 1 or (len(args) == 2 and not isinstance(args[1], Var)):
            one: Value | None = args[0]
        else:
            one = args[1] if len(args) == 2 and not isinstance(args[0], Var) else None
        if isinstance(one, Var):
            self._users.setdefault(one.name, []).append(operation)
        self._narrow(operation, _DEPTH)
        return self._settle() if self._pending else not self.contradiction

    def learn_flag(self, operation: Operation, overflowed: bool) -> bool:
        """Learn whether a defined overflow operation has overflowed."""
        assert operation.result is not None
        self._overflowed[operation.result.name] = overflowed
        self._revisit(operation, _DEPTH)
        return self._settle()

    def assume_guard(self, guard: Operation) -> bool:
        """Learn from a guard that it has passed; the flag is that of the overflow operation defined last."""
        if not guard.op.reads_flag:
            self._narrow(guard, _DEPTH)
            return self._settle()
        narrowed = narrow(guard.op, self.word, (None,))
        assert narrowed is not None
        assert self._flag_of is not None
        flag = narrowed.args[0]
        return self.learn_flag(self._flag_of, flag) if isinstance(flag, bool) else not self.contradiction

    def assume(self, value: Value, bounds: Bounds) -> bool:
        """Learn that an integer has these bounds."""
        self._refine(value, bounds, _DEPTH)
        return self._settle() if self._pending else not self.contradiction

    def _settle(self) -> bool:
        """Compute again what is computed of what has turned out to be a constant."""
        while self._pending:
            for user in self._users.pop(self._pending.pop(), ()):
                self._revisit(user, _DEPTH)
        return not self.contradiction

    def _know(self, var: Var, bounds: Bounds) -> None:
        self.known[var.name] = bounds
        if bounds.low == bounds.high:
            self._decide(var, bounds.low)
            if var.name in self._users:
                self._pending.append(var.name)

    def _narrow(self, operation: Operation, depth: int, result: Bounds | None = None, overflowed: Truth = None) -> bool:
        """Take over what an operation says of its result and its arguments, of which so much is known already."""
        known = self.all_bounds(operation.args)
        narrowed = narrow(operation.op, self.word, known, result, overflowed)
        if narrowed is None:
            self.contradiction = True
            return False
        if narrowed.result is not None:
            assert operation.result is not None
            known_before = self.known.get(operation.result.name), _of_anything(operation.op, self.word)
            if narrowed.result not in known_before:
                self.results_bounded[operation.op.name] += 1
            self._know(operation.result, narrowed.result)
        if narrowed.args != known:
            for arg, fact in zip(operation.args, narrowed.args, strict=True):
                if isinstance(fact, Bounds) and self._refine(arg, fact, depth):
                    self.arguments_bounded[operation.op.name] += 1
        return not self.contradiction

    def _refine(self, value: Value, bounds: Bounds, depth: int) -> bool:
        """Take over what is known of a value. Is it more than was known?"""
        known = self.bounds(value)
        if bounds == known:
            return False
        met = self._domain.meet(known, bounds)
        if met is None:
            self.contradiction = True
        elif met != known and isinstance(value, Var):
            self._know(value, met)
            definition = self._definitions.get(value.name)
            if definition is not None and depth:
                self._revisit(definition, depth - 1)
            return True
        return False

    def _revisit(self, operation: Operation, depth: int) -> bool:
        """Take back into an operation what has become known of its result and its flag."""
        assert operation.result is not None
        result, overflowed = self.bounds(operation.result), self._overflowed.get(operation.result.name)
        return self._narrow(operation, depth, result, overflowed)


@cache
def _of_anything(row: Op, word: int) -> Bounds | None:
    """The bounds that a row gives its result where nothing is known of its arguments."""
    narrowed = narrow(row, word, (bounds_domain(word).top,) * len(row.args or ()))
    return None if narrowed is None else narrowed.result
