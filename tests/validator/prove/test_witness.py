"""What the search for values finds to be satisfiable is so for Z3 as well; and it finds most of what is."""

from __future__ import annotations

from random import Random

import pytest
from heap_traces import DECLARED, WIDE

from optimizer.ir.domains.term import Term
from optimizer.ir.rows.row import Type
from optimizer.ir.types.layout import Array, Field, Layout, Struct
from optimizer.ir.types.trace_layout import layout_of
from validator.prove.memory.chains import initial
from validator.prove.terms.object_kinds import ARRAYS, OBJECTS, STRUCTS
from validator.prove.terms.object_terms import ObjectTerms
from validator.prove.terms.pointers import NO_POINTERS
from validator.prove.witness import is_satisfiable
from validator.solvers.answers import Sat, Unsat
from validator.solvers.portfolio import Portfolio

WORDS = ["add", "sub", "mul", "bit_and", "bit_or", "bit_xor", "bit_not", "neg", "shl", "ashr", "srem", "fmod"]
ORDERS = ["eq", "eq", "slt", "ult", "add_overflows", "sub_overflows", "mul_overflows"]


def layout() -> Layout:
    return layout_of(DECLARED[WIDE])


class Built:
    """Random conditions on words and on references, declared constants and exposed allocations among them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.layout = layout()
        terms = ObjectTerms(WIDE, self.layout)
        constants = [const.name for const in self.layout.declarations.consts]
        self.slots = [
            *(field for struct in self.layout.declarations.structs for field in self.layout.struct(struct.name).fields),
            Field("free", "free", Type.INT),
        ]
        allocations = [
            terms.allocate(self.layout.struct("Node"), None, True),
            terms.allocate(Array("words", Field("words[]", "", Type.INT)), terms.const(2), True),
            terms.allocate(Struct("U", "U"), None, True),
        ]
        pointers = NO_POINTERS.exposing(allocations[:1], 0).exposing(allocations[1:2], 1)
        self.terms = terms = terms.knowing(pointers)
        self.references = [terms.null, terms.constant("free"), *map(terms.constant, constants), *allocations]
        self.references += [terms.pointer(f"p{epoch}", epoch) for epoch in (0, 0, 1, 2)]
        self.words: list[Term] = [terms.var(name) for name in "xy"]
        for _ in range(8):
            self.step()

    def step(self) -> None:
        terms, random = self.terms, self.random
        p, a, b = random.choice(self.references), random.choice(self.words), self.word()
        match random.randrange(6):
            case 0:
                slot, epoch = random.choice(self.slots), random.randrange(2)
                if slot.type is not Type.FLOAT:
                    found = terms.load(initial(slot, epoch), p)
                    (self.references if slot.type is Type.REF else self.words).append(found)
            case 1:
                self.words.append(terms.length(p))
            case 2:
                self.words.append(terms.gc_type(p))
            case 3:
                kind = random.choice(WORDS)
                self.words.append(getattr(terms, kind)(*((a,) if kind in ("neg", "bit_not") else (a, b))))
            case 4:
                self.references.append(terms.choose(self.condition(), p, random.choice(self.references)))
            case _:
                self.words.append(terms.ite(self.condition(), a, b))

    def word(self) -> Term:
        values = [self.terms.const(value) for value in (0, 1, 2, 255, -1, self.random.randrange(-100, 100))]
        return self.random.choice([*self.words, *values])

    def condition(self) -> Term:
        terms, random = self.terms, self.random
        p, q = random.choices(self.references, k=2)
        match random.randrange(7):
            case 0:
                found = terms.same(p, q)
            case 1:
                ranges = [OBJECTS, STRUCTS, ARRAYS, *map(terms.class_range, terms.declared_classes())]
                found = terms.class_in(p, random.choice(ranges))
            case 2:
                vtable = random.choice(["U", "V", *(struct.vtable for struct in self.layout.declarations.structs)])
                found = random.choice([terms.has_class, terms.has_subclass])(p, vtable)
            case 3:
                found = terms.both(self.condition(), self.condition())
            case _:
                found = getattr(terms, random.choice(ORDERS))(random.choice(self.words), self.word())
        return found if random.random() < 0.6 else terms.not_(found)


@pytest.mark.parametrize("block", range(5))
def test_what_is_found_to_be_satisfiable_is(block: int) -> None:
    found = satisfiable = unsatisfiable = 0
    for seed in range(100):
        built = Built(1000 * block + seed)
        conditions = [built.condition() for _ in range(built.random.randrange(1, 7))]
        is_found = is_satisfiable(built.terms, conditions)
        answer = Portfolio(built.terms).check(conditions, 10_000_000, 60)
        assert not is_found or not isinstance(answer, Unsat), conditions
        found += is_found
        satisfiable += isinstance(answer, Sat)
        unsatisfiable += isinstance(answer, Unsat)
    assert found > 0.6 * satisfiable
    assert unsatisfiable > 10


def contradictions() -> dict[str, tuple[ObjectTerms, list[Term]]]:
    """Conditions that contradict what always holds of references, but without one of them do not."""
    built = Built(0)
    terms, layout = built.terms, built.layout
    early, late = terms.pointers.visible_from
    p, q = terms.pointer("p", 1), terms.pointer("q", 2)
    free, k, m, ka = map(terms.constant, ("free", "k", "m", "ka"))
    value, fixed = (terms.load(initial(layout.field(name), 0), p) for name in ("Node.value", "Node.fixed"))
    is_object = terms.class_in(p, OBJECTS)
    exact, is_array = terms.class_range("Node")[0], terms.class_in(p, ARRAYS)
    limit = terms.const(255)
    stated = {
        "an allocation that is not seen yet": [terms.same(p, q), terms.same(q, late)],
        "one that is, which is not free": [terms.same(p, early), terms.same(q, late), terms.same(p, q)],
        "a constant is not NULL": [terms.same(p, free), terms.not_(is_object)],
        "NULL is one": [terms.not_(is_object), terms.same(p, q), terms.class_in(q, STRUCTS)],
        "a declared field": [terms.same(p, k), terms.eq(fixed, terms.const(2))],
        "a declared length": [terms.same(p, ka), terms.eq(terms.length(p), terms.const(3))],
        "a declared class": [terms.same(p, m), terms.class_in(p, (exact, exact))],
        "two constants": [terms.same(p, k), terms.same(p, m)],
        "only arrays are long": [terms.class_in(p, STRUCTS), terms.eq(terms.length(p), terms.one)],
        "lengths": [terms.slt(terms.length(p), terms.zero), is_array],
        "narrow memory is not negative": [terms.slt(value, terms.zero), is_object],
        "narrow memory is small": [terms.slt(limit, value), is_object],
        "a struct is no array": [terms.has_class(p, "U"), is_array],
        "a class is below itself": [terms.has_class(p, "U"), terms.not_(terms.has_subclass(p, "U"))],
    }
    return {name: (terms, conditions) for name, conditions in stated.items()}


@pytest.mark.parametrize("name", contradictions())
def test_contradictions(name: str) -> None:
    terms, conditions = contradictions()[name]
    assert isinstance(Portfolio(terms).check(conditions, 10_000_000, 60), Unsat)
    assert not is_satisfiable(terms, conditions)
    for dropped in range(len(conditions)):
        rest = conditions[:dropped] + conditions[dropped + 1 :]
        answer = Portfolio(terms).check(rest, 10_000_000, 60)
        assert is_satisfiable(terms, rest) == isinstance(answer, Sat)


def test_shared_terms_are_no_problem() -> None:
    terms = ObjectTerms(WIDE, Layout())
    found = terms.eq(terms.var("x"), terms.one)
    for number in range(30):
        a, b = (terms.eq(terms.var(f"{name}{number}"), terms.one) for name in "ab")
        found = terms.both(terms.both(found, a), terms.both(found, b))
    assert not is_satisfiable(terms, [found, terms.slt(terms.var("x"), terms.one)])


@pytest.mark.parametrize("mask", [1, 66, 256])
def test_bits_of_a_mask_are_set_and_cleared(mask: int) -> None:
    terms = ObjectTerms(WIDE, layout())
    bits = terms.bit_and(terms.var("x"), terms.const(mask))
    is_none = terms.eq(bits, terms.zero)
    is_large = terms.slt(terms.const(1000), terms.var("x"))
    assert is_satisfiable(terms, [terms.not_(is_none), is_large])
    assert is_satisfiable(terms, [terms.eq(bits, terms.const(mask)), is_large])
    assert not is_satisfiable(terms, [terms.eq(bits, terms.const(2 * mask))])
