"""Algebra and strength reduction, by the table of rules in `optimizer.rules.table`.

    [i0, i1]
    i2 = int_mul(i0, 8)                     [i0, i1]
    i3 = int_add(i2, 0)             =>      i2 = int_lshift(i0, 3)
    i4 = int_sub_ovf(i3, 0)                 jump(i2)
    guard_no_overflow() [i1]
    jump(i4)

Of an operation, the rules with its row at their root are tried in the order of the table, but for those that ask for
other constants or definitions of its arguments. An operation on constants only is left to the folder.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from itertools import repeat
from typing import Any

from optimizer.facts.facts import Facts
from optimizer.ir.domains.bounds import Bounds, bounds_domain
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.operands import constant_of
from optimizer.ir.rows.ops import Kind, Op
from optimizer.ir.rows.row import INT
from optimizer.ir.rules.language import Rule
from optimizer.ir.rules.terms import (
    Apply,
    Constant,
    FloatLiteral,
    Literal,
    Term,
    Variable,
    evaluate,
    holds,
    is_constant,
)
from optimizer.ir.trace import ConstFloat, ConstInt, Operation, Value
from optimizer.riders import Answer, Becomes, Equal, Pass

_NUMBERS = ConstInt, ConstFloat


class Simplify(Pass):
    name = "simplify"
    kinds = frozenset({Kind.PURE, Kind.GUARD})

    @staticmethod
    def knows(row: Op) -> bool:
        return (row.meaning or row.passes or row.passes_floats) is not None

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = _of_rules(rules)

    def leave_out(self, names: Collection[str]) -> None:
        """Do without the rules of these names."""
        if names:
            self._rules = _of_rules(tuple([rule for rule in self._rules.all if rule.name not in names]))

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        if operation.op not in self._rules.by_root:
            return None
        for rule in self._rules.fitting(operation.op, tuple([_shape(arg, facts) for arg in operation.args])):
            found: dict[str, Value] = {}
            if (
                facts.word >= rule.min_word
                and _match_all(rule.pattern.args, operation.args, facts, found)
                and (not rule.conditions or _all_hold(rule, facts, found))
            ):
                return _replace(rule, found, facts)
        return None


_Shape = Op | bool
"""The looks of an argument: whether it is a number, or else the row that defines it, if one does."""


class _Rules:
    """Rules by the row at their root and by the looks of its arguments, in their order."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self.all = rules
        self.by_root: dict[Op, list[Rule]] = {}
        for rule in rules:
            self.by_root.setdefault(rule.root, []).append(rule)
        self._fitting: dict[tuple[Op, Sequence[_Shape]], Sequence[Rule]] = {}

    def fitting(self, root: Op, shapes: tuple[_Shape, ...]) -> Sequence[Rule]:
        """The rules that may match; none where all arguments are numbers."""
        found = self._fitting.get((root, shapes))
        if found is None:
            rules = () if all(shape is True for shape in shapes) else self.by_root[root]
            found = [rule for rule in rules if all(map(_fits, rule.pattern.args, shapes))]
            self._fitting[root, shapes] = found
        return found


_of_rules = cache(_Rules)


def _shape(value: Value, facts: Facts) -> _Shape:
    definition = facts.definition(value)
    return isinstance(value, _NUMBERS) if definition is None else definition.op


def _fits(pattern: Term, shape: _Shape) -> bool:
    """May an argument that looks so be what the pattern says?"""
    if isinstance(pattern, Apply):
        return isinstance(shape, Op) and _computes(shape, pattern.op)
    return isinstance(pattern, Variable) or shape is True


def _match_all(patterns: tuple[Term, ...], values: tuple[Value, ...], facts: Facts, found: dict[str, Value]) -> bool:
    return all(map(_match, patterns, values, repeat(facts), repeat(found)))


def _match(pattern: Term, value: Value, facts: Facts, found: dict[str, Value]) -> bool:
    """Is `value` what the pattern says? Writes the values of the pattern's names into `found`.

    What stands inside is compared as it was emitted. What was learned of it since could make whole chains of
    definitions match anew, for every operation that looks at them.
    """
    if isinstance(pattern, (Variable, Constant)):
        if isinstance(pattern, Constant) and not isinstance(value, _NUMBERS):
            return False
        known = found.setdefault(pattern.name, value)
        return known is value or known == value
    if isinstance(pattern, Literal):
        return isinstance(value, ConstInt) and value.value == concrete(facts.word).const(pattern.value(facts.word))
    if isinstance(pattern, FloatLiteral):
        return value == ConstFloat(pattern.value)
    assert isinstance(pattern, Apply), "the rule language lets no function stand in a pattern"
    definition, op = facts.definition(value), pattern.op
    if definition is None or not _computes(definition.op, op):
        return False
    if op.overflows is not None and facts.overflowed(value) is not False:
        return False
    return _match_all(pattern.args, definition.args, facts, found)


def _computes(defining: Op, wanted: Op) -> bool:
    return defining is wanted or defining.wrapping == wanted.name


@cache
def _conditions(rule: Rule) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The conditions of a rule that constants decide, and the others."""
    on_constants = tuple(filter(is_constant, rule.conditions))
    return on_constants, tuple(condition for condition in rule.conditions if condition not in on_constants)


def _all_hold(rule: Rule, facts: Facts, found: Mapping[str, Value]) -> bool:
    on_constants, on_bounds = _conditions(rule)
    if not holds(on_constants, concrete(facts.word), _numbers(found)):
        return False
    return not on_bounds or _hold_of_bounds(rule, facts.word, _bounds(facts, found))


def _bounds(facts: Facts, found: Mapping[str, Value]) -> tuple[tuple[str, Bounds], ...]:
    names = [name for name, value in found.items() if value.type is INT]
    return tuple(zip(names, facts.bounds.all_bounds([found[name] for name in names]), strict=True))


@lru_cache(maxsize=1 << 14)  # the same bounds come again and again, in other traces too
def _hold_of_bounds(rule: Rule, word: int, known: tuple[tuple[str, Bounds], ...]) -> bool:
    leaves, d = dict(known), bounds_domain(word)
    return all(holds((condition,), d, leaves) for condition in _conditions(rule)[1])


def _numbers(found: Mapping[str, Value]) -> Mapping[str, Any]:
    """The numbers of the constants among these."""
    return {name: value.value for name, value in found.items() if isinstance(value, _NUMBERS)}


def _replace(rule: Rule, found: Mapping[str, Value], facts: Facts) -> Answer:
    replacement = rule.replacement
    overflowed = None if rule.root.overflows is None else False
    if not isinstance(replacement, Apply) or is_constant(replacement):
        return Equal(_value(replacement, found, facts), rule.name, overflowed)
    if replacement.op.overflows is not None:
        overflowed = None
    args = tuple([_value(arg, found, facts) for arg in replacement.args])
    return Becomes(replacement.op, args, rule.name, overflowed)


def _value(term: Term, found: Mapping[str, Value], facts: Facts) -> Value:
    """The value that a leaf or constant term of a replacement stands for."""
    if isinstance(term, Variable | Constant):
        return facts.find(found[term.name])
    number, _ = evaluate(term, concrete(facts.word), _numbers(found))
    return constant_of(number)
