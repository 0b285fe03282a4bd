"""The law of the table, and that each rule fires in the optimizer as a whole and is right there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from itertools import islice, product
from random import Random

import pytest
from agreement import assert_agree, random_inputs

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rows.ops import OPS, Op
from optimizer.ir.rules.language import Rule, RuleError, rule
from optimizer.ir.rules.terms import (
    Apply,
    Constant,
    FloatLiteral,
    Literal,
    Term,
    Variable,
    applications,
    evaluate,
    holds,
    is_constant,
    named_leaves,
)
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.pipeline import run_passes
from optimizer.rules.table import RULES

NAMED = {made.name: made for made in RULES}


# The law.


def test_names_are_unique() -> None:
    assert len(NAMED) == len(RULES)


COSTS = {"int_mul": 1, "int_mul_ovf": 1, "uint_mul_high": 1, "int_py_div": 2, "int_py_mod": 2} | dict.fromkeys(
    ("int_floordiv", "int_mod", "uint_floordiv"), 2
)


@pytest.mark.parametrize("name", NAMED)
def test_no_rule_makes_it_worse(name: str) -> None:
    made = NAMED[name]
    operations = [use for use in applications(made.replacement) if not is_constant(use)]
    assert len(operations) <= 1
    assert all(COSTS.get(use.op.name, 0) <= COSTS.get(made.pattern.op.name, 0) for use in operations)


def variables(terms: tuple[Term, ...]) -> set[str]:
    return {arg.name for arg in terms if isinstance(arg, Variable)}


def looks_inside(made: Rule) -> bool:
    """Do the replacement's variables all stand in the pattern's arguments, and new ones inside those that are gone?"""
    assert isinstance(made.replacement, Apply)
    before, after = variables(made.pattern.args), variables(made.replacement.args)
    inner = [arg for arg in made.pattern.args if isinstance(arg, Apply)]
    below = {leaf.name for arg in inner for leaf in named_leaves(arg)}
    return bool(inner) and after - before <= below


def turns_constant(made: Rule) -> bool:
    """`op(C, x) => op'(x, C)`"""
    match made.pattern.args, made.replacement:
        case (Constant(c), Variable(x)), Apply(_, (Variable(y), Constant(d))):
            return (c, x) == (d, y)
    return False


def test_it_ends() -> None:
    turned = {made.pattern.op for made in RULES if turns_constant(made)}
    below: dict[Op, set[Op]] = {}
    for made in RULES:
        if not isinstance(made.replacement, Apply) or is_constant(made.replacement):
            continue
        if looks_inside(made) or turns_constant(made):
            continue
        before, after = variables(made.pattern.args), variables(made.replacement.args)
        assert after <= before, f"{made.name} has new arguments"
        if after == before:
            first = made.replacement.args[0]
            assert made.replacement.op not in turned or not is_constant(first), f"{made.name} turns a constant left"
            below.setdefault(made.pattern.op, set()).add(made.replacement.op)
    TopologicalSorter(below).prepare()


@pytest.mark.parametrize(
    "row", [row for row in OPS.values() if row.commutative and row.is_pure], ids=lambda row: row.name
)
def test_commutative_rows_have_constants_on_the_right(row: Op) -> None:
    assert any(made.pattern.op is row and turns_constant(made) for made in RULES)


# The language.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int_add(x, 0)", "expected `pattern => replacement`"),
        ("x => x", "expected an operation as the pattern"),
        ("int_add(x) => x", "int_add takes 2 arguments, got 1"),
        ("int_plus(x, y) => x", "found int_plus"),
        ("int_add(x, y) => z", "z does not stand in the pattern"),
        ("int_add(x, 0x1ffffffffffffffff) => x", "has more than 64 bits"),
        ("int_add(x, 9223372036854775808) => x", "is outside the range of a machine int of 64 bits"),
        ("int_add(x, 0x) => x", "expected a number"),
        ("int_add(x, 0) = x", "found no =>"),
        ("int_add(x, y) => int_add(int_neg(x), y)", "one operation on values and computed constants"),
        ("int_mul(x, log2(C)) => x", "a named function cannot be matched"),
        ("int_add(x, y) => int_add_ovf(x, y)", "only an overflow operation can become one"),
        ("guard_true(x) => x", "a guard becomes a guard"),
        ("int_add(x, y) => x y", "expected the end of the term, found 'y'"),
        ("int_add(x, y => x", "expected ')' behind the arguments of int_add"),
        ("int_add(x, ) => x", "expected a name, found ')'"),
        ("int_add(x, ?) => x", "expected a term, found '?)'"),
        ("getfield_gc_i(x) => x", "found getfield_gc_i"),
        ("add(x, y) => int_add(x, y)", "on operations or on terms"),
        ("int_add(x, y) => add(x, y)", "on operations or on terms"),
        ("slt(x, y) => x", "a condition becomes a condition"),
        ("add(x, y) => slt(x, y)", "a condition becomes a condition"),
        ("exact_add(x, y) => add(y, x)", "what is exact stands inside of a pattern"),
        ("exact_neg(x) => x", "found exact_neg"),
        ("add(x, C) => least(x)", "a guess is no condition"),
    ],
)
def test_what_is_no_rule(text: str, expected: str) -> None:
    with pytest.raises(RuleError) as caught:
        rule("wrong", text)
    assert str(caught.value).startswith("rule wrong: ")
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("number", "least"),
    [("7", 4), ("-8", 4), ("8", 5), ("-9", 5), ("0x10", 6), ("0xfffffffffffffff0", 5), ("MININT", 4), ("0x7f", 8)],
)
def test_a_rule_needs_words_that_have_its_numbers(number: str, least: int) -> None:
    assert rule("any", f"int_add(x, {number}) => x").min_word == least
    assert rule("any", "int_add(x, C) => x", f"int_eq(C, {number})").min_word == least


def test_numbers_are_written_as_in_traces() -> None:
    numbers = "0x10", "0xfffffffffffffff0", "-8"
    assert [evaluate(rule("any", f"int_neg(x) => {text}").replacement, concrete(64), {})[0] for text in numbers] == [
        16,
        -16,
        -8,
    ]
    floats = "1e300", "inf", "-inf", "nan", "-0.0"
    terms = [rule("any", f"float_neg(x) => {text}").replacement for text in floats]
    assert [str(term.value) for term in terms if isinstance(term, FloatLiteral)] == ["1e+300", *floats[1:]]


@pytest.mark.parametrize("word", [4, 8, 64])
def test_the_named_functions(word: int) -> None:
    d = concrete(word)
    made = rule("any", "int_add(C, D) => 0", "is_power_of_two(C)", "int_eq(log2(C), D)")
    for place in range(word):
        leaves = {"C": d.const(1 << place), "D": place}
        assert holds(made.conditions, d, leaves)
        assert not holds(made.conditions, d, {**leaves, "D": place + 1})
    for number in (0, 3, -2, 6):
        assert not holds(made.conditions[:1], d, {"C": number, "D": 0})


# Each rule fires.

SETUPS = {
    "anything": "",
    "not negative": "{v}_t = int_ge({v}, 0)\nguard_true({v}_t) []\n",
    "negative": "{v}_t = int_lt({v}, 0)\nguard_true({v}_t) []\n",
    "truth": "{v} = int_and({v}_in, 1)\n",
    "small": "{v} = int_and({v}_in, 7)\n",
    "low bits set": "{v} = int_or({v}_in, 15)\n",
    "large": "{v}_t = int_gt({v}, 31)\nguard_true({v}_t) []\n",
}
"""Ways to make an input `v` what a condition wants it to be; one that defines it reads `v_in`."""

WORD = 64
NUMBERS = (3, 1, 2, 0, 5, 7, 8, 12, 62, 63, -1, -2, -3, -8, (1 << 63) - 1, -1 << 63)


@dataclass
class Draft:
    """The text of a trace that is being written for a rule."""

    constants: Mapping[str, int]
    lines: list[str] = field(default_factory=list)
    names: int = 0

    def value(self, term: Term) -> str:
        match term:
            case Variable(name):
                return f"i_{name}"
            case Constant(name):
                return str(self.constants[name])
            case Literal(_, number):
                return str(concrete(WORD).const(number(WORD)))
            case Apply():
                return self.use(term)
        raise AssertionError(term)

    def use(self, term: Apply) -> str:
        args = ", ".join([self.value(arg) for arg in term.args])
        if term.op.is_guard:
            self.lines.append(f"{term.op.name}({args}) []")
            return ""
        self.names += 1
        result = f"i{self.names}"
        self.lines.append(f"{result} = {term.op.name}({args})")
        if term.op.overflows is not None:
            self.lines.append("guard_no_overflow() []")
        return result


def drafts(made: Rule) -> Iterator[Trace]:
    """Traces in which the pattern occurs, with constants and setups of its values on which it might be rewritten."""
    constants = sorted({leaf.name for leaf in named_leaves(made.pattern) if isinstance(leaf, Constant)})
    names = sorted({leaf.name for leaf in named_leaves(made.pattern) if isinstance(leaf, Variable)})
    open_conditions = any(not is_constant(condition) for condition in made.conditions)
    closed = tuple(condition for condition in made.conditions if is_constant(condition))
    for setups in product(SETUPS.values() if open_conditions else [""], repeat=len(names)):
        for numbers in product(NUMBERS, repeat=len(constants)):
            known = dict(zip(constants, numbers, strict=True))
            if holds(closed, concrete(WORD), known):
                yield write(made, dict(zip(names, setups, strict=True)), known)


def write(made: Rule, setups: Mapping[str, str], constants: Mapping[str, int]) -> Trace:
    header, body = [], ""
    for name, setup in setups.items():
        header.append(f"i_{name}_in" if "{v}_in" in setup else f"i_{name}")
        body += setup.format(v=f"i_{name}")
    draft = Draft(constants)
    result = draft.use(made.pattern)
    lines = "\n".join(draft.lines)
    return parse(f"[{', '.join(header)}]\n{body}{lines}\nfinish({result})\n")


@pytest.mark.parametrize("name", NAMED)
def test_each_rule_fires_and_is_right(name: str) -> None:
    random = Random(0)
    for trace in drafts(NAMED[name]):
        done = run_passes(trace)
        if done.fired[name]:
            assert assert_agree(trace, done.trace, random_inputs(trace, 60, random))
            return
    pytest.fail(f"{name} never fires: other rules or passes hide it")


OF_BOUNDS = frozenset(
    re.findall(
        r"\w+",
        """
    mul_zero mul_one umulh_zero umulh_one add_ovf_zero mul_ovf_zero mul_ovf_one and_zero and_all or_zero or_all
    zero_lshift zero_rshift minus_one_rshift zero_urshift zero_py_div py_mod_minus_one zero_py_mod zero_floordiv
    mod_one mod_minus_one zero_mod zero_udiv udiv_of_less lt_self le_self gt_self ge_self eq_self ne_self ult_self
    ule_self ugt_self uge_self lt_least gt_greatest le_greatest ge_least ult_least ugt_greatest ule_greatest uge_least
    force_negative guard_true_is_zero_of_truth
    """,
    )
)
"""Rules that bounds, orders and other rules make up for: they are there for a table that is whole by itself."""


@pytest.mark.parametrize("name", NAMED)
def test_each_rule_does_what_nothing_else_does(name: str) -> None:
    """Or is told as one that does not: of two rules that overlap, each must have traces of its own."""
    done = ((trace, run_passes(trace)) for trace in islice(drafts(NAMED[name]), 400))
    fired = ((trace, one.trace) for trace, one in done if one.fired[name])
    own = any(run_passes(trace, without_rules=[name]).trace != after for trace, after in islice(fired, 26))
    assert own == (name not in OF_BOUNDS)
