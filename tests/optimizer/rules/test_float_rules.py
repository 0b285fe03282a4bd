"""Rules on floats: each is proved, and fires; what they make of traces is what it was."""

from __future__ import annotations

import pytest

from optimizer.ir.rows.ops import Type
from optimizer.ir.rules.language import Rule, rule
from optimizer.ir.rules.terms import Apply, Constant, FloatLiteral, Term
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace
from optimizer.pipeline import optimize, run_passes
from optimizer.rules.floats import FLOAT_RULES
from validator.prove.judge import validate
from validator.rules.proofs import prove_rule
from validator.rules.status import Proved, Refuted
from validator.verdict import Proved as ProvedPair


def written(rule: Rule) -> Trace:
    """A trace on which the rule can fire."""
    letters = {Type.INT: "i", Type.FLOAT: "f"}
    names = {name: f"{letters[type_]}{number}" for number, (name, type_) in enumerate(rule.types.items())}
    lines: list[str] = []

    def put(term: Term) -> str:
        match term:
            case FloatLiteral(value):
                return str(value)
            case Constant():
                return "1.25"
            case Apply(op, args):
                given = ", ".join(map(put, args))
                result = f"{letters[op.result]}{10 + len(lines)}"
                lines.append(f"{result} = {op.name}({given})")
                return result
            case _:
                return names[term.name]  # type: ignore[union-attr]  # a variable

    result = put(rule.pattern)
    return parse("\n".join([f"[{', '.join(names.values())}]", *lines, f"finish({result})"]))


@pytest.mark.parametrize("rule", FLOAT_RULES, ids=lambda rule: rule.name)
def test_every_rule_is_proved(rule: Rule) -> None:
    assert isinstance(prove_rule(rule), Proved)


@pytest.mark.parametrize("rule", FLOAT_RULES, ids=lambda rule: rule.name)
def test_every_rule_fires(rule: Rule) -> None:
    trace = written(rule)
    done = run_passes(trace)
    assert done.fired[rule.name] == 1
    assert isinstance(validate(trace, done.trace), ProvedPair)


WRONG = [
    "float_add(x, 0.0) => x",
    "float_mul(x, 0.0) => 0.0",
    "float_sub(x, x) => 0.0",
    "float_eq(x, x) => 1",
    "float_ne(x, x) => 0",
    "float_le(x, x) => 1",
    "int_is_zero(float_lt(x, y)) => float_ge(x, y)",
    "float_sub(0.0, x) => float_neg(x)",
    "float_truediv(x, x) => 1.0",
    "float_sub(float_add(x, y), y) => x",
    "float_abs(x) => x",
]


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_rule_is_refuted(text: str) -> None:
    assert isinstance(prove_rule(rule("wrong", text)), Refuted)


def test_a_rule_that_only_a_solver_refutes() -> None:
    assert isinstance(prove_rule(rule("wrong", "float_truediv(x, 7.0) => float_mul(x, 0.14285714285714285)")), Refuted)


CASES = {
    "constants": (
        "[]\nf0 = float_add(0.1, 0.2)\nf1 = float_truediv(f0, -0.0)\nfinish(f0, f1)",
        "finish(0.30000000000000004, -inf)",
    ),
    "the bytes of nan stay": (
        "[]\ni0 = convert_float_bytes_to_longlong(nan)\nfinish(i0)",
        "convert_float_bytes_to_longlong(nan)",
    ),
    "an undefined cast stays": ("[]\ni0 = cast_float_to_int(1e300)\nfinish(i0)", "cast_float_to_int(1e+300)"),
    "a cast": ("[]\ni0 = cast_float_to_int(-2.5)\nfinish(i0)", "finish(-2)"),
    "a division": ("[f0]\nf1 = float_truediv(f0, 4.0)\nfinish(f1)", "float_mul(f0, 0.25)"),
    "no such division": ("[f0]\nf1 = float_truediv(f0, 3.0)\nfinish(f1)", "float_truediv(f0, 3.0)"),
    "a virtual object": (
        "[f0]\np1 = new(descr=A)\nsetfield_gc(p1, f0, descr=x)\nf2 = getfield_gc_f(p1, descr=x)\n"
        "f3 = getfield_gc_f(p1, descr=y)\nfinish(f2, f3)",
        "[f0]\nfinish(f0, 0.0)",
    ),
    "the same twice": (
        "[f0, f1]\nf2 = float_add(f0, f1)\nf3 = float_add(f1, f0)\nfinish(f2, f3)",
        "f2 = float_add(f0, f1)\nfinish(f2, f2)",
    ),
    "zeros are two": (
        "[f0]\nf1 = float_mul(f0, 0.0)\nf2 = float_mul(f0, -0.0)\nfinish(f1, f2)",
        "f1 = float_mul(f0, 0.0)\nf2 = float_mul(f0, -0.0)\nfinish(f1, f2)",
    ),
    "a cast and back": (
        "[i0]\ni1 = int_and(i0, 255)\nf2 = cast_int_to_float(i1)\ni3 = cast_float_to_int(f2)\nfinish(i3)",
        "finish(i1)",
    ),
    "a cast that rounds": (
        "[i0]\nf1 = cast_int_to_float(i0)\ni2 = cast_float_to_int(f1)\nfinish(i2)",
        "i2 = cast_float_to_int(f1)\nfinish(i2)",
    ),
    "a known value": (
        "[f0]\nguard_value(f0, 1.5) [f0]\nf1 = float_add(f0, 1.0)\nguard_value(f0, 1.5) [f0]\nfinish(f1)",
        "[f0]\nguard_value(f0, 1.5, origin=0) [f0]\nfinish(2.5)",
    ),
    "a test is 0 or 1": (
        "[f0, f1]\ni2 = float_lt(f0, f1)\ni3 = int_lt(i2, 2)\nguard_true(i3) []\nfinish(i2)",
        "[f0, f1]\ni2 = float_lt(f0, f1)\nfinish(i2)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_becomes_of_traces(name: str) -> None:
    text, expected = CASES[name]
    after = optimize(parse(text))
    assert expected in format_trace(after)
    assert isinstance(validate(parse(text), after), ProvedPair)
