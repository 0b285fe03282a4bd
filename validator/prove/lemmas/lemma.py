"""The rung of lemmas: shapes that no bit-blaster settles, rewritten where what is known at a place allows it.

A lemma says that a term has the value of another one under a condition on bounds, or under a condition that follows
from what is known. All bring terms to one form, so that structure decides again: multiply-high with a shift becomes the
division that it computes, a division by `1 << y` a shift, a product that does not overflow what it is of the integers.
`validator.prove.lemmas.division` has those of division by constants, `validator.prove.lemmas.products` those of
products and other divisions, `validator.prove.lemmas.sums` those of sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from optimizer.ir.domains.bounds import Bounds
from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term, cone_within

_LARGEST = 2000
"""Claims of more parts are left alone."""

_MOST_CONDITIONS = 40
"""So many known conditions are said again for one claim, and of those with products or quotients so many are rewritten,
the latest ones."""

_OF_PRODUCTS = frozenset({"mul", "umulh", "udiv", "sdiv", "fdiv", "srem", "fmod"})

_TIMES_SAID_AGAIN = 2
"""So many times it is, as what is said again may bear on what was learned before."""

_FEW_VALUES = 4
"""An input with no more values is looked at for each of them."""

_ROUNDS = 6
"""So many lemmas are used one after the other on one term."""


class Known(Protocol):
    """What is known at a place. All of `learned` hold there; `notes` is another table when that changes."""

    learned: list[Term]
    notes: dict[Any, Any]

    def rebuild(self, root: Term) -> Term:
        """The term that `root` is there, as far as is known."""

    def bounds(self, word: Term) -> Bounds:
        """What is known of the values of a word."""

    def proves(self, claim: Term) -> bool:
        """Does the claim hold, as far as is known?"""


class Assuming(Known, Protocol):
    """What is known at a place, to which more can be added for a while."""

    def restated(self, condition: Term) -> Term:
        """What one of those says by now."""

    def mark(self) -> None: ...
    def assume(self, condition: Term) -> None: ...
    def take_back(self) -> None: ...


Rewrite = Callable[[PlainTerms, Known, Term], Term | None]
"""A term of the same value as the one given wherever what is known holds; None where the lemma does not apply."""


@dataclass(frozen=True, slots=True)
class Lemma:
    """A rewriting of terms of these kinds. Its statement and where it is from are the docstring of `rewrite`. One
    `of_written` terms goes before those for their parts: it looks for what is known of these as they are written. One
    that is not `of_learned` conditions would take them for granted where they are to be said in other words."""

    kinds: tuple[str, ...]
    rewrite: Rewrite
    of_written: bool = False
    of_learned: bool = True

    @property
    def name(self) -> str:
        return self.rewrite.__name__


_ByKind = dict[str, list[Lemma]]


class Lemmas:
    """Lemmas by the kind of term that they rewrite."""

    def __init__(self, terms: PlainTerms, lemmas: Iterable[Lemma]) -> None:
        self._terms = terms
        self._by_kind: _ByKind = {}
        self._of_learned: _ByKind = {}
        for lemma in lemmas:
            for kind in lemma.kinds:
                self._by_kind.setdefault(kind, []).append(lemma)
                if lemma.of_learned:
                    self._of_learned.setdefault(kind, []).append(lemma)
        self._has_products: dict[Term, bool] = {}

    def proves(self, known: Assuming, claim: Term) -> bool:
        """Does the claim hold when lemmas have rewritten it, or it and what is known? Or does it for each of the few
        values that an input has?"""
        if self._proves(known, claim):
            return True
        cases = self._cases(known, claim)
        return bool(cases) and all(self._proves_where(known, case, claim) for case in cases)

    def _cases(self, known: Known, claim: Term) -> list[Term]:
        """The values of the first input that the claim is about of which only few are left."""
        for term in cone_within([known.rebuild(claim)], (), _LARGEST) or ():
            bounds = known.bounds(term) if term.kind == "var" else None
            if bounds is not None and bounds.high - bounds.low < _FEW_VALUES:
                values = range(bounds.low, bounds.high + 1)
                return [self._terms.eq(term, self._terms.const(value)) for value in values]
        return []

    def _proves_where(self, known: Assuming, condition: Term, claim: Term) -> bool:
        known.mark()
        known.assume(condition)
        proves = known.proves(claim) or self._proves(known, claim)
        known.take_back()
        return proves

    def _proves(self, known: Assuming, claim: Term) -> bool:
        rebuilt = known.rebuild(claim)
        rewritten = self.rewrite(known, rebuilt)
        if rewritten is not rebuilt and known.proves(rewritten):
            return True
        known.mark()
        proves = self._proves_with_more(known, rewritten)
        known.take_back()
        return proves

    def _proves_with_more(self, known: Assuming, claim: Term) -> bool:
        for _ in range(_TIMES_SAID_AGAIN):
            more = self._said_again(known)
            if not more:
                return False
            for condition in more:
                known.assume(condition)
            claim = self.rewrite(known, known.rebuild(claim))
            if known.proves(claim):
                return True
        return False

    def _said_again(self, known: Assuming) -> list[Term]:
        """What was learned, where it says something else under what was learned later, or with lemmas."""
        latest = known.learned[-_MOST_CONDITIONS:]
        earlier = [c for c in known.learned[:-_MOST_CONDITIONS] if self._is_of_products(c)][-_MOST_CONDITIONS:]
        said = [(c, self.rewrite(known, known.restated(c), is_learned=True)) for c in (*earlier, *latest)]
        return [new for c, new in said if new is not c]

    def _is_of_products(self, condition: Term) -> bool:
        found = self._has_products.get(condition)
        if found is None:
            parts = cone_within([condition], (), _LARGEST) or ()
            found = self._has_products[condition] = any(term.kind in _OF_PRODUCTS for term in parts)
        return found

    def rewrite(self, known: Known, claim: Term, *, is_learned: bool = False) -> Term:
        """The claim, or a condition that was learned, with all its parts rewritten, arguments first; itself where no
        lemma applies."""
        made: dict[Term, Term] = known.notes.setdefault((self, is_learned), {})
        by_kind = self._of_learned if is_learned else self._by_kind
        for term in cone_within([claim], made, _LARGEST) or ():
            new = term
            if any(made[arg] is not arg for arg in term.args):
                new = known.rebuild(self._with_args(_once(by_kind, self._terms, known, term, True) or term, made))
            made[term] = self._rewritten(by_kind, known, new)
        return made.get(claim, claim)

    def _with_args(self, term: Term, made: Mapping[Term, Term]) -> Term:
        args = tuple(made.get(arg, arg) for arg in term.args)
        return term if args == term.args else self._terms.remade(term, args)

    def _rewritten(self, by_kind: _ByKind, known: Known, term: Term) -> Term:
        for _ in range(_ROUNDS):
            better = _once(by_kind, self._terms, known, term, False)
            if better is None:
                break
            term = known.rebuild(better)
        return term


def _once(by_kind: _ByKind, terms: PlainTerms, known: Known, term: Term, is_written: bool) -> Term | None:
    for lemma in by_kind.get(term.kind, ()):
        better = lemma.rewrite(terms, known, term) if lemma.of_written or not is_written else None
        if better is not None and better is not term:
            return better
    return None
