"""Building terms never changes what they mean."""

from __future__ import annotations

import itertools
import random
from random import Random

import pytest
from columns import Columns

from fuzz.selftest.random_terms import PREDICATES, UNARY, WORDS
from optimizer.ir.domains.concrete import Concrete, concrete
from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term, cone, evaluate, missing
from optimizer.ir.domains.terms import Terms
from optimizer.ir.rows.domain import PRIMITIVES, Domain

CONDITIONS = ["not_", "both", "either"]


def test_every_primitive_is_used_below() -> None:
    assert {*WORDS, *PREDICATES, *UNARY, *CONDITIONS, "const", "truth", "ite"} == set(PRIMITIVES)


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
        columns = Columns("xy", self.inputs, self.domain.width)
        for term, table in made:
            assert tuple(columns.of(term)) == table, (term, self.inputs)


@pytest.mark.parametrize("width", [4, 5, 8])
@pytest.mark.parametrize("block", range(4))
def test_random_terms_mean_what_was_asked_for(width: int, block: int) -> None:
    for seed in range(8):
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
    columns = Columns("xy", list(itertools.product((-8, -7, -5, -1, 0, 1, 2, 3, 6, 7), (-8, -1, 0, 2, 7))), width)
    for inner in (*WORDS, *UNARY):
        for c in (-8, -4, -1, 0, 1, 2, 3, 4, 7):
            args = (x,) if inner in UNARY else (x, terms.const(c))
            base = getattr(terms, inner)(*args)
            for right in (terms.const(c), terms.const(-c), y, x, terms.const(3)):
                for pair in ((base, right), (right, base)):
                    term = getattr(terms, kind)(*pair)
                    wanted = list(map(getattr(domain, kind), *map(columns.of, pair)))
                    assert columns.of(term) == wanted, (term, pair)


DIVISIONS = {"udiv": None, "sdiv": "srem", "fdiv": "fmod"}


def parts(terms: Terms, x: Term, d: Term) -> list[Term]:
    """What division makes of x: quotients, remainders (of remainders too), their multiples and differences, in all
    orders."""
    made: list[Term] = []
    for divide, rest in DIVISIONS.items():
        quotient = getattr(terms, divide)(x, d)
        multiples = [terms.mul(quotient, d), terms.mul(d, quotient), terms.mul(quotient, terms.neg(d))]
        remainders = [terms.sub(x, multiples[0]), terms.add(multiples[2], x), terms.add(x, terms.neg(multiples[1]))]
        remainders += [] if rest is None else [getattr(terms, rest)(x, d)]
        made += [quotient, *multiples, *remainders, *[terms.sub(x, r) for r in remainders]]
        made += [again for r in remainders for again in (terms.srem(r, d), terms.fmod(r, d))]
        made += [sum_ for r in remainders for m in multiples for sum_ in (terms.add(r, m), terms.add(m, r))]
    return made


@pytest.mark.parametrize("width", [4])
def test_what_division_makes(width: int) -> None:
    """Each term of `parts` means what the same term without algebra means, on all inputs."""
    domain = concrete(width)
    terms, plain = Terms(width), PlainTerms(width)
    values = range(-domain.half, domain.half)
    divisors = [(terms.var("d"), plain.var("d")), *[(terms.const(c), plain.const(c)) for c in values]]
    columns = Columns("xd", list(itertools.product(values, values)), width)
    for simplified, written in divisors:
        made = parts(terms, terms.var("x"), simplified), parts(plain, plain.var("x"), written)
        for term, wanted in zip(*made, strict=True):
            assert columns.of(term) == columns.of(wanted), (term, wanted)


@pytest.mark.parametrize("constant", [None, 1, -1, 2, 3, -3, 10, -128, 127])
def test_division_is_put_together_again(constant: int | None) -> None:
    terms = Terms(8)
    x, d = terms.var("x"), terms.var("d") if constant is None else terms.const(constant)
    for divide, rest in (("sdiv", "srem"), ("fdiv", "fmod")):
        quotient, remainder = getattr(terms, divide)(x, d), getattr(terms, rest)(x, d)
        assert terms.sub(x, terms.mul(quotient, d)) is remainder
        assert terms.add(terms.mul(d, quotient), remainder) is x
        assert terms.add(remainder, terms.mul(quotient, d)) is x
        assert terms.eq(x, terms.mul(quotient, d)) is terms.eq(remainder, terms.zero)


@pytest.mark.parametrize("width", [4, 5])
def test_three_operations(width: int) -> None:
    """Chains of three operations with constants, and a comparison or another operation of what they give."""
    random = Random(width)
    domain = concrete(width)
    values = range(-domain.half, domain.half)
    chains = list(itertools.product(WORDS, WORDS, [*WORDS, *PREDICATES]))
    terms, plain = Terms(width), PlainTerms(width)
    columns = Columns("x", [(value,) for value in values], width)
    for kinds in chains:
        constants = [random.choice(values) for _ in kinds]
        orders = [random.random() < 0.3 for _ in kinds]
        variable = random.random() < 0.3
        made: list[Term] = []
        for t in (terms, plain):
            term = x = t.var("x")
            for kind, c, turned in zip(kinds, constants, orders, strict=True):
                other = x if variable and c % 2 else t.const(c)
                term = getattr(t, kind)(*((other, term) if turned else (term, other)))
            made.append(term)
        assert columns.of(made[0]) == columns.of(made[1]), made


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
    assert terms.sub(terms.add(x, terms.const(-3)), terms.add(x, terms.const(-6))) is terms.const(3)
    assert terms.mul(terms.mul(x, terms.const(6)), terms.const(7)) is terms.mul(x, terms.const(42))
    assert terms.add(terms.shl(x, terms.const(3)), x) is terms.mul(x, terms.const(9))
    assert terms.mul(terms.shl(terms.one, y), x) is terms.shl(x, y)
    assert terms.mul(terms.neg(x), terms.neg(y)) is terms.mul(x, y)
    assert terms.add_overflows(x, terms.const(5)) is terms.sub_overflows(x, terms.const(-5))
    assert terms.add_overflows(x, terms.const(5)) is terms.slt(terms.const((1 << 63) - 6), x)
    assert terms.sub_overflows(terms.zero, x) is terms.eq(x, terms.const(-1 << 63))
    assert terms.eq(terms.add(x, terms.const(5)), terms.add(terms.const(5), y)) is terms.eq(x, y)


def test_what_is_missing_is_the_cone_without_what_is_known() -> None:
    terms = Terms(8)
    x, y = terms.var("x"), terms.var("y")
    product = terms.mul(x, y)
    root = terms.add(product, terms.bit_and(x, y))
    for known in ((), (x,), (x, y), (product,), (x, y, product), root.args, (*root.args, x, y)):
        assert set(missing(root, known)) == set(cone([root], known))
        assert missing(root, known)[-1] is root
    assert missing(product, ()) == cone([product])
    assert missing(root, (), most=4) == ()


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
