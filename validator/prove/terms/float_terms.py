"""Terms about floats, and the laws by which they are simplified.

A law holds bit for bit where all NaNs are one: `x + 0.0` is not `x`, which may be -0.0, but `x - 0.0` is; a comparison
with itself says that the float is not NaN. What computes a float, but for its sign, or a word of one, is opaque to a
solver that is not asked about floats exactly (see `validator.solvers.float_text`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from optimizer.ir.domains.concrete_floats import ConcreteFloats, UnspecifiedBytes, concrete_floats
from optimizer.ir.domains.term import Term
from optimizer.ir.floats import EXACT_INTS, NAN, ZERO, Float, exact_inverse
from optimizer.ir.rows.domain import FloatDomain

if TYPE_CHECKING:
    from validator.prove.terms.reference_terms import ReferenceTerms

_MINUS_ZERO = Float.of(-0.0)
_ONE = Float.of(1.0)
_MINUS_ONE = Float.of(-1.0)
_TWO = Float.of(2.0)


def _written(kind: str) -> Callable[..., Term]:
    """The operation as it is written."""
    name = f"float_{kind}"

    def make(self: PlainFloatTerms, *args: Term) -> Term:
        return self._make(name, args)

    return make


class PlainFloatTerms(FloatDomain[Term, Term, Term]):
    """Terms over floats as they are written. `float_add` is the kind of what `add` makes, and so on."""

    __slots__ = ("_make", "_terms")

    def __init__(self, terms: ReferenceTerms) -> None:
        self._terms = terms
        self._make = terms.make

    def var(self, name: str) -> Term:
        """The unknown float of that name."""
        return self._make("float_var", (), name)

    def const(self, value: Float) -> Term:
        return self._make("float_const", (), value)

    def ite(self, c: Term, a: Term, b: Term) -> Term:
        """`a` where `c` holds, else `b`."""
        if c.kind == "truth":
            return a if c.value else b
        if c.kind == "not_":
            c, a, b = c.args[0], b, a
        return a if a is b else self._make("float_ite", (c, a, b))

    def le(self, a: Term, b: Term) -> Term:
        return self._terms.either(self.lt(a, b), self.eq(a, b))

    add, sub, mul, div = _written("add"), _written("sub"), _written("mul"), _written("div")
    sqrt, neg, abs = _written("sqrt"), _written("neg"), _written("abs")
    same, eq, lt = _written("same"), _written("eq"), _written("lt")
    of_int, of_bytes, of_single = _written("of_int"), _written("of_bytes"), _written("of_single")
    to_int, to_bytes, to_single = _written("to_int"), _written("to_bytes"), _written("to_single")


class FloatTerms(PlainFloatTerms):
    """The same, simplified. Constants stand to the right where that is a law."""

    __slots__ = ("_concrete",)

    def __init__(self, terms: ReferenceTerms) -> None:
        super().__init__(terms)
        self._concrete: ConcreteFloats = concrete_floats(terms.width)

    def _folded(self, kind: str, *args: Term) -> Any:
        """The result of the operation on constants; None where an argument is none."""
        if all(arg.kind in ("float_const", "const") for arg in args):
            return getattr(self._concrete, kind)(*[arg.value for arg in args])
        return None

    def _computed(self, kind: str, *args: Term) -> Term:
        value = self._folded(kind, *args)
        return self._make(f"float_{kind}", args) if value is None else self.const(value)

    def add(self, a: Term, b: Term) -> Term:
        a, b = _sorted(a, b)
        if _is(b, _MINUS_ZERO):
            return a
        if a is b:
            return self.mul(a, self.const(_TWO))
        for one, other in ((a, b), (b, a)):
            if other.kind == "float_neg":
                return self.sub(one, other.args[0])
        return self.const(NAN) if _is(b, NAN) else self._computed("add", a, b)

    def sub(self, a: Term, b: Term) -> Term:
        if _is(b, ZERO):
            return a
        if b.kind == "float_neg":
            return self.add(a, b.args[0])
        if a.kind == "float_neg" and a.args[0] is b:
            return self.add(a, a)
        return self.const(NAN) if _is(a, NAN) or _is(b, NAN) else self._computed("sub", a, b)

    def mul(self, a: Term, b: Term) -> Term:
        if a.kind == "float_neg" or b.kind == "float_neg":
            return self._signed(self.mul, a, b)
        a, b = _sorted(a, b)
        if _is(b, _ONE):
            return a
        if _is(b, _MINUS_ONE):
            return self.neg(a)
        return self.const(NAN) if _is(b, NAN) else self._computed("mul", a, b)

    def _signed(self, operation: Callable[[Term, Term], Term], a: Term, b: Term) -> Term:
        """A product or quotient one of whose operands is negated; a constant takes the sign."""
        one, other = (term.args[0] if term.kind == "float_neg" else term for term in (a, b))
        if a.kind == b.kind:
            return operation(one, other)
        if one.kind == "float_const":
            return operation(self.neg(one), other)
        if other.kind == "float_const":
            return operation(one, self.neg(other))
        return self.neg(operation(one, other))

    def div(self, a: Term, b: Term) -> Term:
        if a.kind == "float_neg" or b.kind == "float_neg":
            return self._signed(self.div, a, b)
        inverse = exact_inverse(b.value) if b.kind == "float_const" else None
        if inverse is not None:
            return self.mul(a, self.const(inverse))
        return self.const(NAN) if _is(a, NAN) or _is(b, NAN) else self._computed("div", a, b)

    def sqrt(self, a: Term) -> Term:
        return self._computed("sqrt", a)

    def neg(self, a: Term) -> Term:
        return a.args[0] if a.kind == "float_neg" else self._computed("neg", a)

    def abs(self, a: Term) -> Term:
        if a.kind == "float_abs":
            return a
        return self.abs(a.args[0]) if a.kind == "float_neg" else self._computed("abs", a)

    def same(self, a: Term, b: Term) -> Term:
        if a is b:
            return self._terms.true
        return self._decided("same", *_sorted(a, b))

    def eq(self, a: Term, b: Term) -> Term:
        if _is(a, NAN) or _is(b, NAN):
            return self._terms.false
        return self._decided("eq", *_sorted(a, b))

    def lt(self, a: Term, b: Term) -> Term:
        if a is b or _is(a, NAN) or _is(b, NAN):
            return self._terms.false
        return self._decided("lt", a, b)

    def _decided(self, kind: str, a: Term, b: Term) -> Term:
        value = self._folded(kind, a, b)
        return self._make(f"float_{kind}", (a, b)) if value is None else self._terms.truth(value)

    def of_int(self, n: Term) -> Term:
        return self._computed("of_int", n)

    def of_bytes(self, n: Term) -> Term:
        return n.args[0] if n.kind == "float_to_bytes" else self._computed("of_bytes", n)

    def of_single(self, n: Term) -> Term:
        return self._computed("of_single", n)

    def to_int(self, a: Term) -> Term:
        if a.kind == "float_of_int" and self._terms.width <= EXACT_INTS:
            return a.args[0]
        return self._word("to_int", a)

    def to_bytes(self, a: Term) -> Term:
        return self._word("to_bytes", a)

    def to_single(self, a: Term) -> Term:
        return self._word("to_single", a)

    def _word(self, kind: str, a: Term) -> Term:
        try:
            value = self._folded(kind, a)
        except UnspecifiedBytes:
            value = None
        return self._make(f"float_{kind}", (a,)) if value is None else self._terms.const(value)


def _is(term: Term, value: Float) -> bool:
    return term.kind == "float_const" and bool(term.value == value)


def _sorted(a: Term, b: Term) -> tuple[Term, Term]:
    if (a.kind == "float_const") != (b.kind == "float_const"):
        return (b, a) if a.kind == "float_const" else (a, b)
    return (a, b) if a.number < b.number else (b, a)
