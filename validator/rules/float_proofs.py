"""Proves the rules on floats: by the laws of floats, which are proved themselves, or by a solver that knows what
operations on floats are. Every rule is tried on special values besides."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.concrete_floats import UnspecifiedBytes
from optimizer.ir.floats import Float
from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.ops import Type
from optimizer.ir.rules.language import Rule
from optimizer.ir.rules.terms import observe
from optimizer.ir.types.layout import Layout
from validator.prove.terms.float_terms import PlainFloatTerms
from validator.prove.terms.object_terms import ObjectTerms
from validator.rules.status import NET_S, Proved, Refuted, Status, Unproved
from validator.search.float_samples import float_pool
from validator.solvers.answers import GaveUp, Sat, SolverChoice, Unsat
from validator.solvers.portfolio import Portfolio

_WORDS = (0, 1, -1, 1 << 53, 1 << 62)


class FloatsAsWritten(ObjectTerms):
    """Terms whose floats are not simplified, so that a solver says what the laws say."""

    __slots__ = ()

    @property
    def floats(self) -> PlainFloatTerms:
        return PlainFloatTerms(self)


def prove_float_rule(rule: Rule, effort: int, width: int) -> Status:
    """Prove a rule without conditions."""
    refuted = _tried(rule, width)
    if refuted is not None:
        return refuted
    simplified = ObjectTerms(width, Layout())
    if wrong(rule, simplified, _variables(rule, simplified)) is simplified.false:
        return Proved(width, "laws", width)
    terms = FloatsAsWritten(width, Layout())
    leaves = _variables(rule, terms)
    answer = Portfolio(terms, SolverChoice.AUTO).check([wrong(rule, terms, leaves)], effort, NET_S, exact=True)
    match answer:
        case Unsat(by):
            return Proved(width, by, width)
        case Sat(model):
            values = {name: model.get(leaf, 0) for name, leaf in leaves.items()}
            return Refuted(width, {n: Float(v) if rule.types[n] is Type.FLOAT else v for n, v in values.items()})
        case GaveUp(reason):
            return Unproved(reason)


def wrong(rule: Rule, d: Domain[Any, Any], leaves: Mapping[str, Any]) -> Any:
    """The condition under which the rule changes something."""
    before, after = observe(rule.pattern, d, leaves), observe(rule.replacement, d, leaves)
    is_float = rule.root.result is Type.FLOAT
    same = d.floats.same(before.word, after.word) if is_float else d.eq(before.word, after.word)
    return d.both(before.defined, d.not_(d.both(after.defined, same)))


def _variables(rule: Rule, terms: ObjectTerms) -> dict[str, Any]:
    return {
        name: terms.floats.var(name) if type_ is Type.FLOAT else terms.var(name) for name, type_ in rule.types.items()
    }


def _tried(rule: Rule, width: int) -> Refuted | None:
    """Is it wrong on special values?"""
    d = concrete(width)
    pools: list[tuple[Float | int, ...]] = [
        float_pool([]) if type_ is Type.FLOAT else _WORDS for type_ in rule.types.values()
    ]
    for values in product(*pools):
        leaves = dict(zip(rule.types, values, strict=True))
        try:
            is_wrong = wrong(rule, d, leaves)
        except UnspecifiedBytes:
            continue
        if is_wrong:
            return Refuted(width, leaves)
    return None
