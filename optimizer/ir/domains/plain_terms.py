"""The hash-consed DAG of terms, without algebra: each operation of the vocabulary makes its node.

Two calls with the same arguments give the same object. Terms as they are written serve where nothing but substitution
is to be trusted; `optimizer.ir.domains.terms` has the algebra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from optimizer.ir.domains.concrete import Concrete, concrete
from optimizer.ir.domains.term import Term
from optimizer.ir.rows.domain import Domain


def _written(name: str) -> Callable[..., Term]:
    """The operation of that name, which makes its node."""

    def make(self: PlainTerms, *args: Term) -> Term:
        return self._make(name, args)

    return make


class PlainTerms(Domain[Term, Term]):
    """Builds terms of one width. Words and conditions are both `Term`."""

    __slots__ = ("_constants", "_made", "concrete", "false", "one", "true", "zero")

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.concrete: Concrete = concrete(width)
        self._made: dict[tuple[str, tuple[Term, ...], Any], Term] = {}
        self._constants: dict[int, Term] = {}  # by integers of any size, as they are asked for
        self.true = self._make("truth", (), True)
        self.false = self._make("truth", (), False)
        self.zero = self.const(0)
        self.one = self.const(1)

    def _make(self, kind: str, args: tuple[Term, ...], value: Any = None) -> Term:
        key = (kind, args, value)
        term = self._made.get(key)
        if term is None:
            term = self._made[key] = Term(kind, args, value, len(self._made))
        return term

    def __len__(self) -> int:
        """The number of terms made."""
        return len(self._made)

    def remade(self, term: Term, args: Sequence[Term]) -> Term:
        """The term that `term` is with other arguments."""
        made: Term = getattr(self, term.kind)(*args)
        return made

    # Leaves.

    def const(self, value: int) -> Term:
        term = self._constants.get(value)
        if term is None:
            term = self._constants[value] = self._make("const", (), self.concrete.const(value))
        return term

    def truth(self, value: bool) -> Term:
        return self.true if value else self.false

    def var(self, name: str) -> Term:
        """The unknown word of that name."""
        return self._make("var", (), name)

    # Words.

    add, sub, mul, umulh, neg = map(_written, ("add", "sub", "mul", "umulh", "neg"))
    udiv, sdiv, srem, fdiv, fmod = map(_written, ("udiv", "sdiv", "srem", "fdiv", "fmod"))
    bit_and, bit_or, bit_xor, bit_not = map(_written, ("bit_and", "bit_or", "bit_xor", "bit_not"))
    shl, lshr, ashr, ite = map(_written, ("shl", "lshr", "ashr", "ite"))

    # Conditions.

    eq, slt, ult = map(_written, ("eq", "slt", "ult"))
    add_overflows, sub_overflows = map(_written, ("add_overflows", "sub_overflows"))
    mul_overflows = _written("mul_overflows")
    not_, both, either = map(_written, ("not_", "both", "either"))

    def bit(self, c: Term) -> Term:
        return self.ite(c, self.one, self.zero)

    def all_of(self, conditions: Iterable[Term]) -> Term:
        result = self.true
        for condition in conditions:
            result = self.both(result, condition)
        return result

    # What terms of several sorts simplify alike.

    def _choice(self, kind: str, c: Term, a: Term, b: Term) -> Term:
        """`a` where `c` holds, else `b`, as a term of that kind where nothing settles it."""
        if c.kind == "truth":
            return a if c.value else b
        if c.kind == "not_":
            c, a, b = c.args[0], b, a
        if a.kind == kind and a.args[0] is c:
            a = a.args[1]
        if b.kind == kind and b.args[0] is c:
            b = b.args[2]
        return a if a is b else self._make(kind, (c, a, b))
