"""What an optimizer has changed, as it can be seen from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command

from fuzz.campaign.changes import HandedBack, Seen, is_changed
from fuzz.draw.generator import generate_for
from optimizer.ir.text import format_trace, parse

BEFORE = "[i0, i1]\ni2 = int_add(i0, i1)\ni3 = int_lt(i2, 5)\nguard_true(i3) [i2]\njump(i2, i1)\n"


def test_names_and_origins_are_no_change() -> None:
    after = "[i7, i2]\ni1 = int_add(i7, i2)\ni0 = int_lt(i1, 5)\nguard_true(i0, origin=0) [i1]\njump(i1, i2)\n"
    assert not is_changed(parse(BEFORE), parse(after))
    for seed in range(60):
        trace = generate_for(seed).trace
        again = parse(format_trace(trace), word=trace.word, types=trace.declarations)
        assert not is_changed(trace, again)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int_add(i0, i1)", "int_add(i1, i0)"),
        ("int_add", "int_sub"),
        ("5", "6"),
        ("[i2]", "[i1]"),
        ("jump(i2, i1)", "jump(i2, i0)"),
        ("jump", "finish"),
        ("guard_true(i3) [i2]\n", ""),
    ],
)
def test_all_else_is_one(old: str, new: str) -> None:
    assert is_changed(parse(BEFORE), parse(BEFORE.replace(old, new)))


def test_what_was_handed_back_is_told() -> None:
    told, seen = HandedBack(), Seen()
    other = parse("[i0]\ni1 = int_neg(i0)\njump(i1)\n")
    told.add(True, seen.new(parse(BEFORE), True))
    assert told.sentence(9) == "handed back unchanged: 0 % of 1"
    for _ in range(3):
        told.add(False, seen.new(other, False))
    told.add(None, ())
    assert told.sentence(9) == "handed back unchanged: 75 % of 4; never in a changed trace: int_neg"
    assert told.sentence(0) == "handed back unchanged: 75 % of 4; never in a changed trace: and 1 more"
    assert seen.new(other, False) == ()
    assert seen.new(other, True) == ("int_neg",)


OPTIMIZERS = """
from dataclasses import replace
from optimizer import optimize
from optimizer.ir.trace import all_operations

def same(trace):
    return trace

def some(trace):
    return trace if any(op.op.name == "int_mul" for op in all_operations(trace)) else optimize(trace)
"""


def test_a_campaign_says_what_was_handed_back(traceproof: Command) -> None:
    traceproof.write("mine.py", OPTIMIZERS)
    arguments = ("fuzz", "--seed", "1", "--traces", "120", "--kinds", "integers", "--optimizer")
    same = traceproof(*arguments, "mine:same")
    assert "\n  handed back unchanged: 100 % of 120; never in a changed trace: finish, " in same.out
    assert same.err.startswith("warning: the optimizer has handed back all of 120 traces unchanged")
    some = traceproof(*arguments, "mine:some", "--folder", "some")
    assert some.err == ""
    (line,) = [line for line in some.out.splitlines() if "handed back" in line]
    assert line.endswith("never in a changed trace: int_mul")
    assert line in f"  {Path('some/report/summary.md').read_text()}".replace("- handed", "  handed").replace("\\", "")
    assert "Never in a changed trace" in Path("some/report/index.html").read_text().replace("never", "Never")
    told = json.loads(traceproof("fuzz", "--resume", "--folder", "some", "--json").out.splitlines()[-1])
    assert told["never_changed"] == ["int_mul"]
    assert 0 < told["unchanged"] < 120


def test_our_own_optimizer_is_not_asked(traceproof: Command) -> None:
    told = traceproof("fuzz", "--seed", "1", "--traces", "3")
    assert "handed back" not in told.out
