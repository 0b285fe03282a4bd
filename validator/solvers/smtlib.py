"""Terms as SMT-LIB 2 text (QF_BV, or QF_UFBV where there is memory) that every solver reads.

A term that is used more than once is a `define-fun` of its own, and so is one whose text would grow long, so that the
text is linear in the number of terms. It depends on the conditions only, not on what else was built before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term, cone
from optimizer.ir.rows.domain import PRIMITIVES, wrap
from validator.prove.terms.object_kinds import FLOAT_CONDITIONS, FLOATS
from validator.prove.terms.object_terms import ObjectTerms
from validator.solvers.float_text import OF_FLOATS, SORT, Floats
from validator.solvers.references import LOADS, NUMBERS, OF_MEMORY, VALUED, References
from validator.solvers.symbols import literal, symbol

_OPERATORS = {
    "add": "bvadd",
    "sub": "bvsub",
    "mul": "bvmul",
    "neg": "bvneg",
    "udiv": "bvudiv",
    "sdiv": "bvsdiv",
    "srem": "bvsrem",
    "fmod": "bvsmod",
    "bit_and": "bvand",
    "bit_or": "bvor",
    "bit_xor": "bvxor",
    "bit_not": "bvnot",
    "shl": "bvshl",
    "lshr": "bvlshr",
    "ashr": "bvashr",
    "eq": "=",
    "slt": "bvslt",
    "ult": "bvult",
    "add_overflows": "bvsaddo",
    "sub_overflows": "bvssubo",
    "mul_overflows": "bvsmulo",
    "not_": "not",
    "both": "and",
    "either": "or",
    "ite": "ite",
}

assert set(_OPERATORS) | {"const", "truth", "fdiv", "umulh"} == set(PRIMITIVES)

_BOOLEAN = {"eq", "slt", "ult", "add_overflows", "sub_overflows", "mul_overflows", "not_", "both", "either"}
_CONDITIONS = _BOOLEAN | FLOAT_CONDITIONS | {"truth", "class_in", "class_same", "class_below", "same"}

# Longer text gets a name even where it is used once.
_LONG = 400


@dataclass(frozen=True, slots=True)
class Script:
    """A query. `body` declares and asserts, without a command that solves, and `text` names its logic ahead of that;
    `apart` asserts what need not hold, but is wanted of a model. `asked` are the terms whose values matter, by the
    names that they have in the text; `known` those whose values are known beforehand."""

    logic: str
    body: str
    apart: str
    asked: Mapping[str, Term]
    known: Mapping[Term, int]
    width: int

    @property
    def text(self) -> str:
        return f"(set-logic {self.logic})\n{self.body}"

    def model(self, values: Mapping[str, int]) -> dict[Term, int]:
        """The values of the terms, from those of the names, which are bit patterns; those of floats are such too."""
        model = dict(self.known)
        for name, term in self.asked.items():
            value = values[name]
            model[term] = value if term.kind in NUMBERS or term.kind in FLOATS else wrap(value, self.width)
        return model


def script(terms: PlainTerms, conditions: Sequence[Term], *, exact: bool = False) -> Script:
    """The query whether all `conditions` can hold at once; `exact`: operations on floats are what they are."""
    if isinstance(terms, ObjectTerms):
        conditions = [*conditions, *terms.declared_contents(conditions)]
    order = cone(conditions)
    writer = _Writer(terms, order, exact)
    for term in order:
        writer.write(term)
    return writer.script(conditions)


class _Writer:
    def __init__(self, terms: PlainTerms, order: Sequence[Term], exact: bool) -> None:
        self._width = terms.width
        self._sort = f"(_ BitVec {terms.width})"
        self._order = order
        self._texts: dict[Term, str] = {}
        self._lines: list[str] = []
        self._named = _with_names(order)
        self._exact = exact
        self._floats: Floats | None = None
        if any(term.kind in OF_FLOATS or term.kind in ("load_float", "applied_float") for term in order):
            self._floats = Floats(terms.width, self._lines, self._texts, exact=exact)
        self._references: References | None = None
        if isinstance(terms, ObjectTerms) and any(term.kind in OF_MEMORY for term in order):
            self._references = References(terms, self._lines, self._texts)

    def write(self, term: Term) -> None:
        """Finds the text of a term, those of its arguments being known."""
        if term.kind == "var":
            text = symbol("word", term.value)
            self._lines.append(f"(declare-const {text} {self._sort})")
        elif term.kind == "const":
            text = literal(term.value, self._width)
        elif term.kind == "truth":
            text = "true" if term.value else "false"
        else:
            text = self._application(term)
            if text[0] == "(" and (term in self._named or len(text) > _LONG):
                text = self._define(term, text)
        self._texts[term] = text

    def _application(self, term: Term) -> str:
        if term.kind in OF_MEMORY:
            assert self._references is not None
            return self._references.text(term)
        if term.kind in OF_FLOATS:
            assert self._floats is not None
            return self._floats.text(term)
        args = [self._texts[arg] for arg in term.args]
        operator = _OPERATORS.get(term.kind)
        if operator is not None:
            return f"({operator} {' '.join(args)})"
        return self._floor_div(*args) if term.kind == "fdiv" else self._umulh(*args)

    def _define(self, term: Term, text: str) -> str:
        name = f"${len(self._lines)}"
        self._lines.append(f"(define-fun {name} () {self._sort_of(term)} {text})")
        return name

    def _sort_of(self, term: Term) -> str:
        if term.kind in _CONDITIONS:
            return "Bool"
        if term.kind in FLOATS:
            return SORT
        if term.kind in OF_MEMORY:
            assert self._references is not None
            return self._references.sort(term)
        return self._sort

    def _floor_div(self, a: str, b: str) -> str:
        zero, one = literal(0, self._width), literal(1, self._width)
        rounds = f"(and (distinct $r {zero}) (bvslt (bvxor $r {b}) {zero}))"
        return f"(let (($q (bvsdiv {a} {b})) ($r (bvsrem {a} {b}))) (ite {rounds} (bvsub $q {one}) $q))"

    def _umulh(self, a: str, b: str) -> str:
        width = self._width
        doubled = [f"((_ zero_extend {width}) {word})" for word in (a, b)]
        return f"((_ extract {2 * width - 1} {width}) (bvmul {doubled[0]} {doubled[1]}))"

    def script(self, conditions: Iterable[Term]) -> Script:
        texts, lines = self._texts, self._lines
        logic, apart = "QF_BV", ""
        if self._floats is not None:
            logic = "QF_BVFP" if self._exact else "QF_UFBV"
            lines += [f"(assert {axiom})" for axiom in self._floats.axioms(self._order)]
        if self._references is not None:
            logic = "QF_UFBVFP" if self._exact and self._floats is not None else "QF_UFBV"
            for axiom in list(self._references.axioms(self._order)):
                lines.append(f"(assert {axiom})")
            apart = "".join(f"(assert {one})\n" for one in self._references.apart(self._order))
        asserted = [f"(assert {texts[condition]})" for condition in dict.fromkeys(conditions)]
        text = "\n".join([*lines, *asserted, ""])
        asked, known = {}, {}
        for term in _told(self._order):
            text_of = texts[term]
            if text_of[0] == "#":
                known[term] = _number(text_of)
            else:
                asked[text_of] = term
        return Script(logic, text, apart, asked, known, self._width)


def _with_names(order: Sequence[Term]) -> set[Term]:
    """The terms that get a name: those used more than once, and those whose value is told or that axioms speak of."""
    seen: set[Term] = set()
    named: set[Term] = set()
    for term in order:
        for arg in term.args:
            (named if arg in seen else seen).add(arg)
        if term.kind == "fdiv":
            named.update(term.args)
    named.update(_told(order))
    named.update(term.args[0] for term in order if term.kind in ("class_of", "length"))
    return named


def _told(order: Iterable[Term]) -> dict[Term, None]:
    """The terms whose values a model tells: the `VALUED` kinds, and the indices of what memory held."""
    told: dict[Term, None] = {}
    for term in order:
        if term.kind in VALUED:
            told[term] = None
        if term.kind in LOADS and len(term.args) > 1:
            told[term.args[1]] = None
    return told


def _number(literal: str) -> int:
    return int(literal[2:], 16 if literal[1] == "x" else 2)
