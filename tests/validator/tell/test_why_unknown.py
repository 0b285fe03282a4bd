"""What is said where nothing was settled."""

from __future__ import annotations

from importlib.machinery import ModuleSpec

import pytest

from optimizer.ir.text import parse
from optimizer.ir.types.trace_layout import layout_of
from validator import Failargs, Options, Unknown, validate
from validator.prove.discharge import NotSettled
from validator.prove.obligations import Obligation, Place
from validator.prove.pairing import encode_pair
from validator.solvers.answers import SolverChoice
from validator.tell import why_unknown
from validator.tell.report import verdict_json, verdict_text
from validator.verdict import WhyUnknown

SQUARE = "[i0, i1, i9]\ni2 = int_add(i0, i1)\ni3 = int_mul(i2, i2)\nguard_true(i9) [i3]\nfinish(i3)\n"
PLAIN = "[i0]\nfinish(i0)\n"
DEFAULT = Options()
START = Place(0, 0, 0)
EXPANDED = """[i0, i1, i9]
i4 = int_mul(i0, i0)
i5 = int_mul(i1, i1)
i6 = int_mul(i0, i1)
i7 = int_lshift(i6, 1)
i8 = int_add(i4, i5)
i3 = int_add(i8, i7)
guard_true(i9) [i3]
finish(i3)
"""


def unknown() -> Unknown:
    verdict = validate(parse(SQUARE), parse(EXPANDED), Options(effort=200_000))
    assert isinstance(verdict, Unknown)
    return verdict


def test_an_unknown_names_the_operations_and_what_to_try() -> None:
    verdict = unknown()
    why = verdict.why
    assert why is not None
    assert why.obligation == "guard 0: failarg 0"
    assert [(one.what, one.trace, one.line) for one in why.hard] == [
        ("a product of two unknowns", "before", 3),
        ("a product of two unknowns", "after", 2),
        ("a product of two unknowns", "after", 3),
        ("a product of two unknowns", "after", 4),
    ]
    assert why.hard[0].text == "i3 = int_mul(i2, i2)"
    assert "--effort 2000000" in why.advice
    assert any("--failargs ignore" in one for one in why.advice)
    text = verdict_text(verdict)
    assert "\n  hard: a product of two unknowns, line 3 of before: i3 = int_mul(i2, i2)\n" in text
    assert "\n  try: --effort 2000000" in text
    told = verdict_json(verdict, "", None, None)["why"]
    assert told["hard"][0] == {
        "what": "a product of two unknowns",
        "trace": "before",
        "line": 3,
        "text": "i3 = int_mul(i2, i2)",
    }
    assert list(told["advice"]) == list(why.advice)


def test_what_was_tried_is_told() -> None:
    why = unknown().why
    assert why is not None
    assert why.tried[0].startswith("structure and intervals")
    assert any(one.startswith("z3, with an effort of 200000 for a query") for one in why.tried)


@pytest.mark.parametrize(
    ("operation", "what"),
    [
        ("int_mul(i0, i1)", "a product of two unknowns"),
        ("uint_mul_high(i0, 77)", "the high word of a product"),
        ("int_py_div(i0, i1)", "a division by an unknown"),
        ("int_py_mod(i0, 77)", "a division by a constant"),
        ("int_lshift(i0, i1)", "a shift by an unknown"),
        ("int_rshift(i0, i1)", "a shift by an unknown"),
        ("convert_float_bytes_to_longlong(f2)", "the bytes of a float, which nobody says of NaN"),
        ("int_mul(i0, 77)", None),
        ("int_add(i0, i1)", None),
        ("int_lshift(i0, 3)", None),
    ],
)
def test_each_kind_of_hard_operation_is_named(operation: str, what: str | None) -> None:
    trace = f"[i0, i1, f2]\ni3 = {operation}\nfinish(i3)\n"
    assert {one.what for one in explain(trace).hard} == ({what} if what else set())


def test_overflow_checks_are_named() -> None:
    trace = "[i0, i1]\ni2 = int_mul_ovf(i0, i1)\nguard_no_overflow() []\nfinish(i0)\n"
    hard = explain(trace, place=Place(1, 1, 0)).hard
    assert [(one.what, one.trace, one.line) for one in hard] == [("an overflow check of a product", "before", 2)]


def explain(
    trace: str,
    reason: str = "effort",
    *,
    options: Options = DEFAULT,
    name: str = "",
    place: Place = START,
    tried: tuple[str, ...] = ("z3",),
) -> WhyUnknown:
    """What is said of the last value that a trace hands over, or of what is assumed."""
    read = parse(trace)
    pair = encode_pair(read, read, layout_of(read, read), options)
    claim = pair.terms.eq(pair.before.end[-1], pair.terms.const(12345))
    return why_unknown.why_unknown(pair, Obligation(name, place, claim), NotSettled(reason, tried))


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("effort", "--effort 1000"),
        ("incomplete", "--effort 1000"),
        ("wall", "--timeout 20"),
        ("memory", "--memory 8192"),
        ("abstraction", "docs/heap.md"),
    ],
)
def test_the_advice_is_for_the_reason(reason: str, advice: str) -> None:
    why = explain(PLAIN, reason, options=Options(effort=100, timeout_s=2.0, memory_mb=4096))
    assert advice in why.advice[0]


def test_solvers_are_recommended_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(why_unknown, "find_spec", lambda name: None)
    assert "pip install 'traceproof[solvers]', for bitwuzla and cvc5" in explain(PLAIN).advice
    monkeypatch.setattr(why_unknown, "find_spec", lambda name: ModuleSpec(name, None))
    assert not any("solver" in one for one in explain(PLAIN).advice)
    assert any("--solver auto" in one for one in explain(PLAIN, options=Options(solver=SolverChoice.Z3)).advice)
    assert not any("solver" in one for one in explain(PLAIN, "abstraction").advice)


def test_failargs_that_are_not_compared_are_no_advice() -> None:
    assert any("failargs" in one for one in explain(PLAIN, name="guard 0: failarg 1").advice)
    ignoring = Options(failargs=Failargs.IGNORE)
    assert not any("failargs" in one for one in explain(PLAIN, name="guard 0: failarg 1", options=ignoring).advice)
    assert not any("failargs" in one for one in explain(PLAIN, name="end: argument 1").advice)


def test_a_large_query_is_told() -> None:
    lines = "".join(f"i{n + 1} = int_xor(i{n}, {n})\ni{n + 2} = int_add(i{n + 1}, i{n})\n" for n in range(0, 1600, 2))
    assert any("shorter trace" in one for one in explain(f"[i0]\n{lines}finish(i1600)\n").advice)
    assert not any("shorter trace" in one for one in explain(PLAIN).advice)


@pytest.mark.parametrize(("reason", "tried"), [("abstraction", "a solver, which came up"), ("wall", "no solver: the")])
def test_what_was_tried_where_no_solver_has_given_up(reason: str, tried: str) -> None:
    assert explain(PLAIN, reason, tried=()).tried[-1].startswith(tried)
