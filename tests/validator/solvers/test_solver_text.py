"""The text that solvers read means what the terms mean, for every solver, and its names are safe."""

from __future__ import annotations

import inspect
import itertools

import pytest
from pairs import judge

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.plain_terms import PlainTerms
from optimizer.ir.domains.term import Term, evaluate
from optimizer.ir.domains.terms import Terms
from optimizer.ir.rows.domain import PRIMITIVES, Domain
from validator.solvers import child_process, z3_process
from validator.solvers.answers import GaveUp, Reply, Sat, SolverChoice, Unsat
from validator.solvers.portfolio import Portfolio, Query
from validator.solvers.smtlib import Script, script
from validator.verdict import Proved

SOLVERS = [choice for choice in SolverChoice if choice is not SolverChoice.AUTO]
OPERATIONS = [name for name in PRIMITIVES if name not in ("const", "truth")]
WIDTH = 3


def available(choice: SolverChoice) -> SolverChoice:
    if choice is not SolverChoice.Z3:
        pytest.importorskip(choice.value)
    return choice


def sorts_of(operation: str) -> list[str]:
    """Which arguments are words, and which conditions."""
    parameters = list(inspect.signature(getattr(Domain, operation)).parameters.values())[1:]
    return ["condition" if one.annotation == "C" else "word" for one in parameters]


def wrong_somewhere(t: PlainTerms, operation: str) -> Term:
    """That the operation differs from the concrete domain on some of all inputs; each is a case of constants, which
    stand behind variables, so that no solver and no algebra can fold them as they are read."""
    domain = concrete(WIDTH)
    sorts = sorts_of(operation)
    names = [t.var(f"x{number}") for number in range(len(sorts))]
    args = [name if sort == "word" else t.eq(name, t.const(1)) for name, sort in zip(names, sorts, strict=True)]
    result = getattr(t, operation)(*args)
    choices = [range(-domain.half, domain.half) if sort == "word" else (0, 1) for sort in sorts]
    wrong = t.false
    for values in itertools.product(*choices):
        concretes = [bool(value) if sort == "condition" else value for value, sort in zip(values, sorts, strict=True)]
        expected = getattr(domain, operation)(*concretes)
        if isinstance(expected, bool):
            differs = t.not_(result) if expected else result
        else:
            differs = t.not_(t.eq(result, t.const(expected)))
        here = t.true
        for name, value in zip(names, values, strict=True):
            here = t.both(here, t.eq(name, t.const(value)))
        wrong = t.either(wrong, t.both(here, differs))
    return wrong


@pytest.mark.parametrize("choice", SOLVERS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_mean_what_they_mean_concretely(operation: str, choice: SolverChoice) -> None:
    t = PlainTerms(WIDTH)
    asked = Portfolio(t, available(choice)).check([wrong_somewhere(t, operation)], 100_000_000, 60)
    assert asked == Unsat(choice.value)


@pytest.mark.parametrize("choice", SOLVERS)
def test_models_are_values_of_the_terms(choice: SolverChoice) -> None:
    t = PlainTerms(64)
    x, y = t.var("x"), t.var("y")
    conditions = [t.eq(t.mul(x, t.const(3)), t.const(-6)), t.slt(x, t.const(0)), t.slt(t.const(7), y)]
    answer = Portfolio(t, available(choice)).check(conditions, 10_000_000, 60)
    assert isinstance(answer, Sat)
    assert answer.model[x] == -2
    assert answer.by == choice.value
    assert all(evaluate(conditions, {"x": answer.model[x], "y": answer.model[y]}, 64))


NAMES = [
    "and",
    "true",
    "bvadd",
    "x y",
    "a|b",
    "a\\b",
    "$1",
    "$ready",
    "%7c.",
    "",
    "é",
    "line\nbreak",
    "(",
    '"',
    ";",
    "|",
]


@pytest.mark.parametrize("choice", SOLVERS)
def test_any_name_may_occur(choice: SolverChoice) -> None:
    t = PlainTerms(8)
    conditions = [t.eq(t.var(name), t.const(number)) for number, name in enumerate(NAMES)]
    answer = Portfolio(t, available(choice)).check(conditions, 10_000_000, 60)
    assert isinstance(answer, Sat)
    assert [answer.model[t.var(name)] for name in NAMES] == list(range(len(NAMES)))


def ask(choice: SolverChoice, query: Script) -> Reply:
    if choice is SolverChoice.Z3:
        return z3_process.check(query, z3_process.SOLVING, 100_000_000, 60, 4096)
    return child_process.check(choice.value, query, 1 << 40, 60, 4096)


def a_chain(t: PlainTerms, length: int) -> Term:
    word = t.var("x")
    for number in range(length):
        word = t.bit_or(word, t.const(1 << number % 8)) if number % 2 else t.bit_and(word, t.const(254))
    return word


@pytest.mark.parametrize("choice", [SolverChoice.Z3, SolverChoice.BITWUZLA])
def test_long_chains(choice: SolverChoice) -> None:
    t = PlainTerms(8)
    query = script(t, [t.eq(a_chain(t, 5000), t.const(0))])
    assert len(query.text) < 5000 * 40
    assert ask(available(choice), query) is None


def test_the_text_depends_on_the_conditions_only() -> None:
    def text(t: PlainTerms) -> str:
        return script(t, [t.slt(a_chain(t, 20), t.fdiv(t.var("y"), t.const(5)))]).text

    other = PlainTerms(16)
    text(other)
    other.mul(other.var("z"), other.var("x"))
    assert text(PlainTerms(16)) == text(other)


def test_shared_terms_are_written_once() -> None:
    t = PlainTerms(8)
    word = t.var("x")
    for _ in range(60):
        word = t.fdiv(t.add(word, word), word)
    assert len(script(t, [t.eq(word, t.zero)]).text) < 20_000


PAIRS = {
    "a product": (
        "i2 = int_mul(i0, i1)",
        "i3 = int_add(i0, 1)\ni4 = int_mul(i3, i1)\ni2 = int_sub(i4, i1)",
        "i2 = int_add(i0, i1)",
    ),
    "bits": (
        "i2 = int_and(i0, i1)",
        "i3 = int_or(i0, i1)\ni4 = int_xor(i0, i1)\ni2 = int_sub(i3, i4)",
        "i2 = int_or(i0, i1)",
    ),
    "divisions": (
        "i2 = int_py_div(i0, 6)",
        "i3 = int_py_div(i0, 2)\ni2 = int_py_div(i3, 3)",
        "i2 = int_floordiv(i0, 6)",
    ),
    "high words": (
        "i2 = uint_mul_high(i0, i1)",
        "i3 = uint_mul_high(i1, i0)\ni2 = int_sub(i3, 0)",
        "i2 = uint_rshift(i0, 5)",
    ),
}


@pytest.mark.usefixtures("solver_alone")
@pytest.mark.parametrize("name", PAIRS)
def test_queries_are_answered_alike_by_all_solvers(name: str) -> None:
    before, *others = PAIRS[name]
    queries: list[Query] = []
    for after in others:
        texts = [f"[i0, i1]\n{body}\nfinish(i2)" for body in (before, after)]
        judge(*texts, word=8, observe=queries.append)
    answers = set()
    for query in queries:
        text = query.text.removesuffix("(check-sat)\n").split("\n", 1)[1]
        assert query.text.endswith("(check-sat)\n")
        replies = [ask(one, Script("QF_UFBV", text, "", {}, {}, 8)) for one in map(available, SOLVERS)]
        assert not any(isinstance(reply, GaveUp) for reply in replies), replies
        assert {reply is None for reply in replies} == {isinstance(query.answer, Unsat)}
        answers.add(type(query.answer))
    assert answers == {Sat, Unsat}


def test_terms_with_algebra_are_written_too() -> None:
    t = Terms(8)
    assert isinstance(Portfolio(t, SolverChoice.Z3).check([t.slt(t.var("x"), t.var("x"))], 1000, 1), Unsat)


@pytest.mark.parametrize("word", [16, 32, 64])
@pytest.mark.parametrize("store", ["", "setfield_gc(p0, 1.5, descr=S.x)\n"])
def test_what_memory_held_may_depend_on_a_float(word: int, store: str) -> None:
    header = f"+++\nword = {word}\n\n[struct.S]\n[struct.S.fields]\nx = 'float'\n+++\n[p0, p1, i2, i3]\n"
    body = f"{store}gc_store(p1, i2, i3, 1)\nf4 = getfield_gc_f(p0, descr=S.x)\nf5 = float_add(f4, f4)\nfinish(f5)"
    assert isinstance(judge(header + body, header + body), Proved)
