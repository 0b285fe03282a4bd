"""The language of the rule table: terms in trace syntax, and what they mean over any domain.

    int_mul(x, C) => int_lshift(x, log2(C))        if  is_power_of_two(C)

A lower-case name is any value, an upper-case name a constant, the same name the same value; `MININT`,
`MAXINT` and `WORD` are constants of the word. Operations nest. In a pattern, an operation on the inside
stands for the definition of the value it is compared with; an overflow operation there is one whose guard has
told that it did not overflow, and an operation without flag stands for its overflow operation too, which
computes the same. In a replacement and in a condition, operations and the named functions below compute. A
replacement is a value, or *one* operation on values and computed constants.

A condition holds where it is defined and not 0. The prover assumes it, the optimizer evaluates it over what
it knows of the values; both read it through `evaluate`, so there is one definition of every operation and
function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from optimizer.ir.domain import Domain
from optimizer.ir.floats import Float
from optimizer.ir.ops import OPS, Kind, Op, Type

W = TypeVar("W")
C = TypeVar("C")


class RuleError(Exception):
    """A rule that is not of the language; its text says what was expected."""


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
    """A number of the rule itself; `value(width)` is any Python integer that is it modulo 2**width."""

    text: str
    value: Callable[[int], int]


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
class Call:
    """A named function."""

    name: str
    args: tuple[Term, ...]


Term = Variable | Constant | Literal | FloatLiteral | Apply | Call


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


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "add_fits": (2, _add_fits),
    "is_power_of_two": (1, _is_power_of_two),
    "log2": (1, _log2),
    "sub_fits": (2, _sub_fits),
}
"""The named functions: how many arguments, and the meaning as a term over a domain. They are always
defined."""

WORD_CONSTANTS: dict[str, Callable[[int], int]] = {
    "MININT": lambda width: -1 << (width - 1),
    "MAXINT": lambda width: (1 << (width - 1)) - 1,
    "WORD": lambda width: width,
}

SMALLEST_WORD = 4


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """`pattern => replacement`, where all conditions hold. `text` and `condition_texts` are as they were
    written.

    `min_word` is the smallest width at which all of its operations exist.
    """

    name: str
    text: str
    condition_texts: tuple[str, ...]
    pattern: Apply
    replacement: Term
    conditions: tuple[Term, ...]
    min_word: int

    @property
    def names(self) -> tuple[str, ...]:
        """The variables and constants of the pattern, in order of their first use."""
        return tuple(dict.fromkeys(leaf.name for leaf in named_leaves(self.pattern)))

    @property
    def types(self) -> Mapping[str, Type]:
        """Those of the names."""
        places = [pair for use in applications(self.pattern) for pair in zip(use.args, use.op.args or (), strict=True)]
        return {leaf.name: type_ for leaf, type_ in places if isinstance(leaf, Variable | Constant)}

    @property
    def has_floats(self) -> bool:
        return any(use.op.has_floats for use in applications(self.pattern))

    def __str__(self) -> str:
        return f"{self.text}{' if ' * bool(self.conditions)}{' and '.join(self.condition_texts)}"


def rule(name: str, text: str, *conditions: str) -> Rule:
    """A line of the table. Raises `RuleError` if it is not of the language."""
    try:
        left, arrow, right = text.partition("=>")
        if not arrow:
            raise RuleError("expected `pattern => replacement`")
        pattern = _parse(left)
        if not isinstance(pattern, Apply):
            raise RuleError("expected an operation as the pattern")
        terms = (_parse(right), *map(_parse, conditions))
        min_word = max(use.op.min_word for term in (pattern, *terms) for use in applications(term))
        made = Rule(name, text, conditions, pattern, terms[0], terms[1:], min_word)
        _check(made)
    except RuleError as error:
        raise RuleError(f"rule {name}: {error}") from None
    return made


_TOKEN = re.compile(r"\s*(-?\d+\.\d+|[A-Za-z_]\w*|-?\d+|[(),])")


def _parse(text: str) -> Term:
    tokens = _tokens(text)
    term = _parse_term(tokens)
    if tokens:
        raise RuleError(f"expected the end of the term, found {tokens[-1]!r}")
    return term


def _tokens(text: str) -> list[str]:
    """The tokens, last one first."""
    found: list[str] = []
    place = 0
    text = text.strip()
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            raise RuleError(f"expected a term, found {text[place:].lstrip()!r}")
        found.append(token[1])
        place = token.end()
    return found[::-1]


def _parse_term(tokens: list[str]) -> Term:
    if not tokens:
        raise RuleError("expected a term, found the end")
    head = tokens.pop()
    if head == "nan" or "." in head:
        return FloatLiteral(Float.of(float(head)))
    if head.lstrip("-").isdigit():
        return _literal(int(head))
    if not tokens or tokens[-1] != "(":
        return _leaf(head)
    args: list[Term] = []
    while tokens and tokens[-1] in "(,":
        tokens.pop()
        args.append(_parse_term(tokens))
    if not tokens or tokens.pop() != ")":
        raise RuleError(f"expected ')' behind the arguments of {head}")
    return _application(head, tuple(args))


def _literal(value: int) -> Literal:
    if not -(1 << (SMALLEST_WORD - 1)) <= value < 1 << (SMALLEST_WORD - 1):
        raise RuleError(f"{value} is not a machine integer of {SMALLEST_WORD} bits, the smallest word")
    return Literal(str(value), lambda width: value)


def _leaf(name: str) -> Term:
    if name in WORD_CONSTANTS:
        return Literal(name, WORD_CONSTANTS[name])
    if not name[0].isalpha():
        raise RuleError(f"expected a name, found {name!r}")
    return Constant(name) if name[0].isupper() else Variable(name)


def _application(name: str, args: tuple[Term, ...]) -> Term:
    if name in FUNCTIONS:
        arity, _ = FUNCTIONS[name]
        term: Term = Call(name, args)
    elif name in OPS and OPS[name].args is not None and (OPS[name].modelled or OPS[name].has_floats):
        arity = len(OPS[name].args or ())
        term = Apply(OPS[name], args)
    else:
        raise RuleError(f"expected an operation with a meaning or a named function, found {name}")
    if arity != len(args):
        raise RuleError(f"{name} takes {arity} arguments, got {len(args)}")
    return term


def _check(made: Rule) -> None:
    root, replacement = made.pattern.op, made.replacement
    if any(isinstance(part, Call) for part in _parts(made.pattern)):
        raise RuleError("a named function cannot be matched")
    for term in (replacement, *made.conditions):
        for leaf in named_leaves(term):
            if leaf.name not in made.names:
                raise RuleError(f"{leaf.name} does not stand in the pattern")
    new_root = replacement.op if isinstance(replacement, Apply) and not is_constant(replacement) else None
    if new_root is not None and isinstance(replacement, Apply):
        if not all(is_leaf(arg) or is_constant(arg) for arg in replacement.args):
            raise RuleError("a replacement is a value or one operation on values and computed constants")
        if new_root.overflows and not root.overflows:
            raise RuleError("only an overflow operation can become one")
    if (root.kind is Kind.GUARD) != (new_root is not None and new_root.kind is Kind.GUARD):
        raise RuleError("a guard becomes a guard, and nothing else does")


def is_leaf(term: Term) -> bool:
    return isinstance(term, Variable | Constant | Literal | FloatLiteral)


def is_constant(term: Term) -> bool:
    """Is the term computed from constants only?"""
    return not any(isinstance(leaf, Variable) for leaf in named_leaves(term))


def _parts(term: Term) -> Iterator[Term]:
    yield term
    if isinstance(term, Apply | Call):
        for arg in term.args:
            yield from _parts(arg)


def named_leaves(term: Term) -> Iterator[Variable | Constant]:
    for part in _parts(term):
        if isinstance(part, Variable | Constant):
            yield part


def applications(term: Term) -> Iterator[Apply]:
    for part in _parts(term):
        if isinstance(part, Apply):
            yield part


def evaluate(term: Term, d: Domain[W, C], leaves: Mapping[str, W]) -> tuple[W, C]:
    """What the term computes, and the condition under which it is defined.

    An overflow operation is defined where it does not overflow.
    """
    match term:
        case Variable(name) | Constant(name):
            return leaves[name], d.truth(True)
        case Literal(_, value):
            return d.const(value(d.width)), d.truth(True)
        case FloatLiteral(number):
            return d.floats.const(number), d.truth(True)
        case Call(name, args):
            words, defined = _arguments(args, d, leaves)
            return FUNCTIONS[name][1](d, *words), defined
        case Apply(op, args):
            words, defined = _arguments(args, d, leaves)
            assert op.meaning is not None
            if op.defined is not None:
                defined = d.both(defined, op.defined(d, *words))
            if op.overflows is not None:
                defined = d.both(defined, d.not_(op.overflows(d, *words)))
            return op.meaning(d, *words), defined


def _arguments(args: tuple[Term, ...], d: Domain[W, C], leaves: Mapping[str, W]) -> tuple[list[W], C]:
    defined = d.truth(True)
    words = []
    for arg in args:
        word, sure = evaluate(arg, d, leaves)
        words.append(word)
        defined = d.both(defined, sure)
    return words, defined


def holds(conditions: tuple[Term, ...], d: Domain[W, C], leaves: Mapping[str, W]) -> C:
    """All conditions are defined and not 0."""
    sure = d.truth(True)
    for condition in conditions:
        word, defined = evaluate(condition, d, leaves)
        sure = d.both(sure, d.both(defined, d.ne(word, d.const(0))))
    return sure


@dataclass(frozen=True, slots=True)
class Seen:
    """What can be seen of the operation that a side of a rule stands for.

    `word` is the result (0 of a guard), `condition` whether a guard goes on, or whether an overflow operation
    overflows (false for all else).
    """

    word: Any
    condition: Any
    defined: Any


def observe(side: Term, d: Domain[W, C], leaves: Mapping[str, W]) -> Seen:
    """The pattern or the replacement of a rule as one operation."""
    if not isinstance(side, Apply):
        word, defined = evaluate(side, d, leaves)
        return Seen(word, d.truth(False), defined)
    words, defined = _arguments(side.args, d, leaves)
    op = side.op
    if op.defined is not None:
        defined = d.both(defined, op.defined(d, *words))
    if op.passes is not None:
        return Seen(d.const(0), op.passes(d, *words), defined)
    assert op.meaning is not None
    overflows = d.truth(False) if op.overflows is None else op.overflows(d, *words)
    return Seen(op.meaning(d, *words), overflows, defined)
