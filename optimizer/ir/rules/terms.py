"""The terms of rules, and what they mean over any domain.

The prover assumes the conditions of a rule, the optimizer evaluates them over what it knows of the values; both read
them through `evaluate`, so there is one definition of every operation and function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from optimizer.ir.domains.bounds import BoundsDomain
from optimizer.ir.floats import Float
from optimizer.ir.rows.domain import PRIMITIVES, Domain
from optimizer.ir.rows.ops import Op

W = TypeVar("W")
C = TypeVar("C")

SMALLEST_WORD = 4


@dataclass(frozen=True, slots=True)
class Variable:
    """Any value."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant machine integer or float, as the operation takes it that it is an argument of."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A number of the rule itself; `value(width)` is any Python integer that is it modulo 2**width. It is a machine
    integer from `min_word` bits on."""

    text: str
    value: Callable[[int], int]
    min_word: int = SMALLEST_WORD


@dataclass(frozen=True, slots=True)
class FloatLiteral:
    """A float of the rule itself."""

    value: Float


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of the table."""

    op: Op
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Primitive:
    """A word or a condition of the vocabulary of domains. An `exact` sum, difference or product is one that does not
    wrap around."""

    name: str
    args: tuple[Term, ...]
    exact: bool = False

    @property
    def is_condition(self) -> bool:
        return self.name in _CONDITIONS


@dataclass(frozen=True, slots=True)
class Call:
    """A named function."""

    name: str
    args: tuple[Term, ...]


Term = Variable | Constant | Literal | FloatLiteral | Apply | Primitive | Call

_OVERFLOWS = ("add_overflows", "sub_overflows", "mul_overflows")
_CONDITIONS = frozenset(("eq", "ne", "slt", "sle", "ult", "ule", *_OVERFLOWS, "not_", "both", "either"))
NAMES_OF_PRIMITIVES = (frozenset(PRIMITIVES) | _CONDITIONS) - {"const", "truth", "ite"}
EXACT = {f"exact_{name}": name for name in ("add", "sub", "mul")}
"""The names of sums, differences and products that do not wrap around."""


def _is_power_of_two(d: Domain[Any, Any], c: Any) -> Any:
    """1 if one bit of `c` is set (so for MININT too)."""
    one_bit = d.eq(d.bit_and(c, d.sub(c, d.const(1))), d.const(0))
    return d.bit(d.both(d.ne(c, d.const(0)), one_bit))


def _log2(d: Domain[Any, Any], c: Any) -> Any:
    """The place of the highest bit set in `c`, 0 for 0."""
    place = d.const(0)
    for i in range(1, d.width):
        place = d.ite(d.ult(c, d.const(1 << i)), place, d.const(i))
    return place


def _add_fits(d: Domain[Any, Any], a: Any, b: Any) -> Any:
    """1 if the integer a + b is a machine integer."""
    return d.bit(d.not_(d.add_overflows(a, b)))


def _sub_fits(d: Domain[Any, Any], a: Any, b: Any) -> Any:
    """1 if the integer a - b is a machine integer."""
    return d.bit(d.not_(d.sub_overflows(a, b)))


def _outside(d: Domain[Any, Any], x: Any, low: Any, high: Any) -> Any:
    """1 if `x` is less than `low` or more than `high`."""
    if isinstance(d, BoundsDomain) and low.is_constant and high.is_constant:
        inside = d.between(low.low, high.low)
        return d.bit(True if inside is None or d.meet(x, inside) is None else None)
    return d.bit(d.either(d.slt(x, low), d.slt(high, x)))


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "add_fits": (2, _add_fits),
    "is_power_of_two": (1, _is_power_of_two),
    "log2": (1, _log2),
    "outside": (3, _outside),
    "sub_fits": (2, _sub_fits),
}
"""The named functions: how many arguments, and the meaning as a term over a domain. They are always
defined."""

WORD_CONSTANTS: dict[str, Callable[[int], int]] = {
    "MININT": lambda width: -1 << (width - 1),
    "MAXINT": lambda width: (1 << (width - 1)) - 1,
    "WORD": lambda width: width,
    "SIGN": lambda width: width - 1,
}


def is_leaf(term: Term) -> bool:
    return isinstance(term, Variable | Constant | Literal | FloatLiteral)


def is_constant(term: Term) -> bool:
    """Is the term computed from constants only?"""
    return not any(isinstance(leaf, Variable) for leaf in named_leaves(term))


def parts(term: Term) -> Iterator[Term]:
    """The term and all that it is made of."""
    yield term
    if isinstance(term, Apply | Primitive | Call):
        for arg in term.args:
            yield from parts(arg)


def named_leaves(term: Term) -> Iterator[Variable | Constant]:
    for part in parts(term):
        if isinstance(part, Variable | Constant):
            yield part


def applications(term: Term) -> Iterator[Apply]:
    for part in parts(term):
        if isinstance(part, Apply):
            yield part


def min_word(term: Term) -> int:
    """The smallest width at which the operations of the term exist and its numbers are machine integers."""
    widths = [use.op.min_word for use in applications(term)]
    widths += [part.min_word for part in parts(term) if isinstance(part, Literal)]
    return max(widths, default=SMALLEST_WORD)


def evaluate(term: Term, d: Domain[W, C], leaves: Mapping[str, W]) -> tuple[W, C]:
    """The value of the term, and the condition under which it is defined.

    An overflow operation is defined where it does not overflow.
    """
    conditions: list[C] = []
    word = _word(term, d, leaves, conditions)
    return word, _all_of(conditions, d)


def _word(term: Term, d: Domain[W, C], leaves: Mapping[str, W], conditions: list[C]) -> W:
    """The value of the term. Adds to the `conditions` under which it is defined."""
    if isinstance(term, (Variable, Constant)):
        return leaves[term.name]
    if isinstance(term, Literal):
        return d.const(term.value(d.width))
    if isinstance(term, FloatLiteral):
        return cast(W, d.floats.const(term.value))
    return _result(term, d, leaves, conditions)


def _result(term: Apply | Primitive | Call, d: Domain[W, C], leaves: Mapping[str, W], conditions: list[C]) -> W:
    words = [_word(arg, d, leaves, conditions) for arg in term.args]
    if isinstance(term, Call):
        return cast(W, FUNCTIONS[term.name][1](d, *words))
    if isinstance(term, Primitive):
        if term.exact:
            conditions.append(d.not_(getattr(d, f"{term.name}_overflows")(*words)))
        return cast(W, getattr(d, term.name)(*words))
    op = term.op
    assert op.meaning is not None
    if op.defined is not None:
        conditions.append(op.defined(d, *words))
    if op.overflows is not None:
        conditions.append(d.not_(op.overflows(d, *words)))
    return cast(W, op.meaning(d, *words))


def _all_of(conditions: list[C], d: Domain[W, C]) -> C:
    sure = d.truth(True)
    for condition in conditions:
        sure = d.both(sure, condition)
    return sure


def holds(conditions: tuple[Term, ...], d: Domain[W, C], leaves: Mapping[str, W]) -> C:
    """All conditions are defined and not 0."""
    sure: list[C] = []
    for condition in conditions:
        result: Any = _word(condition, d, leaves, sure)
        is_condition = isinstance(condition, Primitive) and condition.is_condition
        sure.append(result if is_condition else d.ne(result, d.const(0)))
    return _all_of(sure, d)


@dataclass(frozen=True, slots=True)
class Seen:
    """The observable parts of the operation that a side of a rule stands for.

    `word` is the result (0 of a guard or a condition), `condition` whether a guard goes on, a condition holds, or an
    overflow operation overflows (false for all else).
    """

    word: Any
    condition: Any
    defined: Any


def observe(side: Term, d: Domain[W, C], leaves: Mapping[str, W]) -> Seen:
    """The pattern or the replacement of a rule as one operation."""
    if isinstance(side, Primitive) and side.is_condition:
        holds, defined = evaluate(side, d, leaves)
        return Seen(d.const(0), holds, defined)
    if not isinstance(side, Apply):
        word, defined = evaluate(side, d, leaves)
        return Seen(word, d.truth(False), defined)
    conditions: list[C] = []
    words = [_word(arg, d, leaves, conditions) for arg in side.args]
    defined = _all_of(conditions, d)
    op = side.op
    if op.defined is not None:
        defined = d.both(defined, op.defined(d, *words))
    if op.passes is not None:
        return Seen(d.const(0), op.passes(d, *words), defined)
    assert op.meaning is not None
    overflows = d.truth(False) if op.overflows is None else op.overflows(d, *words)
    return Seen(op.meaning(d, *words), overflows, defined)
