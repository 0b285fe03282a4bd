"""Random conditions that hold on some values: whatever the rungs without a solver say under them must be so on these.

Constants are mostly the values of terms and their neighbours, so that what is off by one shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from optimizer.ir.domains.bounds import bounds_domain
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.term import Term, cone
from optimizer.ir.rows.domain import wrap
from optimizer.ir.types.layout import Layout
from validator.prove.facts.bounded_facts import BoundedFacts
from validator.prove.facts.facts import Facts
from validator.prove.terms.object_terms import ObjectTerms
from validator.search.states import simple_values

_UNARY = ("neg", "bit_not")
_BINARY = (
    *("add", "add", "sub", "mul", "umulh", "udiv", "sdiv", "srem", "fdiv", "fmod"),
    *("bit_and", "bit_and", "bit_or", "bit_xor", "shl", "lshr", "ashr"),
)
_TESTS = ("eq", "eq", "slt", "slt", "ult", "ult", "add_overflows", "sub_overflows", "mul_overflows")
_STEPS = 12
_LONGEST = 3
"""The lengths of arrays, of which there are two: p and q are one of them, or both."""


def wrongly_claimed(random: Random, word: int, count: int) -> str:
    """The first wrong claim in `count` random cases, in words; empty if there is none."""
    for _ in range(count):
        case = _Case(random, word)
        wrong = next(_wrong(case), "")
        if wrong:
            assumed = ", ".join(map(str, case.assumed))
            return f"{wrong}, where {assumed or 'nothing'} is assumed, on {case.world.given}"
    return ""


def _wrong(case: _Case) -> Iterator[str]:
    world, domain = case.world, bounds_domain(case.terms.width)
    plain, facts = Facts(case.terms), BoundedFacts(case.terms)
    for known in (plain, facts):
        for condition in case.assumed:
            known.assume(condition)
        if known.contradiction:
            yield "a contradiction is found"
    for condition in case.conditions:
        denied = case.terms.not_(condition) if world.of(condition) else condition
        if facts.proves(denied):
            yield f"{denied} is proved"
    for known in (plain, facts):
        for term in (*case.words, *case.conditions):
            rebuilt = known.rebuild(term)
            if world.of(rebuilt) != world.of(term):
                yield f"{term} is rebuilt to {rebuilt}"
    for term in case.words:
        if not domain.contains(facts.bounds(term), world.of(term)):
            yield f"{term} is bounded by {facts.bounds(term)}"


@dataclass
class _World:
    """The values of terms: of variables and references (the numbers of objects) as `given`."""

    width: int
    given: dict[str, int]
    lengths: tuple[int, ...]
    _known: dict[Term, Any] = field(default_factory=dict)

    def of(self, root: Term) -> Any:
        for term in cone([root], self._known):
            self._known[term] = self._value(term, [self._known[arg] for arg in term.args])
        return self._known[root]

    def _value(self, term: Term, args: list[Any]) -> Any:
        match term.kind:
            case "var":
                return self.given[term.value]
            case "pointer":
                return self.given[term.value.name]
            case "length":
                return self.lengths[args[0]]
            case "same":
                return args[0] == args[1]
            case _ if args:
                return getattr(concrete(self.width), term.kind)(*args)
            case _:
                return term.value


class _Case:
    """Random words and conditions, and what is assumed of them, all of which holds in the world."""

    def __init__(self, random: Random, word: int) -> None:
        self._random = random
        self.terms = terms = ObjectTerms(word, Layout())
        names = random.choice(("xy", "xyz"))
        given = {name: random.choice(simple_values(word)) for name in names}
        given |= {name: random.randrange(2) for name in "pq"}
        self.world = _World(word, given, (random.randrange(_LONGEST), random.randrange(_LONGEST)))
        self.words = [terms.var(name) for name in names]
        self.conditions: list[Term] = []
        if random.random() < 0.2:
            references = [terms.pointer(name, 0) for name in "pq"]
            self.words += map(terms.length, references)
            self.conditions.append(terms.same(*references))
        while len(self.words) + len(self.conditions) < _STEPS or len(self.conditions) < 2:
            self._step()
        chosen = random.sample(self.conditions, random.randrange(1, min(5, len(self.conditions) + 1)))
        self.assumed = [one if self.world.of(one) else terms.not_(one) for one in chosen]

    def _step(self) -> None:
        random, terms = self._random, self.terms
        match random.randrange(8):
            case 0:
                self.words.append(getattr(terms, random.choice(_UNARY))(self._word()))
            case 1 | 2:
                self.words.append(getattr(terms, random.choice(_BINARY))(self._word(), self._operand()))
            case 3:
                amount = terms.const(random.randrange(1, 4))
                self.words.append(getattr(terms, random.choice(("shl", "lshr", "ashr")))(self._word(), amount))
            case 4 | 5 | 6:
                operands = [self._word(), self._operand()]
                self.conditions.append(getattr(terms, random.choice(_TESTS))(*operands))
            case _ if len(self.conditions) > 1:
                one, other = random.sample(self.conditions, 2)
                self.conditions.append(random.choice((terms.both, terms.either))(one, other))
                self.words.append(terms.ite(one, self._word(), self._operand()))

    def _word(self) -> Term:
        return self._random.choice(self.words)

    def _operand(self) -> Term:
        """A word, a constant near the value of one, or any constant."""
        random, word = self._random, self.terms.width
        match random.randrange(5):
            case 0 | 1:
                near = self.world.of(self._word()) + random.randrange(-1, 2)
                return self.terms.const(wrap(near, word))
            case 2:
                return self.terms.const(random.choice(simple_values(word)))
            case _:
                return self._word()
