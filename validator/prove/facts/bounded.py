"""Terms rewritten by the table of `validator.prove.facts.bounded_rules`, under the bounds of their parts.

Each rewriting holds for all values within the bounds. A term with one value left is that constant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from optimizer.ir.domains.bounds import Bounds, bounds_domain
from optimizer.ir.domains.term import Term
from optimizer.ir.floats import EXACT_INTS
from optimizer.ir.rules.guesses import guess
from optimizer.ir.rules.language import Rule
from optimizer.ir.rules.terms import (
    SMALLEST_WORD,
    Constant,
    Literal,
    Primitive,
    Variable,
    evaluate,
    holds,
    named_leaves,
)
from optimizer.ir.rules.terms import Term as Pattern
from validator.prove.facts.bounded_rules import BOUNDED_RULES
from validator.prove.facts.intervals import Intervals
from validator.prove.terms.object_kinds import CONDITIONS, OF_OBJECTS
from validator.prove.terms.object_terms import ObjectTerms

_PLAIN = OF_OBJECTS - CONDITIONS | {"truth", "const"}
_ROUNDS = 4
_COMMUTATIVE = frozenset({"add", "mul", "umulh", "bit_and", "bit_or", "bit_xor", "eq"})

_Found = dict[str, Term]


class BoundedRewriting:
    """Rewrites single terms; their parts are taken as they are."""

    def __init__(self, terms: ObjectTerms, intervals: Intervals) -> None:
        self._terms = terms
        self._intervals = intervals

    def rewritten(self, term: Term) -> Term:
        """A term of the same value wherever what the intervals know holds."""
        for _ in range(_ROUNDS):
            new = self._once(term)
            if new is term:
                break
            term = new
        return term

    def _once(self, term: Term) -> Term:
        if term.kind in _PLAIN:
            return term
        value = self._intervals.value(term)
        if term.kind in CONDITIONS:
            if value is not None:
                return self._terms.truth(value)
        elif value.low == value.high:
            return self._terms.const(value.low)
        if term.kind == "float_to_int" and term.args[0].kind == "float_of_int":
            return self._cast_back(term, term.args[0].args[0])
        for rule in _by_root().get(term.kind, ()):
            new = self._applied(rule, term)
            if new is not None and new is not term:
                return new
        return term

    def _cast_back(self, term: Term, number: Term) -> Term:
        """The number that is cast to a float and back, where that is exact."""
        bounds = self._intervals.value(number)
        return number if bounds.low >= -1 << EXACT_INTS and bounds.high <= 1 << EXACT_INTS else term

    def _applied(self, rule: Rule, term: Term) -> Term | None:
        """The rewritten term, None where the rule does not match or its conditions are not known to hold."""
        for found in self._matches(rule.pattern.args, term.args, {}, term.kind in _COMMUTATIVE):
            known = tuple([self._intervals.value(found[name]) for name in found])
            settled = _settled(rule, self._terms.width, tuple(found), known)
            if settled is not None:
                guessed, open_ = settled
                leaves = found | {name: self._terms.const(number) for name, number in guessed.items()}
                if all(self._intervals.value(holds((one,), self._terms, leaves)) for one in open_):
                    return evaluate(rule.replacement, self._terms, leaves)[0]
        return None

    def _matches(
        self, patterns: Sequence[Pattern], args: Sequence[Term], found: _Found, in_any_order: bool
    ) -> Iterator[_Found]:
        """The terms that the names of the patterns may stand for, besides what is `found` already."""
        for order in (args, args[::-1])[: 1 + (in_any_order and args[0] is not args[-1])]:
            yield from self._match_all(patterns, order, found)

    def _match_all(self, patterns: Sequence[Pattern], args: Sequence[Term], found: _Found) -> Iterator[_Found]:
        if not patterns:
            yield found
            return
        for left in self._match(patterns[0], args[0], found):
            yield from self._match_all(patterns[1:], args[1:], left)

    def _match(self, pattern: Pattern, term: Term, found: _Found) -> Iterator[_Found]:
        match pattern:
            case Variable(name) | Constant(name):
                if isinstance(pattern, Constant) and term.kind != "const":
                    return
                known = found.get(name)
                if known is None:
                    yield {**found, name: term}
                elif known is term:
                    yield found
            case Literal():
                if term is self._terms.const(pattern.value(self._terms.width)):
                    yield found
            case Primitive(kind, args, exact):
                if term.kind == kind and (not exact or self._intervals.is_exact(term)):
                    yield from self._matches(args, term.args, found, kind in _COMMUTATIVE)
                if self._stands_for(pattern, term, found):
                    yield found

    def _stands_for(self, pattern: Primitive, term: Term, found: _Found) -> bool:
        """Is the term what the pattern stands for, in the form of terms? ashr(ashr(x, 32), 63) is ashr(x, 63)."""
        if pattern.exact or any(leaf.name not in found for leaf in named_leaves(pattern)):
            return False
        return evaluate(pattern, self._terms, found)[0] is term


@cache
def _by_root() -> Mapping[str, list[Rule]]:
    """The rules by the kind of term that they rewrite."""
    by_root: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in BOUNDED_RULES:
        assert isinstance(rule.pattern, Primitive)
        assert rule.min_word == SMALLEST_WORD
        by_root[rule.pattern.name].append(rule)
    return by_root


@lru_cache(maxsize=1 << 14)  # the same bounds come again and again, in other traces too
def _settled(
    rule: Rule, word: int, names: Sequence[str], known: tuple[Bounds, ...]
) -> tuple[Mapping[str, int], Sequence[Pattern]] | None:
    """The constants that the hints guess, and the conditions that two values differ, of which the bounds say nothing
    though it may have been learned; None where another condition does not hold of all values with these bounds."""
    d = bounds_domain(word)
    leaves, guessed = dict(zip(names, known, strict=True)), {}
    for name, hint in rule.hints:
        bounds = guess(hint, d, leaves)
        if bounds is None:
            return None
        leaves[name], guessed[name] = bounds, bounds.low
    left = []
    for condition in rule.conditions:
        truth = holds((condition,), d, leaves)
        if truth is None and isinstance(condition, Primitive) and condition.name == "ne":
            left.append(condition)
        elif not truth:
            return None
    return guessed, left
