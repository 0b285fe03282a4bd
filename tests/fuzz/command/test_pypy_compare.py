"""`traceproof pypy-log --compare`: what our optimizer leaves of recorded traces, and PyPy's does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import Command
from pypy_logs import BOX, COUNT, LOG, POINT, boxed, given_up, loop, recorded

OTHER = POINT.format(line=10)


def twice() -> str:
    """A loop in which PyPy's optimizer knows that a call gives the same again, and that no number is -5, but leaves a
    store that is done again."""
    return recorded(
        "[p0, i1]",
        POINT.format(line=9),
        "i2 = call_i(ConstClass(name), i1, descr=<Calli 8 i EF=2>)",
        "i3 = call_i(ConstClass(name), i1, descr=<Calli 8 i EF=2>)",
        f"setfield_gc(p0, i2, descr={COUNT})",
        f"setfield_gc(p0, i3, descr={COUNT})",
        OTHER,
        "i4 = int_add(i3, 0)",
        "i5 = int_eq(i4, -5)",
        "guard_false(i5)",
        "jump(p0, i4, descr=<Loop-1>)",
    ) + loop(
        "[p0, i1]",
        "+17: label(p0, i1, descr=TargetToken(140))",
        POINT.format(line=9),
        "+19: i2 = call_i(ConstClass(name), i1, descr=<Calli 8 i EF=2>)",
        f"+20: setfield_gc(p0, i2, descr={COUNT})",
        f"+21: setfield_gc(p0, i2, descr={COUNT})",
        OTHER,
        "+22: jump(p0, i2, descr=TargetToken(140))",
    )


def compared(traceproof: Command, log: str, *args: str) -> list[dict[str, Any]]:
    Path("run.log").write_text(log)
    out = traceproof("pypy-log", "run.log", "--compare", "--json", "--jobs", "1", *args).out
    return [json.loads(line) for line in out.splitlines()]


def test_what_one_of_both_leaves_is_told_by_operation_and_cause(traceproof: Command) -> None:
    one, figures = compared(traceproof, twice())
    left = [(each["left_by"], each["name"], each["about"]) for each in one["differences"]]
    assert left == [
        ("ours", "call_i", "of an input"),
        ("PyPy's", "setfield_gc", "into an input"),
        ("ours", "int_eq", "of int_add and a constant"),
        ("ours", "guard_false", "of int_eq"),
    ]
    assert [each["name"] for each in figures["causes"]] == ["call_i", "int_eq", "guard_false", "setfield_gc"]
    assert figures["counts"]["recorded"]["operations"] == 8
    assert figures["counts"]["ours"]["calls"] == 2
    assert figures["counts"]["PyPy"]["calls"] == 1


def test_the_tables_have_the_causes_with_the_shortest_pair(traceproof: Command) -> None:
    Path("run.log").write_text(boxed() + twice())
    code, out, err = traceproof("pypy-log", "run.log", "--compare", "--jobs", "1")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "run.log: 2 pairs"
    assert "       1 call_i <Calli 8 i EF=2>@name of an input\n" in out
    assert "         run.log 2, 8 operations: i3 = call_i(ConstClass(name), i1" in out
    assert "in all, PyPy's leaves, and ours does not: 1 setfield_gc\n" in out
    assert "stores                  3            2            1" in out


def test_of_several_logs_there_is_a_line_for_each(traceproof: Command) -> None:
    Path("one.log").write_text(boxed())
    Path("other.log").write_text(twice())
    out = traceproof("pypy-log", "one.log", "other.log", "--compare", "--jobs", "1").out
    (told,) = (line for line in out.splitlines() if line.startswith("other.log  "))
    assert told.split("  ")[-1].strip() == "2 -> 1 / 2"
    assert "stores                  3            2            1" in out
    data = json.loads(traceproof("pypy-log", "one.log", "other.log", "--compare", "--json").out.splitlines()[-1])
    assert data["logs"]["other.log"]["ours"]["calls"] == 2


def test_two_processes_say_the_same(traceproof: Command) -> None:
    once = compared(traceproof, boxed() + twice())
    Path("run.log").write_text(boxed() + twice())
    out = traceproof("pypy-log", "run.log", "--compare", "--json", "--jobs", "2").out
    assert [json.loads(line) for line in out.splitlines()] == once


def test_no_difference_is_told_of_what_is_put_off(traceproof: Command) -> None:
    box = "new_with_vtable(descr=<SizeDescr 16>)"
    log = recorded(
        "[p0, i1]",
        POINT.format(line=9),
        f"p2 = {box}",
        f"setfield_gc(p2, i1, descr={BOX})",
        OTHER,
        "i3 = int_add(i1, 1)",
        "jump(p2, i3, descr=<Loop-1>)",
    ) + loop(
        "[p0, i1]",
        "+17: label(p0, i1, descr=TargetToken(140))",
        POINT.format(line=9),
        OTHER,
        "+19: i3 = int_add(i1, 1)",
        f"+20: p4 = {box}",
        f"+21: setfield_gc(p4, i1, descr={BOX})",
        "+22: jump(p4, i3, descr=TargetToken(140))",
    )
    one, figures = compared(traceproof, log)
    assert one["differences"] == figures["causes"] == []


@pytest.mark.parametrize(
    ("done", "theirs"),
    [("int_sub(i1, 1)", "int_sub(i1, 1)"), ("int_mul(i1, 8)", "int_lshift(i1, 3)"), ("int_mul(i1, 8)",) * 2],
)
def test_no_difference_is_told_of_a_number_that_is_computed_in_another_way(
    traceproof: Command, done: str, theirs: str
) -> None:
    log = recorded("[p0, i1]", POINT.format(line=9), f"i2 = {done}", "jump(p0, i2, descr=<Loop-1>)") + loop(
        "[p0, i1]",
        "+17: label(p0, i1, descr=TargetToken(140))",
        POINT.format(line=9),
        f"+19: i2 = {theirs}",
        "+22: jump(p0, i2, descr=TargetToken(140))",
    )
    one, figures = compared(traceproof, log)
    assert figures["counts"]["ours"]["operations"] == figures["counts"]["PyPy"]["operations"] > 0
    assert one["differences"] == []


@pytest.mark.parametrize(("again", "theirs", "left"), [("3", "3", []), ("3", "4", ["ours"]), ("5", "3", ["ours"])])
def test_what_one_of_both_stores_first_and_the_other_one_last_is_no_difference(
    traceproof: Command, again: str, theirs: str, left: list[str]
) -> None:
    log = recorded(
        "[p0, i1]",
        POINT.format(line=9),
        "setarrayitem_gc(p0, 3, 7, descr=<ArrayS 8>)",
        "i2 = int_lt(i1, 9)",
        "guard_true(i2)",
        OTHER,
        f"setarrayitem_gc(p0, {again}, 7, descr=<ArrayS 8>)",
        "jump(p0, i1, descr=<Loop-1>)",
    ) + loop(
        "[p0, i1]",
        "+17: label(p0, i1, descr=TargetToken(140))",
        POINT.format(line=9),
        f"+18: setarrayitem_gc(p0, {theirs}, 7, descr=<ArrayS 8>)",
        "+19: i2 = int_lt(i1, 9)",
        "+20: guard_true(i2, descr=<Guard0x7f10>) [p0, i1]",
        OTHER,
        "+22: jump(p0, i1, descr=TargetToken(140))",
    )
    one, _ = compared(traceproof, log)
    assert [each["left_by"] for each in one["differences"]] == left


def test_a_pair_that_is_not_there_ends_with_2(traceproof: Command) -> None:
    Path("run.log").write_text(boxed())
    ended = traceproof("pypy-log", "run.log", "--compare", "--jobs", "1", "--only", "9")
    assert (ended.code, ended.err) == (2, "run.log: there is no pair 9: it has 1 pair\n")
    ended = traceproof("pypy-log", "run.log", "--compare", "--jobs", "1", "--only", "9", "--only", "1")
    assert ended.code == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_traces_without_a_pair_are_told(traceproof: Command, jobs: str) -> None:
    Path("run.log").write_text(LOG)
    told = "run.log:20: trace 2 has no pair: no optimized trace follows: PyPy gave it up, or the log has none\n"
    for only, pairs in (("--only", "2"), "0 pairs"), (("--only", "1", "--only", "2"), "1 pair"), ((), "3 pairs"):
        for how, code in ("--compare", 0), ("--prove", 0 if only else 1):
            ended = traceproof("pypy-log", "run.log", how, "--jobs", jobs, *only)
            assert (ended.code, ended.err) == (code, told)
            assert f"run.log: {pairs}, 1 trace without\n" in ended.out
    _, unpaired, *_, figures = compared(traceproof, LOG)
    assert (unpaired["log"], unpaired["number"], unpaired["line"]) == ("run.log", 2, 20)
    assert unpaired["unpaired"].startswith("no optimized trace follows")
    assert (figures["pairs"], figures["unpaired"]) == (3, 1)


def test_a_trace_that_is_not_whole_ends_with_2(traceproof: Command) -> None:
    Path("run.log").write_text(boxed() + given_up().partition("jump(")[0])
    ended = traceproof("pypy-log", "run.log", "--compare", "--jobs", "1")
    assert ended.code == 2
    assert "trace 2 has no pair" in ended.err


@pytest.mark.parametrize("log", ["", given_up()])
def test_a_log_without_pairs_ends_with_2(traceproof: Command, log: str) -> None:
    Path("run.log").write_text(log)
    ended = traceproof("pypy-log", "run.log", "--compare", "--jobs", "1")
    assert ended.code == 2
    assert ended.err.splitlines()[-1].startswith("run.log: ")


@pytest.mark.parametrize("option", [("--timeout", "3"), ("--extract", "out"), ("--prove",), ("--html", "x.html")])
def test_options_of_proofs_are_refused(traceproof: Command, option: tuple[str, ...]) -> None:
    Path("run.log").write_text(boxed())
    assert traceproof("pypy-log", "run.log", "--compare", *option).code == 2
