"""Floats in SMT-LIB: bit vectors of 64 bits, the patterns of a binary64, of which one is NaN.

Signs, orders and bytes are said of the patterns. Arithmetic and casts are functions of which nothing is known (but that
equal arguments have equal results), or, in an exact query, what the theory of floating point says they are: each result
is a constant whose value as a float is that of the operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from optimizer.ir.domains.term import Term
from optimizer.ir.floats import NAN
from validator.prove.terms.object_kinds import FLOAT_CONDITIONS, FLOATS, OPAQUE_FLOATS, OPAQUE_WORDS, WORDS_OF_FLOATS
from validator.solvers.symbols import literal, symbol

SORT = "(_ BitVec 64)"

OF_FLOATS = (FLOATS - {"load_float", "applied_float"}) | FLOAT_CONDITIONS | WORDS_OF_FLOATS
"""The kinds of terms that are translated here."""

_NAN = literal(NAN.bits, 64)
_SIGN = literal(1 << 63, 64)
_SIZE = literal((1 << 63) - 1, 64)
_INFINITY = literal(0x7FF << 52, 64)
_ZERO = literal(0, 64)
_BYTES_OF_NAN = "|bytes of NaN|"

_DOUBLE = "(_ to_fp 11 53)"
_SINGLE = "(_ to_fp 8 24)"
_ARITHMETIC = {
    "float_add": "fp.add",
    "float_sub": "fp.sub",
    "float_mul": "fp.mul",
    "float_div": "fp.div",
    "float_sqrt": "fp.sqrt",
}

_PREDICATES = f"""\
(define-fun |float eq| ((a {SORT}) (b {SORT})) Bool
  (and (not (= a {_NAN})) (not (= b {_NAN})) (or (= a b) (= (bvand (bvor a b) {_SIZE}) {_ZERO}))))
(define-fun |float lt| ((a {SORT}) (b {SORT})) Bool
  (and (not (= a {_NAN})) (not (= b {_NAN})) (not (= (bvand (bvor a b) {_SIZE}) {_ZERO}))
    (ite (bvslt a {_ZERO}) (or (bvsge b {_ZERO}) (bvult b a)) (and (bvsge b {_ZERO}) (bvult a b)))))"""


class Floats:
    """The text of the terms of `OF_FLOATS`, beside words of `width` bits. What is declared is added to `lines`;
    `texts` are the texts of terms."""

    def __init__(self, width: int, lines: list[str], texts: Mapping[Term, str], *, exact: bool) -> None:
        self._width = width
        self._word = f"(_ BitVec {width})"
        self._lines = lines
        self._texts = texts
        self._exact = exact
        self._declared: set[str] = set()
        lines.append(_PREDICATES)

    def text(self, term: Term) -> str:
        """The text of a term, those of its arguments being known."""
        args = [self._texts[arg] for arg in term.args]
        match term.kind:
            case "float_var":
                return self._declare(symbol("float", term.value))
            case "float_const":
                return literal(term.value.bits, 64)
            case "float_ite":
                return f"(ite {' '.join(args)})"
            case "float_same":
                return f"(= {' '.join(args)})"
            case "float_eq" | "float_lt":
                return f"(|{term.kind.replace('_', ' ')}| {' '.join(args)})"
            case "float_neg":
                return f"(ite (= {args[0]} {_NAN}) {_NAN} (bvxor {args[0]} {_SIGN}))"
            case "float_abs":
                return f"(ite (= {args[0]} {_NAN}) {_NAN} (bvand {args[0]} {_SIZE}))"
            case "float_of_bytes":
                return f"(ite (bvult {_INFINITY} (bvand {args[0]} {_SIZE})) {_NAN} {args[0]})"
            case "float_to_bytes":
                return f"(ite (= {args[0]} {_NAN}) {self._bytes_of_nan()} {args[0]})"
            case _:
                return self._result(term, args)

    def _declare(self, name: str, sort: str = SORT) -> str:
        self._lines.append(f"(declare-const {name} {sort})")
        return name

    def _bytes_of_nan(self) -> str:
        if _BYTES_OF_NAN not in self._declared:
            self._declared.add(_BYTES_OF_NAN)
            self._declare(_BYTES_OF_NAN)
            self._lines.append(f"(assert (bvult {_INFINITY} (bvand {_BYTES_OF_NAN} {_SIZE})))")
        return _BYTES_OF_NAN

    def _result(self, term: Term, args: list[str]) -> str:
        """The text of an operation that is opaque where the query is not exact."""
        sort = self._word if term.kind in OPAQUE_WORDS else SORT
        if self._exact:
            name = self._declare(f"|{term.kind} {len(self._lines)}|", sort)
            self._lines.append(f"(assert {self._meaning(term.kind, name, args)})")
            return name
        name = f"|{term.kind.replace('_', ' ')}|"
        if name not in self._declared:
            self._declared.add(name)
            taken = self._word if term.kind in ("float_of_int", "float_of_single") else SORT
            self._lines.append(f"(declare-fun {name} ({' '.join([taken] * len(args))}) {sort})")
        return f"({name} {' '.join(args)})"

    def _meaning(self, kind: str, result: str, args: list[str]) -> str:
        """The condition that the result is what the operation gives."""
        match kind:
            case "float_of_int":
                value = f"({_DOUBLE} RNE {args[0]})"
            case "float_of_single":
                low = args[0] if self._width == 32 else f"((_ extract 31 0) {args[0]})"
                value = f"({_DOUBLE} RNE ({_SINGLE} {low}))"
            case "float_to_int":
                return f"(= {result} ((_ fp.to_sbv {self._width}) RTZ ({_DOUBLE} {args[0]})))"
            case "float_to_single":
                low = result if self._width == 32 else f"((_ extract 31 0) {result})"
                high = self._width - 32
                rounded = f"(= ({_SINGLE} {low}) ({_SINGLE} RNE ({_DOUBLE} {args[0]})))"
                blank = f"(= ((_ extract {self._width - 1} 32) {result}) {literal(0, high)})" if high else "true"
                return f"(and {rounded} {blank})"
            case _:
                value = f"({_ARITHMETIC[kind]} RNE {' '.join(f'({_DOUBLE} {arg})' for arg in args)})"
        return f"(= ({_DOUBLE} {result}) {value})"

    def axioms(self, order: Iterable[Term]) -> Iterator[str]:
        """Conditions that hold of these terms whatever they are: of the patterns of NaNs there is one."""
        for term in order:
            if term.kind in OPAQUE_FLOATS or term.kind in ("float_var", "load_float", "applied_float"):
                text = self._texts[term]
                yield f"(or (= {text} {_NAN}) (bvule (bvand {text} {_SIZE}) {_INFINITY}))"
