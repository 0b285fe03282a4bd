"""What is inferred along a trace: examples at 64 bits, and all inputs of random traces at small widths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

import pytest

from optimizer.facts.bounds_inference import BoundsInference
from optimizer.ir.domains.bounds import Bounds, bounds_domain
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.ops import OPS, Meaning, Op
from optimizer.ir.text import parse
from optimizer.ir.trace import ConstClass, ConstInt, Exit, Operation, Value, Var
from optimizer.pipeline import optimize

MAXINT = (1 << 63) - 1
MININT = -MAXINT - 1
PURE = [row for row in OPS.values() if row.is_pure and row.min_word <= 4]
GUARDS = {row.name: row for row in OPS.values() if row.is_guard and row.modelled}


def learn(known: BoundsInference, operation: Operation) -> bool:
    return known.assume_guard(operation) if operation.op.is_guard else known.define(operation)


def learned(text: str) -> BoundsInference:
    """What is known at the end of a trace of `ix` and `iy` where every guard has passed."""
    known = BoundsInference(64)
    for operation in parse("[ix, iy]\n" + text.replace("; ", "\n")).ops:
        learn(known, operation)
    return known


def bounds_of(name: str, text: str) -> Bounds:
    known = learned(text)
    assert not known.contradiction
    return known.bounds(Var(name))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("i1 = int_lt(ix, 10); guard_true(i1) []", MININT, 9),
        ("i1 = int_lt(ix, 10); guard_false(i1) []", 10, MAXINT),
        ("i1 = int_lt(10, ix); guard_true(i1) []", 11, MAXINT),
        ("i1 = int_ge(ix, 10); guard_false(i1) []", MININT, 9),
        ("i1 = int_le(ix, 10); guard_true(i1) []", MININT, 10),
        ("i1 = int_gt(ix, 10); i2 = int_is_zero(i1); guard_false(i2) []", 11, MAXINT),
        ("i1 = uint_lt(ix, 16); guard_true(i1) []", 0, 15),
        ("i1 = uint_ge(ix, 16); guard_false(i1) []", 0, 15),
        ("i1 = uint_gt(ix, -16); guard_true(i1) []", -15, -1),
        ("i1 = uint_lt(ix, -16); guard_true(i1) []", MININT, MAXINT),
        ("i1 = int_eq(ix, 7); guard_true(i1) []", 7, 7),
        ("i1 = int_ne(ix, 7); guard_false(i1) []", 7, 7),
        ("i1 = int_ge(ix, 7); guard_true(i1) []; i2 = int_ne(ix, 7); guard_true(i2) []", 8, MAXINT),
        ("i1 = int_is_zero(ix); guard_true(i1) []", 0, 0),
        ("i1 = int_is_true(ix); guard_false(i1) []", 0, 0),
        ("guard_value(ix, -3) []", -3, -3),
        ("guard_true(ix) []", 1, 1),
        ("guard_false(ix) []", 0, 0),
        ("i1 = int_force_ge_zero(ix); i2 = int_lt(i1, 5); guard_true(i2) []", MININT, 4),
        ("i1 = int_force_ge_zero(ix); guard_value(i1, 5) []", 5, 5),
        ("i1 = int_invert(ix); i2 = int_lt(i1, 0); guard_true(i2) []", 0, MAXINT),
        ("i1 = int_mul(ix, 3); guard_value(i1, 9) []", 3, 3),
        ("i1 = int_lshift(iy, ix)", 0, 63),
        ("i1 = int_rshift(ix, 4); i2 = int_lt(i1, 3); guard_true(i2) []", MININT, 47),
        ("i2 = int_ge(ix, 0); guard_true(i2) []; i1 = int_py_div(iy, ix)", 1, MAXINT),
        ("i1 = int_xor(ix, 5); guard_value(i1, 6) []", 3, 3),
        ("i1 = same_as_i(ix); guard_value(i1, 6) []", 6, 6),
        ("i1 = uint_rshift(ix, 62); guard_value(i1, 1) []", 1 << 62, MAXINT),
    ],
)
def test_a_guard_bounds_the_input(text: str, low: int, high: int) -> None:
    bounds = bounds_of("ix", text)
    assert (bounds.low, bounds.high) == (low, high)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        # Addition wraps: i0 = MAXINT must stay possible. So does negation, with MININT.
        ("i1 = int_add(ix, 10); i2 = int_lt(i1, 15); guard_true(i2) []", MININT, MAXINT),
        ("i1 = int_neg(ix); i2 = int_lt(i1, 0); guard_true(i2) []", MININT, MAXINT),
        ("i1 = int_add_ovf(ix, 10); guard_no_overflow() []; i2 = int_lt(i1, 15); guard_true(i2) []", MININT, 4),
        ("i1 = int_add_ovf(ix, 10); guard_no_overflow() []", MININT, MAXINT - 10),
        ("i1 = int_add_ovf(ix, 10); guard_overflow() []", MAXINT - 9, MAXINT),
        ("i1 = int_sub_ovf(ix, 10); guard_no_overflow() []", MININT + 10, MAXINT),
        ("i1 = int_sub_ovf(ix, 10); guard_overflow() []", MININT, MININT + 9),
        ("i1 = int_sub_ovf(0, ix); guard_no_overflow() []", MININT + 1, MAXINT),
        ("i1 = int_mul_ovf(ix, 12); guard_no_overflow() []", -(MAXINT // 12), MAXINT // 12),
        ("i1 = int_mul_ovf(ix, 12); guard_no_overflow() []; guard_value(i1, 12) []", 1, 1),
        (
            "i1 = int_mul_ovf(-5, ix); guard_no_overflow() []; i2 = int_gt(i1, 11); guard_true(i2) []",
            -(MAXINT // 5),
            -3,
        ),
    ],
)
def test_what_may_wrap_is_inverted_only_without_overflow(text: str, low: int, high: int) -> None:
    bounds = bounds_of("ix", text)
    assert (bounds.low, bounds.high) == (low, high)


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        # Behind a guard of the other signedness, and without what it leaves out in the middle.
        ("i1 = uint_gt(ix, 8189); guard_true(i1) []; i9 = uint_gt(ix, 5)", 1),
        ("i1 = uint_gt(ix, 8189); guard_true(i1) []; i9 = int_eq(ix, 8189)", 0),
        ("i1 = uint_gt(ix, 7); guard_true(i1) []; i2 = int_gt(ix, -5); guard_true(i2) []; i9 = int_eq(ix, 3)", 0),
        ("i1 = int_is_true(ix); guard_true(i1) []; i9 = int_is_zero(ix)", 0),
        ("i1 = int_is_true(ix); guard_true(i1) []; i2 = int_neg(ix); i9 = int_is_zero(i2)", 0),
        ("i1 = uint_lt(ix, -9); guard_true(i1) []; i9 = int_eq(ix, -1)", 0),
        ("i1 = uint_rshift(ix, 1); i2 = int_add(i1, i1); i9 = uint_lt(i2, -1)", 1),
    ],
)
def test_words_are_bounded_as_unsigned_too(text: str, truth: int) -> None:
    bounds = bounds_of("i9", text)
    assert (bounds.low, bounds.high) == (truth, truth)


def test_addition_of_bounded_words_is_exact_without_a_flag() -> None:
    text = "i0 = int_lt(ix, 9); guard_true(i0) []; i1 = int_add(ix, 10); i2 = int_ge(i1, 15); guard_true(i2) []"
    bounds = bounds_of("ix", text)
    assert (bounds.low, bounds.high) == (5, 8)


def test_a_product_of_12_and_a_wrapping_factor() -> None:
    bounds = bounds_of("ix", "i1 = int_mul(ix, 12); guard_value(i1, 12) []")
    d = bounds_domain(64)
    assert d.contains(bounds, 1)
    assert d.contains(bounds, 1 + (1 << 62))
    assert bounds.mask == 0b11 << 62


def test_known_bits_go_back() -> None:
    assert bounds_of("ix", "i1 = int_and(ix, 7); guard_value(i1, 3) []").bits.mask == MAXINT * 2 + 1 - 7
    assert bounds_of("ix", "i1 = int_and(ix, 7); guard_value(i1, 3) []").value == 3
    assert bounds_of("ix", "i1 = int_or(ix, 7); guard_value(i1, 15) []") == bounds_domain(64).reduce(8, 15, 8, 7)
    assert bounds_of("ix", "i1 = int_lshift(ix, 60); guard_value(i1, 0) []").value == 0
    assert bounds_of("ix", "i1 = int_lshift(ix, 60); guard_value(i1, 0) []").mask == MAXINT * 2 + 1 - 15
    assert bounds_of("ix", "i1 = int_signext(ix, 1); guard_value(i1, -1) []").value == 255
    assert bounds_of("ix", "i1 = int_add(ix, 1); i2 = int_and(i1, 3); guard_value(i2, 0) []").value == 3


def test_results() -> None:
    assert bounds_of("i1", "i1 = int_py_mod(ix, 8)") == bounds_domain(64).between(0, 7)
    assert bounds_of("i1", "i1 = int_force_ge_zero(ix)") == bounds_domain(64).between(0, MAXINT)
    bounded = "i0 = uint_lt(ix, 16); guard_true(i0) []; "
    assert bounds_domain(64).contains(bounds_of("i1", bounded + "i1 = int_lshift(0x1000000000000000, ix)"), 0)
    no_overflow = "i0 = int_add_ovf(ix, 10); guard_no_overflow() []; i1 = same_as_i(i0)"
    assert bounds_of("i1", no_overflow).low == MININT + 10


def test_a_fact_goes_back_four_definitions_and_no_further() -> None:
    text = "i1 = int_invert(ix); " + "; ".join(f"i{n} = int_invert(i{n - 1})" for n in range(2, 8))
    known = learned(text + "; guard_value(i7, 3) []")
    assert [known.bounds(Var(f"i{n}")).is_constant for n in range(1, 8)] == [False, False] + [True] * 5


@pytest.mark.parametrize(
    "text",
    [
        "guard_value(ix, 1) []; guard_value(ix, 2) []",
        "guard_always_fails() []",
        "i1 = int_lt(ix, 5); guard_true(i1) []; i2 = int_gt(ix, 7); guard_true(i2) []",
        "i1 = int_lshift(ix, 64)",
        "i1 = int_py_mod(ix, 0)",
        "i1 = int_and(ix, 4); guard_value(i1, 2) []",
        "i1 = int_lt(ix, 5); guard_true(i1) []; i2 = int_add_ovf(ix, 1); guard_overflow() []",
        "i1 = int_mul_ovf(ix, 12); guard_no_overflow() []; guard_value(i1, 13) []",
        "i1 = int_lt(-9223372036854775808, ix); guard_false(i1) []; guard_value(ix, 4) []",
    ],
)
def test_what_no_run_reaches_is_a_contradiction(text: str) -> None:
    known = learned(text)
    assert known.contradiction
    assert not known.define(parse("[i0]\ni5 = int_add(i0, 1)").ops[0])


def test_values_that_are_no_variables() -> None:
    known = BoundsInference(64)
    assert known.bounds(ConstInt(-4)) == bounds_domain(64).const(-4)
    assert known.bounds(ConstClass("Node")) == bounds_domain(64).top
    five = bounds_domain(64).const(5)
    assert known.assume(Var("ix"), five)
    assert known.truth(lambda d, a, b: d.slt(a, b), [Var("ix"), ConstInt(6)]) is True
    assert known.truth(lambda d, a, b: d.slt(a, b), [Var("ix"), Var("iy")]) is None
    assert not known.assume(ConstInt(4), five)


# Random traces. `Runs` holds the values of all variables on every input that gets to the place.

TESTS = [row for row in PURE if row.name.startswith(("int_lt", "int_ge", "int_eq", "int_ne", "uint_", "int_is"))]
WRAPPING = [row for row in PURE if row.overflows is not None]
FLAG_GUARDS = [row for row in GUARDS.values() if row.reads_flag]


@dataclass
class Runs:
    word: int
    runs: list[dict[str, int]]
    told: list[str] = field(default_factory=list)

    def words(self, values: tuple[Value, ...]) -> list[tuple[int, ...]]:
        """The words that these values are in each run."""
        columns = [
            [run[value.name] for run in self.runs] if isinstance(value, Var) else [int(str(value))] * len(self.runs)
            for value in values
        ]
        return list(zip(*columns, strict=True)) if columns else [()] * len(self.runs)

    def after(self, operation: Operation, flag_of: Operation | None) -> list[dict[str, int]]:
        """The runs that get past the operation."""
        d, row = concrete(self.word), operation.op
        given = self.words(operation.args)
        if row.reads_flag:
            assert flag_of is not None
            assert flag_of.op.overflows is not None
            given = [(flag_of.op.overflows(d, *args),) for args in self.words(flag_of.args)]
        past = []
        for run, args in zip(self.runs, given, strict=True):
            if row.defined is not None and not row.defined(d, *args):
                continue
            if row.passes is not None and not row.passes(d, *args):
                continue
            if row.meaning is not None and operation.result is not None:
                run = {**run, operation.result.name: row.meaning(d, *args)}
            past.append(run)
        return past


def an_operation(random: Random, runs: Runs) -> Operation:
    """Some pure operation or guard, mostly on what was computed last."""
    names = list(runs.runs[0])
    recent = [*names, *names[-3:], *names[-1:]]
    half = 1 << (runs.word - 1)

    def value(row: Op) -> Value:
        if random.random() < (0.5 if row in TESTS else 0.35):
            return ConstInt(random.choice((random.randrange(-half, half), random.randrange(min(half, 4)))))
        return Var(random.choice(recent))

    tests = [name for name in names if all(run[name] in (0, 1) for run in runs.runs)]
    if tests and random.random() < 0.5:
        guard = GUARDS[random.choice(("guard_true", "guard_false"))]
        return Operation(guard, (Var(random.choice([*tests, *tests[-1:] * 3])),), exit=Exit())
    if random.random() < 0.05:
        name = random.choice(recent)
        args = (Var(name), ConstInt(random.choice(runs.runs)[name]))
        return Operation(GUARDS["guard_value"], args, exit=Exit())
    row = random.choice(random.choice((PURE, PURE, TESTS, WRAPPING)))
    assert row.args is not None
    return Operation(row, tuple(value(row) for _ in row.args), Var(f"i{len(names)}"))


def operations(random: Random, runs: Runs) -> Iterator[Operation]:
    """Operations past which runs get, and now and then one past which none does; `runs` moves along."""
    flag_of: Operation | None = None
    for _ in range(random.randrange(4, 14)):
        operation = an_operation(random, runs)
        if flag_of is not None and random.random() < 0.8:
            operation = Operation(random.choice(FLAG_GUARDS), (), exit=Exit())
        past = runs.after(operation, flag_of)
        if not past and random.random() < 0.9:
            continue
        flag_of = operation if operation.op.overflows is not None else None
        runs.runs = past
        runs.told.append(f"{operation.result} = {operation.op.name}({', '.join(map(str, operation.args))})")
        yield operation
        if not past:
            return


def check(known: BoundsInference, runs: Runs) -> None:
    told = "\n".join(runs.told)
    assert not (known.contradiction and runs.runs), f"a run gets here:\n{told}"
    if not runs.runs:
        return
    d = bounds_domain(runs.word)
    for name in runs.runs[0]:
        bounds = known.bounds(Var(name))
        for value in {run[name] for run in runs.runs}:
            assert d.contains(bounds, value), f"{name} can be {value}, not in {bounds}:\n{told}"


def check_truth(random: Random, known: BoundsInference, runs: Runs) -> None:
    row = random.choice(PURE)
    assert row.meaning is not None
    meaning = row.meaning

    def is_true(d: Domain[Any, Any], *args: Any) -> Any:
        return d.ne(meaning(d, *args), d.const(0))

    conditions: list[Meaning | None] = [row.defined, row.overflows, is_true]
    names = list(runs.runs[0])
    assert row.args is not None
    args = [Var(random.choice(names)) for _ in row.args]
    for condition in filter(None, conditions):
        truth = known.truth(condition, args)
        if truth is None:
            continue
        for run in runs.runs:
            holds = condition(concrete(runs.word), *(run[arg.name] for arg in args))
            assert holds == truth, f"{row.name}{args}\n" + "\n".join(runs.told)


@pytest.mark.parametrize(("word", "inputs", "traces"), [(4, 2, 100), (5, 2, 35), (4, 3, 8)])
def test_all_runs_of_random_traces_are_within_their_bounds(word: int, inputs: int, traces: int) -> None:
    random = Random(f"{word} {inputs}")
    half = 1 << (word - 1)
    learned_something = 0
    for _ in range(traces):
        names = [f"i{n}" for n in range(inputs)]
        everything = [dict(zip(names, values, strict=True)) for values in product(range(-half, half), repeat=inputs)]
        runs, known = Runs(word, everything), BoundsInference(word)
        for operation in operations(random, runs):
            learn(known, operation)
            check(known, runs)
            if runs.runs and not known.contradiction:
                check_truth(random, known, runs)
        learned_something += any(known.bounds(Var(name)) != bounds_domain(word).top for name in names)
    assert learned_something > traces / 3


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("i1 = int_add(i0, 1)\ni2 = int_add(i0, 2)\nguard_value(i2, 5) []\n", "i1 = 4"),
        ("i1 = int_sub(7, i0)\nguard_value(i0, 5) []\n", "i1 = 2"),
        ("i3 = int_and(i0, 3)\ni1 = int_lshift(i3, 2)\nguard_value(i0, 7) []\n", "i1 = 12"),
        ("i1 = int_add_ovf(i0, 1)\nguard_no_overflow() []\ni2 = int_is_true(i0)\nguard_false(i2) []\n", "i1 = 1"),
        ("i3 = int_mul(i0, i0)\ni1 = int_mul(i3, 3)\nguard_value(i3, 4) []\n", "i1 = 12"),
    ],
)
def test_what_is_computed_of_a_constant_alone_is_one(text: str, given: str) -> None:
    trace = parse(f"[i0]\n{text}i9 = same_as_i(i1)\nfinish(i9)\n")
    assert f"i1 = {optimize(trace, ['guards', 'simplify']).end.args[0]}" == given


def test_a_long_chain_of_sums_becomes_constant() -> None:
    chain = "".join(f"i{n + 1} = int_xor(i{n}, 5)\n" for n in range(3000))
    trace = parse(f"[i0]\n{chain}guard_value(i0, 4) []\nfinish(i3000, i2999)\n")
    assert [str(value) for value in optimize(trace, ["guards"]).end.args] == ["4", "1"]
