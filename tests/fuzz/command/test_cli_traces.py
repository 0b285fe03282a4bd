"""The commands `optimize` and `run`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from commands import OPTIMIZERS, TRACE, Command

# optimize


def test_optimize_prints_a_trace_that_is_proved_right(traceproof: Command) -> None:
    before = traceproof.write("before.trace", TRACE)
    printed = traceproof("optimize", before)
    assert printed.code == 0
    assert "int_add(" not in printed.out
    written = traceproof("optimize", before, "-o", "after.trace")
    assert (written.code, written.out, written.err) == (0, "", "")
    assert Path("after.trace").read_text() == printed.out
    assert sorted(os.listdir(".")) == ["after.trace", "before.trace"]
    assert traceproof("validate", before, "after.trace").code == 0


def test_what_another_optimizer_makes_of_a_trace(traceproof: Command) -> None:
    before = traceproof.write("before.trace", TRACE)
    traceproof.write("mine.py", OPTIMIZERS)
    ended = traceproof("optimize", before, "--optimizer", "mine:same")
    assert (ended.code, ended.out, ended.err) == (0, TRACE, "")
    crashed = traceproof("optimize", before, "--optimizer", "mine:crash", "-o", "after.trace")
    assert (crashed.code, crashed.out) == (1, "")
    assert crashed.err.startswith("error: the optimizer crashes: RuntimeError: planted")
    assert not Path("after.trace").exists()
    assert traceproof("optimize", before, "--optimizer-cmd", "false").code == 1


def test_objects_that_are_no_part_of_a_trace_are_told(traceproof: Command) -> None:
    text = "from dataclasses import replace\ndef odd(trace):\n    return replace(trace, inputs=(object(),))\n"
    traceproof.write("mine.py", text)
    before = traceproof.write("before.trace", TRACE)
    for command, code in (("optimize", 1), ("reduce", 0)):
        ended = traceproof(command, before, "--optimizer", "mine:odd")
        assert ended.code == code
        assert "malformed: expected a trace, got something that cannot be read" in ended.out + ended.err


def test_a_malformed_trace_is_shown_with_what_is_wrong(traceproof: Command) -> None:
    before = traceproof.write("before.trace", TRACE)
    traceproof.write("cut.py", "def cut(trace):\n    return trace.of(trace.ops[1:])\n")
    ended = traceproof("optimize", before, "--optimizer", "cut:cut")
    assert ended.code == 1
    assert ended.out.startswith("[i0, i1]\nguard_no_overflow()")
    assert ended.err.startswith("error: the optimizer's trace is malformed: ")


def test_what_another_optimizer_does_not_know_is_unsupported(traceproof: Command) -> None:
    before = traceproof.write("before.trace", TRACE)
    text = "from optimizer.ir.faults import Unsupported\n\ndef no(trace):\n    raise Unsupported('sums')\n"
    traceproof.write("limited.py", text)
    ended = traceproof("optimize", before, "--optimizer", "limited:no")
    assert (ended.code, ended.out, ended.err) == (4, "", "error: unsupported: the optimizer: sums\n")


def test_passes_are_those_of_our_optimizer(traceproof: Command) -> None:
    before = traceproof.write("before.trace", TRACE)
    for options in (("--stats",), ("--peel",), ("--passes", "fold")):
        ended = traceproof("optimize", before, "--optimizer", "mine:same", *options)
        assert ended.code == 2
        assert "are for our own optimizer" in ended.err


def test_traces_are_translated_from_the_toy_dialect_and_into_it(traceproof: Command) -> None:
    toy, ours = "v0 = getarg(0)\nv1 = neg(v0)\nescape(v1)\n", "[i0]\nv1 = int_neg(i0)\nescape_n(v1)\nfinish()\n"
    assert traceproof("toy", traceproof.write("toy.trace", toy))[:2] == (0, ours)
    assert traceproof("toy", traceproof.write("ours.trace", ours), "-o", "back.trace")[:2] == (0, "")
    assert Path("back.trace").read_text() == toy
    wrong = traceproof("toy", traceproof.write("wrong.trace", "v0 = getarg(0)\nv1 = frob(v0)\n"))
    assert wrong.code == 2
    assert wrong.err.startswith("error: wrong.trace:2:6: there is no operation frob")
    assert traceproof("toy", traceproof.write("floats.trace", "[f0]\nf1 = float_neg(f0)\n")).code == 4


def test_optimize_with_some_passes(traceproof: Command) -> None:
    before = traceproof.write("before.trace", TRACE)
    assert "int_add(" in traceproof("optimize", before, "--passes", "cse").out
    wrong = traceproof("optimize", before, "--passes", "cse,magic")
    assert wrong.code == 2
    assert "there is no pass 'magic'; the passes are " in wrong.err


def test_optimize_tells_what_it_did(traceproof: Command) -> None:
    ended = traceproof("optimize", traceproof.write("before.trace", TRACE), "--stats")
    assert ended.err.startswith("operations: 7 before, 6 after\nguards: 2 before, 2 after\n")
    assert "simplify: operations -1, guards 0\n     1 add_zero\n" in ended.err
    assert ended.out.startswith("[i0, i1]\n")


def test_optimize_tells_of_a_guard_that_always_fails(traceproof: Command) -> None:
    text = "[i0]\ni1 = int_lt(i0, i0)\nguard_true(i1) [i0]\njump(i0)\n"
    ended = traceproof("optimize", traceproof.write("before.trace", text))
    assert (ended.code, ended.err) == (0, "always fails: guard 0\n")


def test_output_that_cannot_be_written_ends_with_2(traceproof: Command) -> None:
    before = traceproof.write("before.trace", TRACE)
    ended = traceproof("optimize", before, "-o", "nowhere/after.trace")
    assert ended.code == 2
    assert ended.err.startswith("error: nowhere/after.trace: ")


# run


def test_run_shows_values_events_and_the_end(traceproof: Command) -> None:
    ended = traceproof("run", traceproof.write("a.trace", TRACE), "--input", "i0=5,i1=0x10", "--results", "7")
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "i0 = 5",
        "i1 = 16",
        "i2 = 15",
        "i3 = 15",
        "i4 = 7",
        "i5 = 1",
        "event 0: escape_i(15)",
        "jump(15, 7)",
    ]


def test_run_shows_the_trace_with_its_values(traceproof: Command) -> None:
    ended = traceproof("run", traceproof.write("a.trace", TRACE), "--input", "i0=5", "--input", "i1=-1", "--trace")
    assert ended.out.splitlines() == [
        "[i0, i1]",
        "i2 = int_add_ovf(i0, 10)  # 15",
        "guard_no_overflow() [i0, i1]  # passes",
        "i3 = int_add(i2, 0)  # 15",
        "i4 = escape_i(i3)  # event 0 (15) = 0",
        "i5 = int_lt(i4, i1)  # 0",
        "guard_true(i5) [i3, None]  # fails, hands over (15, -)",
        "jump(i3, i4)",
        "guard 1 fails and hands over (15, None)",
    ]


def test_run_in_json(traceproof: Command) -> None:
    ended = traceproof("run", traceproof.write("a.trace", TRACE), "--input", "i0=5 i1=99", "--json")
    told = json.loads(ended.out)
    assert (told["ended"], told["args"]) == ("jump", [15, 0])
    assert told["events"] == [{"name": "escape_i", "args": [15]}]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "the input i0 has no value; give one with --input i0=VALUE"),
        (["i0=5"], "the input i1 has no value; give one with --input i1=VALUE"),
        (["i0"], "--input: expected NAME=VALUE, got i0; the inputs are i0, i1"),
        (["i7=1"], "--input: there is no input i7; the inputs are i0, i1"),
        (["i0=1,i0=2"], "--input: i0 is given twice"),
        (["i0=x"], "--input i0: expected a number, got 'x'"),
        (["i0=" + str(1 << 63)], f"--input i0: expected a machine int of 64 bits, got {1 << 63}"),
    ],
)
def test_run_needs_a_value_for_each_input(inputs: list[str], message: str, traceproof: Command) -> None:
    options = [part for text in inputs for part in ("--input", text)]
    ended = traceproof("run", traceproof.write("a.trace", TRACE), *options)
    assert (ended.code, ended.err) == (2, f"error: {message}\n")


def test_run_takes_bit_patterns_of_the_word(traceproof: Command) -> None:
    trace = traceproof.write("a.trace", "[i0]\nfinish(i0)\n")
    assert "i0 = -1\n" in traceproof("run", trace, "--word", "8", "--input", "i0=0xff").out
    assert traceproof("run", trace, "--word", "8", "--input", "i0=0x100").code == 2


def test_run_tells_where_a_trace_is_undefined(traceproof: Command) -> None:
    trace = traceproof.write("a.trace", "[i0]\ni1 = int_lshift(1, i0)\nfinish(i1)\n")
    ended = traceproof("run", trace, "--input", "i0=64")
    assert ended.out.endswith("operation 0 is undefined: the amount is outside [0, WORD)\n")
