"""Faults on floats, of the optimizer and of the validator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from faults.planting import OptimizerFault, Plant, ValidatorFault

from optimizer import pipeline
from optimizer.facts import cells
from optimizer.ir.domains.concrete_floats import ConcreteFloats
from optimizer.ir.domains.term import Term
from optimizer.ir.floats import ZERO, Float
from optimizer.ir.rows import float_rows
from optimizer.ir.rows.domain import limits_of_int
from optimizer.ir.rows.ops import Type
from optimizer.ir.rules.language import rule
from optimizer.ir.trace import ConstFloat, ConstInt
from optimizer.passes import cse, floats, fold
from validator.prove.judge import _Judge
from validator.prove.terms.float_terms import FloatTerms
from validator.prove.terms.object_kinds import is_float
from validator.prove.terms.reference_terms import ReferenceTerms

_MINUS_ZERO = Float.of(-0.0)


def _also(text: str) -> Plant:
    """There is this rule too, ahead of all others."""
    rules = (rule("planted", text), *pipeline.ALL_RULES)
    return lambda patch: patch.setattr(pipeline, "ALL_RULES", rules)


def _around(owner: Any, name: str, wrong: Callable[..., Any]) -> Plant:
    """What is there goes first to what takes its place, before its arguments."""
    right = vars(owner)[name]
    return lambda patch: patch.setattr(owner, name, lambda *args, **more: wrong(right, *args, **more))


def _fault(name: str, breaks: str, plant: Plant, *lines: str) -> OptimizerFault:
    return OptimizerFault(name, breaks, "floats", plant, "\n".join([*lines, ""]))


def _any_inverse(patch: pytest.MonkeyPatch) -> None:
    d = ConcreteFloats(64)
    patch.setattr(floats, "exact_inverse", lambda value: d.div(Float.of(1.0), value))


def _plus_zero_only(right: Callable[..., Any], number: int | Float) -> Any:
    return right(ZERO if number == _MINUS_ZERO else number)


def _one_zero(right: Callable[..., Any], op: Any, name: str, args: tuple[Any, ...]) -> Any:
    return right(op, name, tuple(ConstFloat(ZERO) if arg == ConstFloat(_MINUS_ZERO) else arg for arg in args))


def _any_order(right: Callable[..., Any], op: Any, name: str, args: tuple[Any, ...]) -> Any:
    has_floats = [arg.type for arg in args] == [Type.FLOAT, Type.FLOAT]
    return right(op, name, tuple(sorted(args, key=str)) if has_floats else args)


def _cleared_to_one(right: Callable[..., Any], slot: Any) -> Any:
    return ConstFloat(Float.of(1.0)) if slot.type is Type.FLOAT else right(slot)


def _cleared_to_int(right: Callable[..., Any], slot: Any) -> Any:
    return ConstInt(0) if slot.type is Type.FLOAT else right(slot)


_SHOWS_ORDER = ("[f0, f1]", "i2 = float_lt(f0, f1)", "i3 = int_is_zero(i2)", "jump(i3)")
_SHOWS_CAST = ("[i0]", "f1 = cast_int_to_float(i0)", "i2 = cast_float_to_int(f1)", "jump(i2)")
_SHOWS_CLEARED = ("[]", "p0 = new(descr=A)", "f1 = getfield_gc_f(p0, descr=x)", "jump(f1)")

FLOAT_FAULTS = (
    _fault("float plus zero", "x + 0.0 is x, also for -0.0", _also("float_add(x, 0.0) => x"),
        "[f0]", "f1 = float_add(f0, 0.0)", "jump(f1)"),
    _fault("zero minus", "0.0 - x is -x, also for 0.0", _also("float_sub(0.0, x) => float_neg(x)"),
        "[f0]", "f1 = float_sub(0.0, f0)", "jump(f1)"),
    _fault("float times zero", "x * 0.0 is 0.0, also for infinity and below 0", _also("float_mul(x, 0.0) => 0.0"),
        "[f0]", "f1 = float_mul(f0, 0.0)", "jump(f1)"),
    _fault("minus itself", "x - x is 0.0, also for infinity", _also("float_sub(x, x) => 0.0"),
        "[f0]", "f1 = float_sub(f0, f0)", "jump(f1)"),
    _fault("by itself", "x / x is 1.0, also for 0.0", _also("float_truediv(x, x) => 1.0"),
        "[f0]", "f1 = float_truediv(f0, f0)", "jump(f1)"),
    _fault("equals itself", "x == x is 1, also for NaN", _also("float_eq(x, x) => 1"),
        "[f0]", "i1 = float_eq(f0, f0)", "jump(i1)"),
    _fault("at most itself", "x <= x is 1, also for NaN", _also("float_le(x, x) => 1"),
        "[f0]", "i1 = float_le(f0, f0)", "jump(i1)"),
    _fault("order of floats denied", "what is not below is at least, also NaN",
        _also("int_is_zero(float_lt(x, y)) => float_ge(x, y)"), *_SHOWS_ORDER),
    _fault("order of floats not turned around", "C < x is x < C", _also("float_lt(C, x) => float_lt(x, C)"),
        "[f0]", "i1 = float_lt(1.5, f0)", "jump(i1)"),
    _fault("sign lost", "the size of x is x", _also("float_abs(x) => x"),
        "[f0]", "f1 = float_abs(f0)", "jump(f1)"),
    _fault("cast of a fraction", "a float that was cast to a machine int and back is what it was",
        _also("cast_int_to_float(cast_float_to_int(x)) => x"),
        "[f0]", "i1 = cast_float_to_int(f0)", "f2 = cast_int_to_float(i1)", "jump(f2)"),
    _fault("inverse of anything", "dividing by any number is multiplying by its inverse", _any_inverse,
        "[f0]", "f1 = float_truediv(f0, 3.0)", "jump(f1)"),
    _fault("cast of large numbers", "every machine int is a float",
        lambda patch: patch.setattr(floats, "_EXACT", 1 << 64), *_SHOWS_CAST),
    _fault("folded zero", "-0.0 is folded as 0.0", _around(fold, "constant_of", _plus_zero_only),
        "[]", "f0 = float_neg(0.0)", "jump(f0)"),
    _fault("one zero", "what was computed of 0.0 is that of -0.0", _around(cse, "_key", _one_zero),
        "[f0]", "f1 = float_mul(f0, 0.0)", "f2 = float_mul(f0, -0.0)", "jump(f1, f2)"),
    _fault("any order", "x op y is y op x, for all operations on floats", _around(cse, "_key", _any_order),
        "[f0, f1]", "f2 = float_sub(f0, f1)", "f3 = float_sub(f1, f0)", "jump(f2, f3)"),
    _fault("cleared to one", "cleared memory of floats holds 1.0", _around(cells, "zero", _cleared_to_one),
        *_SHOWS_CLEARED),
    _fault("cleared to a machine int", "cleared memory of floats holds the machine int 0",
        _around(cells, "zero", _cleared_to_int), *_SHOWS_CLEARED),
)  # fmt: skip


def _validator_fault(name: str, breaks: str, plant: Plant, *catches: str) -> ValidatorFault:
    return ValidatorFault(name, breaks, "floats", plant, catches)


def _candidate_is_believed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Judge, "_exactly", lambda self, obligation, answer, origins: answer)


def _compared_as_numbers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Float, "__eq__", lambda self, other: isinstance(other, Float) and self.value == other.value)


def _plus_zero_is_a_law(right: Callable[..., Term], terms: FloatTerms, a: Term, b: Term) -> Term:
    return a if b.kind == "float_const" and b.value == ZERO else right(terms, a, b)


def _older_content(right: Callable[..., Term], terms: ReferenceTerms, c: Term, a: Term, b: Term) -> Term:
    return b if is_float(a) else right(terms, c, a, b)


def _any_cast_fits(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(float_rows, "limits_of_int", lambda width: (limits_of_int(64)[0], limits_of_int(64)[1]))


FLOAT_VALIDATOR_FAULTS = (
    _validator_fault("opaque candidate is believed", "what an opaque query finds is a counterexample",
        _candidate_is_believed, "validator/verdicts/test_float_pairs.py::test_what_only_the_theory_settles"),
    _validator_fault("floats compared as numbers", "NaN is not NaN, and 0.0 is -0.0", _compared_as_numbers,
        "optimizer/ir/rows/test_float_rows.py::test_all_nans_are_one"),
    _validator_fault("law of plus zero", "x + 0.0 is x", _around(FloatTerms, "add", _plus_zero_is_a_law),
        "validator/prove/test_float_laws.py::test_what_is_no_law_is_not_used",
        "validator/verdicts/test_float_pairs.py::test_what_is_wrong_is_refuted_and_never_checked"),
    _validator_fault("stale float slot", "a store of a float through a pointer that may be the same changes nothing",
        _around(ReferenceTerms, "select", _older_content),
        "validator/verdicts/test_float_pairs.py::test_what_is_wrong_is_refuted_and_never_checked"),
    _validator_fault("casts of 64 bits", "a cast is defined where the float fits into 64 bits, whatever the word is",
        _any_cast_fits, "optimizer/ir/rows/test_float_rows.py::test_rows_compute_what_the_reference_says"),
)  # fmt: skip
