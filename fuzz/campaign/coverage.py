"""Coverage of our optimizer: the parts that took part in optimizing a trace, and all that could have.

A rule or reason goes by its name, a pass that has removed something is `pass:fold`. The bounds that an operation gives
are `result:int_and` where it has told more of its result than it does of any arguments, and `argument:int_and`
where it has told more of an argument than was known.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from optimizer.ir.domains.backward import INVERSES
from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import cone
from optimizer.ir.rows.ops import OPS, Op
from optimizer.ir.rules.language import Rule
from optimizer.ir.rules.terms import Variable
from optimizer.pipeline import ALL_RULES, DEFAULT_PASSES, Optimization

_WORD = 64


def what_fired(optimization: Optimization) -> frozenset[str]:
    """The rules, reasons, passes and transfer functions that did something."""
    passes = (
        name for name in DEFAULT_PASSES if optimization.operations.get(name, 0) > 0 or optimization.guards.get(name)
    )
    return frozenset(
        (
            *optimization.fired,
            *(f"pass:{name}" for name in passes),
            *(f"result:{name}" for name in optimization.results_bounded),
            *(f"argument:{name}" for name in optimization.arguments_bounded),
        )
    )


@cache
def all_coverage() -> frozenset[str]:
    """Every rule, pass and transfer function that there is."""
    rewritten = {rule.root for rule in ALL_RULES if not rule.conditions and _matches_all(rule)}
    modelled = [row for row in OPS.values() if row.modelled and (row.is_pure or row.is_guard) and row.args]
    left = [row for row in modelled if row not in rewritten]
    return frozenset(
        (
            *(rule.name for rule in ALL_RULES),
            *(f"pass:{name}" for name in DEFAULT_PASSES),
            *(f"result:{row.name}" for row in left if row.is_pure),
            *(f"argument:{row.name}" for row in left if _can_be_inverted(row)),
        )
    )


def never_fired(fired: Collection[str]) -> tuple[str, ...]:
    """The parts that have not fired, rules first; nothing where no part of our optimizer has, since another one was
    tested then, which tells nothing."""
    everything = all_coverage()
    if everything.isdisjoint(fired):
        return ()
    return tuple(sorted(everything.difference(fired), key=lambda name: (":" in name, name)))


def _matches_all(rule: Rule) -> bool:
    """Does the rule rewrite every operation of its row?"""
    args = rule.pattern.args
    return len(set(args)) == len(args) and all(isinstance(arg, Variable) for arg in args)


def _can_be_inverted(row: Op) -> bool:
    """Is there a term in what the row says through which something is inferred backward?"""
    terms = PlainTerms(_WORD)
    args = [terms.var(f"x{index}") for index in range(len(row.args or ()))]
    said = [term for term in (row.meaning, row.overflows, row.defined, row.passes) if term is not None]
    kinds = {term.kind for term in cone([term(terms, *args) for term in said])}
    return not kinds.isdisjoint(INVERSES)
