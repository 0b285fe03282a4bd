"""The commands `ops` and `prove-rules`."""

from __future__ import annotations

import json

from commands import Command


def test_ops_prints_meanings(traceproof: Command) -> None:
    lines = traceproof("ops").out.splitlines()
    assert "r = int_add(a, b)                r = a + b" in lines
    assert "r = int_lshift(a, b)             r = a << b; defined if b <u WORD" in lines
    assert "r = int_add_ovf(a, b)            r = a + b; flag: overflows(a + b)" in lines
    assert "guard_true(a)                    passes if a == 1; defined if a == 0 or a == 1" in lines
    assert not any("getfield_gc_i" in line for line in lines)
    lines = traceproof("ops", "--all").out.splitlines()
    assert "r = getfield_gc_i(a)             load, on a heap" in lines
    assert "force_spill(...)                 not modelled" in lines


def test_ops_in_json(traceproof: Command) -> None:
    rows = {row["name"]: row for row in map(json.loads, traceproof("ops", "--all", "--json").out.splitlines())}
    assert rows["int_sub"]["meaning"] == {"result": "a - b"}
    assert rows["getfield_gc_i"]["modelled"] is False
    assert rows["getfield_gc_i"]["heap"] is True
    assert rows["int_sub"]["heap"] is False


def test_rules_are_proved(traceproof: Command) -> None:
    ended = traceproof("prove-rules", "add_zero")
    assert ended.code == 0
    first, second, last = ended.out.splitlines()
    assert first.startswith("add_zero                             proved at 64 bits by ")
    assert second == "    int_add(x, 0) => x"
    assert last == "1 rule: 1 proved at 64 bits, 0 at a small width only, 0 not settled, 0 wrong"
    told = json.loads(traceproof("prove-rules", "add_zero", "--json").out)
    assert (told["rule"], told["status"]) == ("add_zero", "proved")


def test_rules_that_are_written_on_the_command_line_are_proved(traceproof: Command) -> None:
    right = traceproof("prove-rules", "int_mul(x, C) => int_lshift(x, log2(C)) if is_power_of_two(C)")
    assert right.code == 0
    assert right.out.startswith("given                                proved at ")
    wrong = traceproof("prove-rules", "int_rshift(int_lshift(x, C), C) => x if uint_lt(C, WORD) and int_ge(x, 0)")
    assert wrong.code == 1
    assert " wrong at " in wrong.out
    assert " for x = " in wrong.out


def test_rules_tell_the_words_that_they_need(traceproof: Command) -> None:
    text = "int_mul(x, 8) => int_lshift(x, 3)"
    assert "and all inputs at 5 bits; it needs words of 5 bits or more (" in traceproof("prove-rules", text).out
    assert json.loads(traceproof("prove-rules", text, "--json").out)["min_word"] == 5


def test_values_on_which_a_rule_is_wrong(traceproof: Command) -> None:
    for text, shown, values in (
        ("float_add(x, 0.0) => x", "x = -0.0", {"x": "-0.0"}),
        ("float_eq(x, 1.1) => 0", "x = 1.1", {"x": "1.1"}),
        ("int_rshift(int_lshift(x, C), C) => x if int_eq(C, 1)", "x = -16, C = 1", {"x": -16, "C": 1}),
    ):
        assert f" bits for {shown}" in traceproof("prove-rules", text).out
        told = json.loads(traceproof("prove-rules", text, "--json").out)
        assert told["values"] == values
    assert json.loads(traceproof("prove-rules", "add_zero", "--json").out)["values"] == {}


def test_rules_that_are_none(traceproof: Command) -> None:
    for text, complaint in (
        ("int_add(x, y => x", "expected ')'"),
        ("int_sub(x, x) = 0", "expected `pattern => replacement`, found no =>"),
        ("add_zeroo", "there is no rule 'add_zeroo'"),
    ):
        ended = traceproof("prove-rules", text)
        assert ended.code == 2
        assert complaint in ended.err
