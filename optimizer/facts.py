"""What a walk over a trace knows at the place that it has come to.

Three things about values, all learned from the operations that it has emitted: which are equal, which
operation defines each, and between which bounds it lies. Values are looked up by their representative, which
`find` gives. Where an operation is never defined, nobody gets behind it; what is learned there holds of nobody,
and the walk just goes on.
"""

from __future__ import annotations

from optimizer.bounds_inference import BoundsInference
from optimizer.ir.bounds import transfer
from optimizer.ir.concrete import concrete
from optimizer.ir.ops import Kind, Type
from optimizer.ir.trace import ConstInt, Operation, Value, Var


class Facts:
    """`word` is the width in bits. With `decide_values`, a variable with one possible value is that constant."""

    def __init__(self, word: int, *, decide_values: bool) -> None:
        self.word = word
        self.bounds = BoundsInference(word)
        self._decide_values = decide_values
        self._equal_to: dict[Var, Value] = {}
        self._definitions: dict[Var, Operation] = {}
        self._ages: dict[Var, int] = {}
        self._overflowed: dict[Var, bool] = {}
        self._flag_of: Operation | None = None

    def find(self, value: Value) -> Value:
        """The representative of all values that equal `value`: a constant, or the variable defined first."""
        passed: list[Var] = []
        while isinstance(value, Var) and value in self._equal_to:
            passed.append(value)
            value = self._equal_to[value]
        if self._decide_values and isinstance(value, Var) and value.type is Type.INT:
            bounds = self.bounds.bounds(value)
            if bounds.is_constant:
                passed.append(value)
                value = ConstInt(bounds.low)
        for var in passed:
            self._equal_to[var] = value
        return value

    def equate(self, var: Var, value: Value) -> None:
        """From here on, `var` is `value`, which was there before it or is a constant."""
        self._equal_to[var] = value

    def unite(self, a: Value, b: Value) -> None:
        """From here on, `a` and `b` are equal."""
        a, b = self.find(a), self.find(b)
        if isinstance(a, Var) and (not isinstance(b, Var) or self._age(b) < self._age(a)):
            a, b = b, a
        if isinstance(b, Var) and a != b:
            self.equate(b, a)

    def _age(self, var: Var) -> int:
        return self._ages.get(var, 0)

    def definition(self, value: Value) -> Operation | None:
        """The emitted operation whose result is `value`; None of inputs and constants."""
        return self._definitions.get(value) if isinstance(value, Var) else None

    def overflowed(self, value: Value) -> bool | None:
        """Did the overflow operation that defines `value` overflow? None where nobody has looked."""
        return self._overflowed.get(value) if isinstance(value, Var) else None

    def refresh(self, value: Value) -> None:
        """Bound `value` anew by its definition, about whose arguments more may have been learned since."""
        definition = self.definition(value)
        if definition is not None and definition.op.is_pure:
            self._bound_result(definition)

    def learn(self, operation: Operation) -> bool:
        """`operation` has been emitted: what holds behind it. False if it is a guard that no run passes."""
        if operation.op.kind is Kind.GUARD:
            return self._learn_guard(operation)
        if operation.result is not None:
            self._definitions[operation.result] = operation
            self._ages[operation.result] = len(self._definitions)
        if operation.op.overflows is not None:
            self._flag_of = operation
        if operation.op.is_pure and not self.bounds.define(operation):
            self._bound_result(operation)
        self.bounds.contradiction = False
        return True

    def _learn_guard(self, guard: Operation) -> bool:
        row = guard.op
        assert row.passes is not None
        if row.reads_flag:
            assert self._flag_of is not None
            assert self._flag_of.result is not None
            flag = bool(row.passes(concrete(self.word), True))
            self._overflowed[self._flag_of.result] = flag
            self.bounds.learn_flag(self._flag_of, flag)
            passed = True
        else:
            undefined = row.defined is not None and self.bounds.truth(row.defined, guard.args) is False
            passed = self.bounds.assume_guard(guard) or undefined
        self.bounds.contradiction = False
        return passed

    def _bound_result(self, operation: Operation) -> None:
        assert operation.result is not None
        defined = operation.op.defined
        if defined is not None and self.bounds.truth(defined, operation.args) is False:
            return
        args = tuple(map(self.bounds.bounds, operation.args))
        self.bounds.assume(operation.result, transfer(operation.op, self.word, args))
        self.bounds.contradiction = False
