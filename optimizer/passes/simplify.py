"""Algebra and strength reduction, by the table of rules in `optimizer.rules.table`.

    [i0, i1]
    i2 = int_mul(i0, 8)                     [i0, i1]
    i3 = int_add(i2, 0)             =>      i2 = int_lshift(i0, 3)
    i4 = int_sub_ovf(i3, 0)                 jump(i2)
    guard_no_overflow() [i1]
    jump(i4)

Of an operation, the rules with its row at their root are tried in the order of the table, but for those that ask
for other operations or constants as arguments. An operation on constants only is left to the folder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import repeat
from typing import Any

from optimizer.facts.facts import Facts
from optimizer.ir.domains.bounds import Bounds, bounds_domain
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.ops import OPS, Kind, Op
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
    named_leaves,
)
from optimizer.ir.trace import ConstFloat, ConstInt, Operation, Value, constant_of
from optimizer.riders import Answer, Becomes, Equal, Pass

_NUMBERS = ConstInt, ConstFloat
_WITH_FLAG = tuple(row for row in OPS.values() if row.wrapping is not None)


class Simplify(Pass):
    name = "simplify"
    kinds = frozenset({Kind.PURE, Kind.GUARD})

    @staticmethod
    def knows(row: Op) -> bool:
        return (row.meaning or row.passes or row.passes_floats) is not None

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = _index(rules)

    def leave_out(self, names: Collection[str]) -> None:
        """Do without the rules of these names."""
        if names:
            self._rules = _Index(rule for rule in self._rules.rules if rule.name not in names)

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        for rule in self._rules.candidates(operation, facts):
            found: dict[str, Value] = {}
            if (
                facts.word >= rule.min_word
                and _match_all(rule.pattern.args, operation.args, facts, found)
                and (not rule.conditions or _all_hold(rule, facts, found))
            ):
                return _replace(rule, found, facts)
        return None


_Shape = Op | type[ConstInt] | frozenset[str] | None
"""The shape of an argument that a rule looks at first: that it is a constant (also a float), as which literals of rules
it may be written, or which operation defines it."""


class _Index:
    """Rules by the row at their root, and by the shapes of its arguments as far as these have been met."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._by_root: dict[Op, list[Rule]] = {}
        for rule in self.rules:
            self._by_root.setdefault(rule.root, []).append(rule)
        self._tells: dict[tuple[Op, int], _Tells] = {}
        self._candidates: dict[tuple[Op, bool, tuple[_Shape, ...]], list[Rule]] = {}

    def candidates(self, operation: Operation, facts: Facts) -> Sequence[Rule]:
        """The rules whose patterns the operation may match, in their order; none where all arguments are constants."""
        op, args = operation.op, operation.args
        tells = self._tells.get((op, facts.word))
        if tells is None:
            if op not in self._by_root:
                return ()
            tells = self._tells[op, facts.word] = _what_tells(self._by_root[op], facts.word)
        key = op, args[0] == args[-1], tuple(map(_shape, args, repeat(facts), repeat(tells)))
        found = self._candidates.get(key)
        if found is None:
            found = self._candidates[key] = self._find(*key)
        return found

    def _find(self, op: Op, are_one: bool, shapes: tuple[_Shape, ...]) -> list[Rule]:
        """The rules for that row. `are_one`: the first and the last argument are the same value."""
        if all(shape is not None and not isinstance(shape, Op) for shape in shapes):
            return []
        found = [rule for rule in self._by_root[op] if are_one or not _wants_one(rule.pattern.args)]
        return [rule for rule in found if all(map(_may_be, rule.pattern.args, shapes))]


@immutable
class _Tells:
    """The marks by which a row's rules tell its arguments apart: the texts of numbers, and the rows inside of
    patterns."""

    literals: Mapping[int, frozenset[str]]
    inside: frozenset[Op]


def _what_tells(rules: Sequence[Rule], word: int) -> _Tells:
    args = [arg for rule in rules for arg in rule.pattern.args]
    literals: dict[int, frozenset[str]] = {}
    for literal in args:
        if isinstance(literal, Literal):
            number = _number(literal, word)
            literals[number] = literals.get(number, frozenset()) | {literal.text}
    inside = {arg.op for arg in args if isinstance(arg, Apply)}
    return _Tells(
        literals, frozenset(inside).union(row for row in _WITH_FLAG if any(_computes(row, one) for one in inside))
    )


@lru_cache(maxsize=2)
def _index(rules: tuple[Rule, ...]) -> _Index:
    return _Index(rules)


def _shape(value: Value, facts: Facts, tells: _Tells) -> _Shape:
    if isinstance(value, ConstInt):
        return tells.literals.get(value.value, ConstInt)
    if isinstance(value, ConstFloat):
        return ConstInt
    definition = facts.definition(value) if tells.inside else None
    return definition.op if definition is not None and definition.op in tells.inside else None


def _wants_one(args: tuple[Term, ...]) -> bool:
    """Does a pattern say that the first and the last argument are the same value, by naming it twice?"""
    first, last = args[0], args[-1]
    return isinstance(first, Variable) and first == last


def _may_be(pattern: Term, shape: _Shape) -> bool:
    """Can what has this shape be what the pattern says?"""
    if isinstance(pattern, Variable):
        return True
    if isinstance(pattern, Literal):
        return isinstance(shape, frozenset) and pattern.text in shape
    if isinstance(pattern, Apply):
        return isinstance(shape, Op) and _computes(shape, pattern.op)
    return shape is ConstInt or isinstance(shape, frozenset)


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
        return isinstance(value, ConstInt) and value.value == _number(pattern, facts.word)
    if isinstance(pattern, FloatLiteral):
        return value == ConstFloat(pattern.value)
    assert isinstance(pattern, Apply), "the rule language lets no function stand in a pattern"
    definition, op = facts.definition(value), pattern.op
    if definition is None or not _computes(definition.op, op):
        return False
    if op.overflows is not None and facts.overflowed(value) is not False:
        return False
    return _match_all(pattern.args, definition.args, facts, found)


def _number(literal: Literal, word: int) -> int:
    return concrete(word).const(literal.value(word))


def _computes(defining: Op, wanted: Op) -> bool:
    return defining is wanted or defining.wrapping == wanted.name


@immutable
class _Conditions:
    """The conditions of a rule: those that constants decide and the others, each with the names that they look at."""

    on_constants: tuple[Term, ...]
    constants: tuple[str, ...]
    on_bounds: tuple[Term, ...]
    values: tuple[str, ...]


@cache
def _conditions(rule: Rule) -> _Conditions:
    on_constants = tuple(filter(is_constant, rule.conditions))
    on_bounds = tuple(condition for condition in rule.conditions if condition not in on_constants)
    return _Conditions(on_constants, _names(on_constants), on_bounds, _names(on_bounds))


def _names(terms: tuple[Term, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(leaf.name for term in terms for leaf in named_leaves(term)))


def _all_hold(rule: Rule, facts: Facts, found: Mapping[str, Value]) -> bool:
    conditions = _conditions(rule)
    if conditions.on_constants and not _hold_of_constants(rule, facts.word, _numbers(conditions.constants, found)):
        return False
    if not conditions.on_bounds:
        return True
    known = facts.bounds.all_bounds([found[name] for name in conditions.values])
    return _hold_of_bounds(rule, facts.word, known)


@lru_cache(maxsize=1 << 14)
def _hold_of_constants(rule: Rule, word: int, numbers: tuple[Any, ...]) -> bool:
    conditions = _conditions(rule)
    leaves = dict(zip(conditions.constants, numbers, strict=True))
    return bool(holds(conditions.on_constants, concrete(word), leaves))


@lru_cache(maxsize=1 << 14)
def _hold_of_bounds(rule: Rule, word: int, known: tuple[Bounds, ...]) -> bool:
    conditions = _conditions(rule)
    leaves = dict(zip(conditions.values, known, strict=True))
    return all(holds((one,), bounds_domain(word), leaves) for one in conditions.on_bounds)


@cache
def _operation_of(rule: Rule) -> Apply | None:
    """The operation that a rule puts into the place of another one; None where that becomes a value."""
    replacement = rule.replacement
    return replacement if isinstance(replacement, Apply) and not is_constant(replacement) else None


def _numbers(names: tuple[str, ...], found: Mapping[str, Value]) -> tuple[Any, ...]:
    """The numbers of the constants of these names."""
    return tuple([number.value for name in names if isinstance(number := found[name], _NUMBERS)])


def _replace(rule: Rule, found: Mapping[str, Value], facts: Facts) -> Answer:
    operation = _operation_of(rule)
    overflowed = None if rule.root.overflows is None else False
    if operation is None:
        return Equal(_value(rule, rule.replacement, 0, found, facts), rule.name, overflowed)
    if operation.op.overflows is not None:
        overflowed = None
    args = tuple([_value(rule, arg, at, found, facts) for at, arg in enumerate(operation.args)])
    return Becomes(operation.op, args, rule.name, overflowed)


def _value(rule: Rule, term: Term, at: int, found: Mapping[str, Value], facts: Facts) -> Value:
    """The value that a leaf or constant term of a replacement stands for, which is in place `at` of it."""
    if isinstance(term, Variable):
        return facts.find(found[term.name])
    if isinstance(term, Constant):
        return found[term.name]
    return _computed(rule, at, facts.word, _numbers(_names_at(rule, at), found))


@cache
def _term_at(rule: Rule, at: int) -> Term:
    operation = _operation_of(rule)
    return rule.replacement if operation is None else operation.args[at]


@cache
def _names_at(rule: Rule, at: int) -> tuple[str, ...]:
    return _names((_term_at(rule, at),))


@lru_cache(maxsize=1 << 14)
def _computed(rule: Rule, at: int, word: int, numbers: tuple[Any, ...]) -> ConstInt | ConstFloat:
    leaves = dict(zip(_names_at(rule, at), numbers, strict=True))
    number, _ = evaluate(_term_at(rule, at), concrete(word), leaves)
    return constant_of(number)
