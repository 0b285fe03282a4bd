"""Lemmas against all values at small widths, with the best bounds that there are, and against magic numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from optimizer.ir.domains.bounds import Bounds, bounds_domain
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.term import Term, cone
from optimizer.ir.domains.terms import Terms
from validator.prove.lemmas.all import LEMMAS
from validator.prove.lemmas.division import DIVISION_LEMMAS
from validator.prove.lemmas.lemma import Lemmas
from validator.prove.lemmas.orders import ORDER_LEMMAS
from validator.prove.lemmas.products import PRODUCT_LEMMAS
from validator.prove.lemmas.sums import SUM_LEMMAS
from validator.prove.terms.object_kinds import CONDITIONS


@dataclass
class Oracle:
    """Knows of each term what its values are on the inputs that are left: no bounds are better."""

    terms: Terms
    inputs: Sequence[Mapping[str, int]]
    values: dict[Term, list[int]] = field(default_factory=dict)
    learned: list[Term] = field(default_factory=list)
    notes: dict[Any, Any] = field(default_factory=dict)

    def of(self, root: Term) -> list[int]:
        domain = concrete(self.terms.width)
        for term in cone([root], self.values):
            args = [self.values[arg] for arg in term.args]
            if term.kind == "var":
                self.values[term] = [known[term.value] for known in self.inputs]
            elif args:
                self.values[term] = list(map(getattr(domain, term.kind), *args))
            else:
                self.values[term] = [term.value] * len(self.inputs)
        return self.values[root]

    def rebuild(self, root: Term) -> Term:
        return root

    def bounds(self, word: Term) -> Bounds:
        d = bounds_domain(self.terms.width)
        values = set(self.of(word))
        mask = 0
        for value in values:
            mask |= (value ^ min(values)) & d.full
        reduced = d.reduce(min(values), max(values), min(values) & d.full & ~mask, mask)
        assert reduced is not None
        return reduced

    def proves(self, claim: Term) -> bool:
        return all(self.of(claim))


class Proving(Oracle):
    """Rebuilds conditions to what they are on all inputs that are left."""

    def rebuild(self, root: Term) -> Term:
        if root.kind in CONDITIONS and len(set(self.of(root))) == 1:
            return self.terms.truth(bool(self.of(root)[0]))
        return root


Shape = Callable[[Terms, Term, Term, Term], Term]
"""Made of words x and y, and a constant."""


def shifted(t: Terms, x: Term, amount: int, kind: str = "lshr") -> Term:
    shifted: Term = getattr(t, kind)(x, t.const(amount))
    return shifted


def sign(t: Terms, x: Term) -> Term:
    return t.ashr(x, t.const(t.width - 1))


def unsigned_high(s: int) -> Shape:
    return lambda t, x, _y, m: shifted(t, t.umulh(x, m), s)


def long_high(s: int) -> Shape:
    def shape(t: Terms, x: Term, _y: Term, m: Term) -> Term:
        high = t.umulh(x, m)
        return shifted(t, t.add(shifted(t, t.sub(x, high), 1), high), s)

    return shape


def complemented(s: int) -> Shape:
    def shape(t: Terms, x: Term, _y: Term, m: Term) -> Term:
        return t.bit_xor(shifted(t, t.umulh(t.bit_xor(x, sign(t, x)), m), s), sign(t, x))

    return shape


def complemented_quotient(t: Terms, x: Term, _y: Term, c: Term) -> Term:
    return t.bit_xor(t.udiv(t.bit_xor(x, sign(t, x)), c), sign(t, x))


def signed_high(s: int, correct: Callable[[Terms, Term, Term], Term]) -> Shape:
    def shape(t: Terms, x: Term, _y: Term, m: Term) -> Term:
        high = shifted(t, t.sub(t.umulh(x, m), t.bit_and(sign(t, x), m)), s, "ashr")
        return correct(t, x, high)

    return shape


CORRECTIONS: list[Callable[[Terms, Term, Term], Term]] = [
    lambda t, x, high: t.sub(high, sign(t, x)),
    lambda t, x, high: t.add(high, shifted(t, x, t.width - 1)),
    lambda t, x, high: t.add(high, shifted(t, high, t.width - 1)),
    lambda t, x, high: t.sub(high, sign(t, high)),
    lambda t, x, high: t.sub(sign(t, x), high),
]


def biased(k: int) -> Shape:
    return lambda t, x, _y, _c: shifted(t, t.add(x, shifted(t, sign(t, x), t.width - k)), k, "ashr")


def of_product(kind: str, left: Callable[[Terms, Term, Term, Term], Term]) -> Shape:
    return lambda t, x, y, c: getattr(t, kind)(left(t, x, y, c), y)


def shapes_of_constants() -> Iterator[Shape]:
    """Shapes of x and a constant."""
    for s in range(4):
        yield from (unsigned_high(s), long_high(s), complemented(s))
        yield from (signed_high(s, correct) for correct in CORRECTIONS)
        yield biased(s)
    yield complemented_quotient
    for kind in ("sdiv", "fdiv", "udiv", "srem", "fmod", "slt", "ult", "eq"):
        for d in (-16, -6, -3, -2, 2, 3, 6):
            yield lambda t, x, _y, c, kind=kind, d=d: getattr(t, kind)(t.mul(x, c), t.const(d))
            yield lambda t, x, _y, c, kind=kind, d=d: getattr(t, kind)(t.fdiv(x, c), t.const(d))
            yield lambda t, x, _y, c, kind=kind, d=d: getattr(t, kind)(t.sdiv(x, c), t.const(d))
            yield lambda t, x, _y, c, kind=kind, d=d: getattr(t, kind)(t.udiv(x, c), t.const(d))
    for kind in ("ashr", "lshr"):
        for k in (1, 2, 3):
            yield lambda t, x, _y, c, kind=kind, k=k: getattr(t, kind)(t.mul(x, c), t.const(k))
    yield lambda t, x, _y, c: t.sub(x, t.mul(t.udiv(x, c), c))
    yield lambda t, x, _y, c: t.eq(x, t.mul(t.udiv(x, c), c))


def shapes_of_words() -> Iterator[Shape]:
    """Shapes of two words."""
    for kind in ("sdiv", "fdiv", "udiv", "srem", "fmod"):
        yield lambda t, x, y, _c, kind=kind: getattr(t, kind)(x, y)
        yield lambda t, x, y, _c, kind=kind: getattr(t, kind)(t.mul(x, y), y)
        yield lambda t, x, y, _c, kind=kind: getattr(t, kind)(x, t.shl(t.one, y))
        for compare in ("slt", "ult"):
            yield lambda t, x, y, _c, kind=kind, compare=compare: getattr(t, compare)(getattr(t, kind)(x, y), y)
            yield lambda t, x, y, _c, kind=kind, compare=compare: getattr(t, compare)(y, getattr(t, kind)(x, y))
            yield lambda t, x, y, _c, kind=kind, compare=compare: getattr(t, compare)(x, getattr(t, kind)(x, y))
    for compare in ("slt", "ult", "eq"):
        yield lambda t, x, y, _c, compare=compare: getattr(t, compare)(t.mul(x, y), x)
        yield lambda t, x, y, _c, compare=compare: getattr(t, compare)(x, t.mul(x, y))
        yield lambda t, x, y, _c, compare=compare: getattr(t, compare)(t.mul(x, y), t.mul(y, y))
        yield lambda t, x, y, c, compare=compare: getattr(t, compare)(t.mul(x, x), c)
        yield lambda t, x, y, _c, compare=compare: getattr(t, compare)(t.mul(x, t.const(3)), t.mul(y, t.const(3)))
        yield lambda t, x, y, _c, compare=compare: getattr(t, compare)(t.mul(x, t.const(-3)), t.mul(y, t.const(-3)))
    for kind in ("srem", "fmod"):
        for k in (-5, 0, 4):
            yield lambda t, x, y, _c, kind=kind, k=k: t.eq(getattr(t, kind)(x, y), t.const(k))
            yield lambda t, x, y, _c, kind=kind, k=k: t.eq(getattr(t, kind)(t.const(k), y), t.const(k))
    yield lambda t, x, _y, _c: t.slt(t.mul(x, x), t.const(2))
    yield lambda t, x, y, _c: t.sub(x, t.mul(t.udiv(x, y), y))
    yield lambda t, x, y, _c: t.add(t.fmod(x, y), t.mul(t.udiv(x, y), y))


SUMS: list[Callable[[Terms, Term, Term], Term]] = [
    lambda t, x, y: t.add(x, y),
    lambda t, x, y: t.sub(x, y),
    lambda t, x, y: t.add(t.bit_xor(x, y), x),
    lambda t, x, y: t.sub(x, t.bit_xor(x, y)),
    lambda t, x, y: t.sub(t.const(3), t.sub(y, t.bit_xor(x, y))),
    lambda t, x, y: t.add(t.bit_xor(x, y), t.sub(t.const(-2), x)),
    lambda t, x, y: t.add(t.mul(x, t.const(-6)), t.shl(y, t.one)),
    lambda t, x, y: t.sub(t.bit_not(x), t.neg(y)),
    lambda t, x, y: t.neg(t.add(x, t.const(-7))),
    lambda t, x, y: t.bit_not(t.add(x, y)),
    lambda t, x, _: t.neg(x),
    lambda t, x, _: t.add(x, t.const(5)),
    lambda t, x, _: t.sub(t.const(5), x),
    lambda t, x, _: t.shl(x, t.const(2)),
    lambda t, x, _: t.mul(x, t.const(3)),
    lambda t, _, y: y,
]


def shapes_of_sums() -> Iterator[Shape]:
    """Sums of sums, comparisons of them, and what is absorbed."""
    for one, other in itertools.product(SUMS, repeat=2):
        for kind in ("add", "sub", "eq", "slt"):
            yield lambda t, x, y, _c, kind=kind, one=one, other=other: getattr(t, kind)(one(t, x, y), other(t, x, y))
    for total in SUMS:
        yield lambda t, x, y, _c, total=total: t.slt(total(t, x, y), t.const(-3))
        yield lambda t, x, y, _c, total=total: t.eq(total(t, x, y), t.const(4))
    yield lambda t, x, y, _c: t.bit_or(t.bit_and(x, y), x)
    yield lambda t, x, y, _c: t.bit_and(y, t.bit_or(x, y))
    for kind in ("neg", "bit_not"):
        yield lambda t, x, y, _c, kind=kind: getattr(t, kind)(t.ite(t.slt(x, y), t.const(-16), t.const(3)))


def inputs_at(width: int, low: int, high: int, least: int, most: int) -> list[dict[str, int]]:
    half = 1 << (width - 1)
    everything = itertools.product(range(max(-half, low), min(half - 1, high) + 1), range(least, most + 1))
    return [{"x": x, "y": y} for x, y in everything]


def check(root: Term, oracle: Oracle, used: set[str]) -> None:
    """Use each lemma on the term itself and compare values."""
    for lemma in LEMMAS:
        if root.kind in lemma.kinds:
            new = lemma.rewrite(oracle.terms, oracle, root)
            if new is not None and new is not root:
                used.add(lemma.name)
                assert oracle.of(new) == oracle.of(root), (lemma.name, root, new)


def check_all_parts(root: Term, oracle: Oracle, used: set[str]) -> None:
    """The same with the parts of the term rewritten first, and all together."""
    lemmas = Lemmas(oracle.terms, LEMMAS)
    check(root, oracle, used)
    if root.args:
        check(oracle.terms.remade(root, [lemmas.rewrite(oracle, arg) for arg in root.args]), oracle, used)
    rewritten = lemmas.rewrite(oracle, root)
    assert oracle.of(rewritten) == oracle.of(root), (root, rewritten)


RANGES = [(-16, 15), (0, 15), (-5, 5), (0, 6), (-9, 2), (-16, -1), (1, 15), (-1, 7), (0, 4), (0, 3)]


def test_every_lemma_is_right_and_used() -> None:
    used: set[str] = set()
    width = 5
    half = 1 << (width - 1)
    for low, high in RANGES[:5]:
        for make in shapes_of_constants():
            terms = Terms(width)
            oracle = Oracle(terms, inputs_at(width, low, high, 0, 0))
            x = terms.var("x")
            for c in range(-half, half):
                check_all_parts(make(terms, x, terms.var("y"), terms.const(c)), oracle, used)
    for (low, high), (least, most) in itertools.product(RANGES[:4], RANGES[1:]):
        for allowed in (lambda *_: True, lambda x, y: not concrete(width).mul_overflows(x, y), lambda x, y: x < y):
            terms = Terms(width)
            inputs = [i for i in inputs_at(width, low, high, least, most) if allowed(i["x"], i["y"])]
            if inputs:
                oracle = Proving(terms, inputs)
                for make in shapes_of_words():
                    check_all_parts(make(terms, terms.var("x"), terms.var("y"), terms.zero), oracle, used)
    assert used >= {lemma.name for lemma in (*DIVISION_LEMMAS, *PRODUCT_LEMMAS)}


def test_every_lemma_of_sums_is_right_and_used() -> None:
    used: set[str] = set()
    width = 4
    domain = concrete(width)
    fitting: list[Callable[[int, int], bool]] = [
        lambda x, y: True,
        lambda x, y: x != y and not domain.add_overflows(x, y),
        lambda x, y: x < y and not domain.sub_overflows(x, y),
        lambda x, y: not domain.sub_overflows(y, x),
        lambda x, y: -1 <= x <= 2 and 0 <= y <= 1,
    ]
    for allowed in fitting:
        terms = Terms(width)
        oracle = Proving(terms, [i for i in inputs_at(width, -8, 7, -8, 7) if allowed(i["x"], i["y"])])
        for make in shapes_of_sums():
            check_all_parts(make(terms, terms.var("x"), terms.var("y"), terms.zero), oracle, used)
    assert used >= {lemma.name for lemma in SUM_LEMMAS}


def test_every_lemma_of_orders_is_right_and_used() -> None:
    used: set[str] = set()
    width = 3
    orders: list[Callable[[Terms, Term, Term], Term]] = [
        lambda t, a, b: t.slt(a, b),
        lambda t, a, b: t.not_(t.slt(b, a)),
        lambda t, a, b: t.ult(a, b),
        lambda t, a, b: t.not_(t.ult(b, a)),
        lambda t, a, b: t.eq(a, t.add(b, t.one)),
        lambda t, a, b: t.not_(t.slt(t.add(b, t.const(2)), a)),
        lambda t, a, b: t.slt(a, t.sub(t.var("z"), b)),
        lambda t, a, b: t.ult(b, t.sub(t.var("z"), a)),
        lambda t, a, b: t.not_(t.slt(t.add(a, b), t.zero)),
    ]
    everything = [dict(zip("xyz", values, strict=True)) for values in itertools.product(range(-4, 4), repeat=3)]
    for one, other, least in itertools.product(orders, orders, (-4, 0)):
        terms = Terms(width)
        x, y, z = (terms.var(name) for name in "xyz")
        learned = [one(terms, x, y), other(terms, y, z), terms.not_(terms.slt(x, terms.const(least)))]
        truths = [Oracle(terms, everything).of(condition) for condition in learned]
        oracle = Proving(terms, [i for i, *holds in zip(everything, *truths, strict=True) if all(holds)])
        if not oracle.inputs:
            continue
        oracle.learned = [condition for condition in learned if condition.kind != "truth"]
        sums = [x, z, terms.sub(z, x), terms.sub(y, x), terms.add(x, terms.one), terms.sub(z, y), terms.add(x, y)]
        for (a, b), kind in itertools.product(itertools.permutations(sums, 2), ("slt", "ult")):
            claim: Term = getattr(terms, kind)(a, b)
            for lemma in ORDER_LEMMAS:
                new = lemma.rewrite(terms, oracle, claim) if claim.kind in lemma.kinds else None
                if new is not None:
                    used.add(f"{lemma.name} {claim.kind} {new}")
                    assert oracle.of(new) == oracle.of(claim), (lemma.name, learned, claim, new)
    assert used == {f"less_by_limits {kind} {value}" for kind in ("slt", "ult") for value in (True, False)}
