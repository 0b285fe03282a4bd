"""Random small terms, built with algebra and without, and written for solvers: all must have the same values."""

from __future__ import annotations

from random import Random

from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term, evaluate
from optimizer.ir.domains.terms import Terms
from validator.search.states import simple_values
from validator.solvers.answers import SolverChoice, Unsat
from validator.solvers.portfolio import Portfolio

WORDS = (
    *("add", "sub", "mul", "umulh", "udiv", "sdiv", "srem", "fdiv", "fmod"),
    *("bit_and", "bit_or", "bit_xor", "shl", "lshr", "ashr"),
)
"""Primitives that make a word of two; `UNARY` of one, and `PREDICATES` a condition of two words."""
UNARY = ("neg", "bit_not")
PREDICATES = ("eq", "slt", "ult", "add_overflows", "sub_overflows", "mul_overflows")
_VARIABLES = ("x", "y")
_STEPS = 6
_VALUES = 6
_EFFORT = 1_000_000
_LONGEST_S = 10.0

Both = tuple[Term, Term]
"""A term as it is written, and as it is simplified."""


def wrongly_simplified(random: Random, word: int, count: int) -> str:
    """The first of `count` random terms that has another value when it is simplified, in words; empty if there is
    none."""
    for _ in range(count):
        builder = _Builder(random, word)
        for _ in range(_STEPS):
            builder.step()
        plain, simplified = zip(*builder.words, *builder.conditions, strict=True)
        for _ in range(_VALUES):
            values = {name: random.choice(simple_values(word)) for name in _VARIABLES}
            results = zip(plain, evaluate(plain, values, word), evaluate(simplified, values, word), strict=True)
            for term, one, other in results:
                if one != other:
                    return f"{term} is {one} on {values}, and {other} when it is simplified"
    return ""


def wrongly_written(random: Random, word: int) -> str:
    """The contradiction that a solver finds in random terms whose values it is told; empty if it finds none."""
    builder = _Builder(random, word)
    for _ in range(2 * _STEPS):
        builder.step()
    terms = builder.plain
    values = {name: random.choice(simple_values(word)) for name in _VARIABLES}
    written = [one for one, _ in (*builder.words, *builder.conditions)]
    told = [
        (term if value else terms.not_(term)) if isinstance(value, bool) else terms.eq(term, terms.const(value))
        for term, value in zip(written, evaluate(written, values, word), strict=True)
    ]
    answer = Portfolio(terms, SolverChoice.Z3).check(told, _EFFORT, _LONGEST_S)
    return f"{answer.by} finds a contradiction in {', '.join(map(str, told))}" if isinstance(answer, Unsat) else ""


class _Builder:
    """Builds on two variables and two constants; what came last is taken most."""

    def __init__(self, random: Random, word: int) -> None:
        self._random = random
        self._domains = self.plain, _ = PlainTerms(word), Terms(word)
        plain, simplified = self._domains
        self.words: list[Both] = [(plain.var(name), simplified.var(name)) for name in _VARIABLES]
        constants = random.choices(simple_values(word), k=2)
        self.words += [(plain.const(value), simplified.const(value)) for value in constants]
        self.conditions: list[Both] = []
        self._last: list[Both] = []  # what the last word is made of

    def step(self) -> None:
        choice = self._random.randrange(10)
        if choice < 6:
            self._make(self._random.choice(WORDS), self.words, *self._operands())
        elif choice < 7:
            self._make(self._random.choice(UNARY), self.words, self._word())
        elif choice < 9 or not self.conditions:
            self._make(self._random.choice(PREDICATES), self.conditions, *self._operands())
        else:
            self._choose()

    def _choose(self) -> None:
        condition, other = self._random.choice(self.conditions), self._random.choice(self.conditions)
        match self._random.randrange(4):
            case 0:
                self._make("not_", self.conditions, condition)
            case 1:
                self._make(self._random.choice(("both", "either")), self.conditions, condition, other)
            case _:
                self._make("ite", self.words, condition, self._word(), self._word())

    def _operands(self) -> list[Both]:
        """Two words; half of the time the last word, and one that it is made of."""
        pair = [self._word(), self._word()]
        if self._last and self._random.random() < 0.5:
            pair = [self.words[-1], self._random.choice(self._last)]
            self._random.shuffle(pair)
        return pair

    def _word(self) -> Both:
        return self._random.choice(self.words[-3:] if self._random.random() < 0.5 else self.words)

    def _make(self, kind: str, into: list[Both], *args: Both) -> None:
        plain, simplified = self._domains
        made = getattr(plain, kind)(*[arg[0] for arg in args]), getattr(simplified, kind)(*[arg[1] for arg in args])
        into.append(made)
        if into is self.words:
            self._last = [arg for arg in args if arg not in self.conditions]
