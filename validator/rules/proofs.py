"""Proves the rules of the optimizer's table.

A rule claims: wherever its conditions hold and its pattern is defined, its replacement is defined too, computes the
same, and, at an overflow operation or a guard, sets the same flag or goes on in the same cases. The claim is proved for
all inputs at 64 bits by Z3, at once or, where a constant is a power of two or a shift amount, case by case; where Z3
gives up, on all inputs at a small width, which the proof then says. As words may have any width from 4 bits on, *every*
rule is checked on all inputs at a small width besides, over Python integers and without Z3, unless these are too many;
the width is one at which the rule's operations exist and its numbers are machine integers, and a rule that needs more
than 4 bits for that says so. A rule must also be able to fire: some input fulfils its conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from optimizer.ir.domains.concrete import Concrete, concrete
from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term
from optimizer.ir.floats import Float
from optimizer.ir.rows.domain import Domain
from optimizer.ir.rules.language import Rule
from optimizer.ir.rules.terms import SMALLEST_WORD, C, Call, Constant, Seen, W, holds, named_leaves, observe
from optimizer.ir.rules.terms import Term as RuleTerm
from validator.rules.float_proofs import prove_float_rule
from validator.rules.status import NET_S, NeverFires, Proved, Refuted, Status, Unproved, status_words
from validator.solvers.answers import Answer, GaveUp, Sat, SolverChoice, Unsat
from validator.solvers.portfolio import Portfolio

DEFAULT_EFFORT = 10_000_000
"""The default effort for each query, in units of Z3's rlimit."""

_MOST_INPUTS = 1 << 17


@dataclass(frozen=True, slots=True)
class RuleProof:
    """The outcome of the proof of a rule."""

    rule: Rule
    status: Status
    seconds: float

    def __str__(self) -> str:
        word, how = self._words()
        return f"{self.rule.name:36} {word} {how} ({self.seconds:.2f} s)\n    {self.rule}"

    def _words(self) -> tuple[str, str]:
        word, how = status_words(self.status)
        least = self.rule.min_word
        is_told = isinstance(self.status, Proved) and least > SMALLEST_WORD
        return word, f"{how}; it needs words of {least} bits or more" if is_told else how

    def json(self) -> dict[str, Any]:
        """The same for machines."""
        word, how = self._words()
        seconds = round(self.seconds, 6)
        values = self.status.values if isinstance(self.status, Refuted) else {}
        return {
            "rule": self.rule.name,
            "text": str(self.rule),
            "status": word,
            "how": how,
            "values": {name: str(value) if isinstance(value, Float) else value for name, value in values.items()},
            "min_word": self.rule.min_word,
            "seconds": seconds,
        }


def prove_rules(
    rules: Iterable[Rule], clock: Callable[[], float], effort: int = DEFAULT_EFFORT, width: int = 64
) -> Iterator[RuleProof]:
    """Prove each rule in turn, at `width` bits where that can be done. `clock` gives seconds."""
    for rule in rules:
        start = clock()
        status = prove_rule(rule, effort, width)
        yield RuleProof(rule, status, clock() - start)


def prove_rule(rule: Rule, effort: int = DEFAULT_EFFORT, width: int = 64) -> Status:
    """Prove one rule, at `width` bits where that can be done with this effort."""
    if rule.has_floats:
        return prove_float_rule(rule, effort, width)
    small = small_width(rule)
    on_all = None if small is None else _try_all(rule, small)
    match on_all:
        case Refuted():
            return on_all
        case NeverFires():
            small = None
    t = PlainTerms(width)
    solver = Portfolio(t, SolverChoice.Z3)
    fires = solver.check(_premises(rule, t, _variables(rule, t)), effort, NET_S)
    if isinstance(fires, Unsat):
        return NeverFires(width)
    reason = ""
    for method, cases in _methods(rule, t, solver, effort):
        settled = _solve(rule, t, solver, cases, method, small or width, effort)
        if not isinstance(settled, Unproved):
            return settled
        reason = settled.reason
    return Unproved(reason) if small is None else Proved(small, "all inputs", small)


def wrong(rule: Rule, d: Domain[W, C], leaves: Mapping[str, W]) -> C:
    """The condition under which the rule may be applied and changes something."""
    before, after = observe(rule.pattern, d, leaves), observe(rule.replacement, d, leaves)
    return d.both(d.both(holds(rule.conditions, d, leaves), before.defined), d.not_(_agree(before, after, d)))


def _agree(before: Seen, after: Seen, d: Domain[W, C]) -> C:
    same_flag = d.either(d.both(before.condition, after.condition), d.not_(d.either(before.condition, after.condition)))
    return d.both(after.defined, d.both(d.eq(before.word, after.word), same_flag))


def may_fire(rule: Rule, d: Domain[W, C], leaves: Mapping[str, W]) -> C:
    """The condition under which the rule may be applied."""
    return d.both(holds(rule.conditions, d, leaves), observe(rule.pattern, d, leaves).defined)


# All inputs at a small width.


def small_width(rule: Rule) -> int | None:
    """The width at which all inputs are tried; None if they are too many."""
    for width in (5, 4):
        if 1 << (width * len(rule.names)) <= 1 << 12 and width >= rule.min_word:
            return width
    width = max(4, rule.min_word)
    return width if 1 << (width * len(rule.names)) <= _MOST_INPUTS else None


def _try_all(rule: Rule, width: int) -> Refuted | NeverFires | None:
    """None if the rule is right on all inputs, and may be applied to some."""
    d = concrete(width)
    fires = False
    names = sorted(rule.names, key=lambda name: name[0].isupper())  # most conditions are about constants
    for values in _fulfilling(rule.conditions, d, names, {}):
        before = observe(rule.pattern, d, values)
        if before.defined:
            fires = True
            if not _agree(before, observe(rule.replacement, d, values), d):
                return Refuted(width, {name: values[name] for name in rule.names})
    return None if fires else NeverFires(width)


def _fulfilling(
    conditions: tuple[RuleTerm, ...], d: Concrete, names: list[str], values: dict[str, int]
) -> Iterator[dict[str, int]]:
    """All values of names, taken from the last one on, on which the conditions hold, each of which is asked as soon as
    all that it names has a value."""
    later = tuple(one for one in conditions if any(leaf.name in names for leaf in named_leaves(one)))
    if holds(tuple(one for one in conditions if one not in later), d, values):
        if not names:
            yield values
        for number in range(-d.half, d.half) if names else ():
            yield from _fulfilling(later, d, names[:-1], {**values, names[-1]: number})


# All inputs at the full width.


Leaves = dict[str, Term]


def _variables(rule: Rule, t: PlainTerms) -> Leaves:
    return {name: t.var(name) for name in rule.names}


def _premises(rule: Rule, t: PlainTerms, leaves: Leaves) -> list[Term]:
    return [may_fire(rule, t, leaves)]


def _methods(rule: Rule, t: PlainTerms, solver: Portfolio, effort: int) -> Iterator[tuple[str, list[Leaves]]]:
    """Ways to say that there is no counterexample: what the names stand for, in one case or several."""
    general = _variables(rule, t)
    for name in _powers_of_two(rule):
        powers = [t.const(1 << place) for place in range(t.width)]
        yield f"Z3, {t.width} cases of {name}", [{**general, name: power} for power in powers]
    yield "Z3", [general]
    for name in _amounts(rule, t, solver, effort):
        amounts = map(t.const, range(t.width))
        yield f"Z3, {t.width} cases of {name}", [{**general, name: amount} for amount in amounts]


def _powers_of_two(rule: Rule) -> Iterator[str]:
    """The constants that a condition says to be powers of two."""
    for condition in rule.conditions:
        match condition:
            case Call("is_power_of_two", (Constant(name),)):
                yield name


def _amounts(rule: Rule, t: PlainTerms, solver: Portfolio, effort: int) -> Iterator[str]:
    """The constants that must be in [0, WORD) for the rule to be applied, as shift amounts must."""
    general = _variables(rule, t)
    for name in dict.fromkeys(leaf.name for leaf in named_leaves(rule.pattern) if isinstance(leaf, Constant)):
        outside = t.not_(t.ult(general[name], t.const(t.width)))
        if isinstance(solver.check([*_premises(rule, t, general), outside], effort, NET_S), Unsat):
            yield name


def _solve(
    rule: Rule, t: PlainTerms, solver: Portfolio, cases: list[Leaves], method: str, small: int, effort: int
) -> Status:
    for leaves in cases:
        answer: Answer = solver.check([wrong(rule, t, leaves)], effort, NET_S)
        match answer:
            case Sat(model):
                values = {name: model.get(leaf, 0) for name, leaf in leaves.items()}
                known = {name: leaf.value for name, leaf in leaves.items() if leaf.kind == "const"}
                return Refuted(t.width, {name: values.get(name, 0) for name in rule.names} | known)
            case GaveUp(reason):
                return Unproved(reason)
            case Unsat():
                pass
    return Proved(t.width, method, small)
