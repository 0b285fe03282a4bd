"""What an optimizer misses: proved, small, and counted by shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command

from fuzz.mine.chances import Chance, Instead, cost, first_chance, is_proved
from fuzz.mine.mining import Groups, Mined, Source, mine
from fuzz.mine.smallest import is_missed, left_by, rule_of, shape, told
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.pipeline import optimize

LIMIT_S = 60.0

MISSED = {
    "a constant": ("[i0]\ni1 = int_sub(i0, i0)\nfinish(i1)", "int_sub(x, x) => 0"),
    "an earlier value": ("[i0]\ni1 = int_add(i0, 0)\nfinish(i1)", "int_add(x, 0) => x"),
    "one operation for two": (
        "[i0, i1]\ni2 = int_and(i0, i1)\ni3 = int_xor(i0, i2)\ni4 = int_xor(i3, i0)\nfinish(i4)",
        "int_xor(int_xor(x, int_and(x, y)), x) => int_and(x, y)",
    ),
    "a guard": ("[i0]\ni1 = int_or(i0, 1)\ni2 = int_is_true(i1)\nguard_true(i2) [i0]\nfinish(i0)", ""),
    "a store": (
        "+++\n[struct.Node]\nfields = { value = 'int' }\n+++\n[p0, i1]\n"
        "setfield_gc(p0, 3, descr=Node.value)\nsetfield_gc(p0, i1, descr=Node.value)\nfinish(p0)",
        "",
    ),
    "a load": (
        "+++\n[struct.Node]\nfields = { value = 'int' }\n+++\n[p0, i1]\n"
        "setfield_gc(p0, i1, descr=Node.value)\ni2 = getfield_gc_i(p0, descr=Node.value)\nfinish(i2)",
        "",
    ),
}


def nothing(trace: Trace) -> Trace:
    """An optimizer that leaves everything as it is."""
    return trace


@pytest.mark.parametrize("name", MISSED)
def test_what_is_missed_is_found_and_proved(name: str) -> None:
    text, rule = MISSED[name]
    trace = parse(text)
    chance = first_chance(trace)
    assert chance is not None
    assert is_proved(chance.trace, chance.better)
    assert cost(chance.better) < cost(trace)
    if rule:
        assert str(rule_of(chance)) == rule
    assert first_chance(optimize(trace)) is None


def test_what_is_found_is_small_and_found_once() -> None:
    noise = "\n".join(f"i{k} = int_mul(i{k - 1}, {k + 2})" for k in range(2, 9))
    trace = parse(
        f"[i0, i1]\n{noise}\ni9 = int_lt(i8, 4)\nguard_true(i9) [i0, i8]\ni10 = int_sub(i0, 0)\nfinish(i10, i8)"
    )
    found = mine(Source("one", trace), nothing, LIMIT_S)
    (missed,) = found.missed
    assert missed.lines == ("[i0]", "i1 = int_sub(i0, 0)", "finish(i1)")
    assert (missed.better, missed.rule) == ("i1 = int_sub(i0, 0)  # is i0", "int_sub(x, 0) => x")


def test_nothing_is_missed_that_the_optimizer_finds_by_itself() -> None:
    trace = parse(
        "[i0, p1, p2]\nsetarrayitem_gc(p2, 3, p1, descr=refs)\nguard_gc_type(p1, 1) []\nguard_false(i0) []\n"
        "guard_gc_type(p1, 1) []\nfinish()"
    )
    chance = Chance(trace, Instead(trace.ops[3].line, None))
    assert is_missed(chance, nothing)
    assert cost(chance.better) < cost(optimize(trace)), "exit blocks have the store, too"
    assert not is_missed(chance, optimize)


def test_nothing_is_told_that_is_not_always_so() -> None:
    """A guess that all runs of a small range bear out is still only a guess."""
    trace = parse("[i0]\ni1 = int_eq(i0, 7723462346264)\nguard_false(i1) [i0]\nfinish(i0)")
    assert first_chance(trace) is None


def test_names_and_numbers_make_no_other_shape() -> None:
    shapes = []
    for name, number in (("i0", 5), ("i7", 77)):
        chance = first_chance(
            parse(f"[{name}]\ni1 = int_and({name}, {number})\ni2 = int_and(i1, {number})\nfinish(i2)")
        )
        assert chance is not None
        shapes.append(shape(chance))
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize(
    "text",
    [
        "+++\nword = 4\n+++\n[i0]\ni1 = int_lshift(i0, 3)\ni2 = int_lshift(i1, 1)\nfinish(i2)\n",
        '+++\n[struct.Node]\nfields = { tag = "u8" }\n+++\n'
        "[p0]\ni1 = getfield_gc_i(p0, descr=Node.tag)\ni2 = int_and(i1, 255)\nfinish(i2)\n",
        "[i0]\ni1 = int_and(i0, -1)\nguard_true(i0) [i2] {\n    i2 = int_add(i0, 5)\n}\nfinish(i1)\n",
    ],
)
def test_the_lines_are_the_whole_trace(text: str) -> None:
    """The width of its words, its declarations and its exit blocks."""
    chance = first_chance(parse(text))
    assert chance is not None
    assert "\n".join((*told(chance)[0], "")) == text


def test_shapes_are_counted_by_traces() -> None:
    groups = Groups()
    for source in ("one", "two"):
        trace = parse("[i0]\ni1 = int_add(i0, 0)\ni2 = int_add(i1, 0)\nfinish(i2)")
        groups.add(mine(Source(source, trace), nothing, LIMIT_S))
    (group,) = groups.by_frequency()
    assert (group.sources, group.count) == ({"one", "two"}, 4)


def test_an_optimizer_that_fails_is_a_campaigns_business() -> None:
    def fails(trace: Trace) -> Trace:
        raise ValueError

    trace = parse("[i0]\nfinish(i0)")
    assert left_by(fails, trace) is None
    assert mine(Source("one", trace), fails, LIMIT_S) == Mined("one", None)


def test_the_command(traceproof: Command) -> None:
    ended = traceproof("mine", "--seed", "7", "--traces", "2", "--jobs", "1")
    assert ended.code == 0
    assert ended.out.splitlines()[-1] == "repeat with: traceproof mine --seed 7 --traces 2"
    *found, last = map(json.loads, traceproof("mine", "--seed", "7", "--traces", "2", "--json").out.splitlines())
    assert (last["seed"], last["traces"]) == (7, 2)
    assert sum(one["count"] for one in found) <= last["found"]


def test_the_command_without_traces(traceproof: Command, tmp_path: Path) -> None:
    assert traceproof("mine", "no-such-file.trace").code == 2
    ended = traceproof("mine", "--jobs", "2", "--optimizer", "no_such_module:optimize")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "error: --optimizer: there is no module no_such_module in this folder, and none is installed\n"
    (tmp_path / "bad.trace").write_text("[i0]\ni1 = int_add(i0\n")
    ended = traceproof("mine", str(tmp_path / "bad.trace"))
    assert (ended.code, ended.err.splitlines()[-1]) == (2, "there are no traces")
    ended = traceproof("mine", "--traces", "2", "--seed", "1", "--optimizer-cmd", "false")
    assert (ended.code, ended.err) == (2, "the optimizer failed on every trace\n")


def test_the_search_in_a_trace_ends_when_it_is_late() -> None:
    trace = parse("[i0]\ni1 = int_add(i0, 7)\ni2 = int_sub(i1, i1)\nfinish(i1, i2)\n")
    assert first_chance(trace) is not None
    assert first_chance(trace, is_late=lambda: True) is None
