"""Building terms never changes what they mean."""

from __future__ import annotations

import itertools
import random

import pytest

from optimizer.ir.concrete import Concrete, concrete
from optimizer.ir.domain import PRIMITIVES, Domain
from optimizer.ir.plain_terms import PlainTerms
from optimizer.ir.term import Term, cone, evaluate
from optimizer.ir.terms import Terms

WORDS = [
    "add",
    "sub",
    "mul",
    "umulh",
    "udiv",
    "sdiv",
    "srem",
    "fdiv",
    "fmod",
    "bit_and",
    "bit_or",
    "bit_xor",
    "shl",
    "lshr",
    "ashr",
]
PREDICATES = ["eq", "slt", "ult", "add_overflows", "sub_overflows", "mul_overflows"]
UNARY = ["neg", "bit_not"]
CONDITIONS = ["not_", "both", "either"]


def test_every_primitive_is_used_below() -> None:
    assert set(WORDS + PREDICATES + UNARY + CONDITIONS + ["const", "truth", "ite"]) == set(PRIMITIVES)


class Both:
    """Builds a term and, beside it, what it must mean: a table of its values on all inputs of two variables."""

    def __init__(self, width: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.terms = Terms(width)
        self.domain: Concrete = concrete(width)
        values = range(-self.domain.half, self.domain.half)
        self.inputs = list(itertools.product(values, repeat=2))
        if len(self.inputs) > 300:
            self.inputs = self.random.sample(self.inputs, 300)
        self.words = [
            (self.terms.var("x"), tuple(x for x, _ in self.inputs)),
            (self.terms.var("y"), tuple(y for _, y in self.inputs)),
        ]
        self.conditions: list[tuple[Term, tuple[bool, ...]]] = [(self.terms.true, (True,) * len(self.inputs))]

    def constant(self) -> tuple[Term, tuple[int, ...]]:
        width = self.domain.width
        value = self.random.choice(
            [0, 1, -1, 2, 4, -4, width - 1, width, self.domain.half, self.random.getrandbits(width)]
        )
        return self.terms.const(value), (self.domain.const(value),) * len(self.inputs)

    def word(self) -> tuple[Term, tuple[int, ...]]:
        return self.constant() if self.random.random() < 0.3 else self.random.choice(self.words[-6:])

    def step(self) -> None:
        kind = self.random.choice([*WORDS, *WORDS, *PREDICATES, *UNARY, *CONDITIONS, "ite"])
        if kind in CONDITIONS:
            chosen = [self.random.choice(self.conditions[-4:]) for _ in range(1 if kind == "not_" else 2)]
            self.conditions.append(self.apply(kind, chosen))
        elif kind in PREDICATES:
            self.conditions.append(self.apply(kind, [self.word(), self.word()]))
        elif kind == "ite":
            self.words.append(self.apply(kind, [self.random.choice(self.conditions[-4:]), self.word(), self.word()]))
        else:
            self.words.append(self.apply(kind, [self.word() for _ in range(1 if kind in UNARY else 2)]))

    def apply(self, kind: str, args: list) -> tuple:
        term = getattr(self.terms, kind)(*[arg for arg, _ in args])
        function = getattr(self.domain, kind)
        return term, tuple(function(*row) for row in zip(*[values for _, values in args], strict=True))

    def check(self) -> None:
        made = [*self.words, *self.conditions]
        for n, (x, y) in enumerate(self.inputs):
            found = evaluate([term for term, _ in made], {"x": x, "y": y}, self.domain.width)
            for value, (term, table) in zip(found, made, strict=True):
                assert value == table[n], (term, x, y)


@pytest.mark.parametrize("width", [4, 5, 8])
@pytest.mark.parametrize("block", range(6))
def test_random_terms_mean_what_was_asked_for(width: int, block: int) -> None:
    for seed in range(40):
        both = Both(width, 1000 * block + seed)
        for _ in range(14):
            both.step()
        both.check()


@pytest.mark.parametrize("kind", [*WORDS, *PREDICATES])
def test_pairs_of_operations(kind: str) -> None:
    """Each binary operation over each other one with every constant: where most rewritings are."""
    width = 4
    terms, domain = Terms(width), concrete(width)
    x, y = terms.var("x"), terms.var("y")
    for inner in WORDS + UNARY:
        for c in (-8, -4, -1, 0, 1, 2, 3, 4, 7):
            args = (x,) if inner in UNARY else (x, terms.const(c))
            base = getattr(terms, inner)(*args)
            for right in (terms.const(c), terms.const(-c), y, x, terms.const(3)):
                for pair in ((base, right), (right, base)):
                    term = getattr(terms, kind)(*pair)
                    for a in (-8, -7, -5, -1, 0, 1, 2, 3, 6, 7):
                        for b in (-8, -1, 0, 2, 7):
                            known = {"x": a, "y": b}
                            got, left_value, right_value = evaluate([term, *pair], known, width)
                            assert got == getattr(domain, kind)(left_value, right_value), (term, a, b)


def test_the_same_term_is_the_same_object() -> None:
    terms = Terms(64)
    x, y = terms.var("x"), terms.var("y")
    assert terms.add(x, y) is terms.add(y, x)
    assert terms.mul(x, terms.const(8)) is terms.shl(x, terms.const(3))
    assert terms.fdiv(x, terms.const(8)) is terms.ashr(x, terms.const(3))
    assert terms.fmod(x, terms.const(8)) is terms.bit_and(x, terms.const(7))
    assert terms.not_(terms.slt(x, y)) is terms.sle(y, x)
    assert terms.eq(terms.bit(terms.slt(x, y)), terms.one) is terms.slt(x, y)
    assert terms.sub(terms.add(x, y), y) is x


def test_cone_lists_arguments_first() -> None:
    terms = Terms(8)
    root = terms.mul(terms.add(terms.var("x"), terms.var("y")), terms.var("x"))
    order = cone([root])
    assert order[-1] is root
    assert len(order) == len(set(order)) == 4
    assert all(order.index(arg) < order.index(term) for term in order for arg in term.args)


def test_a_deep_term_is_no_problem() -> None:
    terms = Terms(8)
    term = terms.var("x")
    for _ in range(5000):
        term = terms.mul(terms.bit_xor(term, terms.var("y")), terms.var("x"))
    assert len(evaluate([term], {"x": 3, "y": 1}, 8)) == 1


def test_domains_are_complete() -> None:
    assert issubclass(Terms, Domain)
    assert not Terms.__abstractmethods__


def test_plain_terms_are_as_they_are_written() -> None:
    terms = PlainTerms(8)
    word, condition = terms.const(3), terms.slt(terms.one, terms.zero)
    for kind in [*WORDS, *PREDICATES]:
        term = getattr(terms, kind)(word, word)
        assert (term.kind, term.args) == (kind, (word, word))
        assert term is getattr(terms, kind)(word, word)
    for kind in UNARY:
        assert getattr(terms, kind)(word).args == (word,)
    assert terms.not_(condition).args == (condition,)
    assert terms.both(condition, condition).kind == "both"
    assert terms.either(condition, condition).kind == "either"
    assert terms.ite(condition, word, word).args == (condition, word, word)
    assert not PlainTerms.__abstractmethods__
