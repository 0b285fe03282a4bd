"""What holds for all commands of `traceproof`: help, and mistakes in their use and input."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import TRACE, Command

COMMANDS = [
    [],
    ["validate"],
    ["optimize"],
    ["run"],
    ["fuzz"],
    ["corpus"],
    ["corpus", "list"],
    ["corpus", "show"],
    ["corpus", "run"],
    ["corpus", "add"],
    ["corpus", "prune"],
    ["corpus", "export"],
    ["fuzz", "merge"],
    ["prove-rules"],
    ["ops"],
    ["audit"],
    ["report"],
    ["reduce"],
    ["pypy-log"],
    ["pypy-run"],
    ["init"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_says_how_to_use_it(command: list[str], traceproof: Command) -> None:
    ended = traceproof(*command, "--help")
    assert ended.code == 0
    assert ended.out.startswith("Usage: traceproof")
    assert " ".join(["traceproof", *command]) in ended.out.split("Usage:")[1] or command == ["validate"]
    assert " RANGE" not in ended.out
    assert not re.search(r"\w\.\.\.$", ended.out.partition("Commands:")[2], re.MULTILINE)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["optimise"], "No such command 'optimise'. Did you mean 'optimize'?"),
        (["frobnicate"], "No such command 'frobnicate'."),
        (["optimize"], "Missing argument 'IN'"),
        (["ops", "--width", "3"], "No such option '--width'"),
        (["ops", "--word", "3"], "3 is not in the range 4<=x<=64"),
        (["prove-rules", "no_rule"], "there is no rule 'no_rule'"),
        (["reduce", "seed-7"], "seed-7: there is neither a file nor a case in campaign/cases of that name"),
        (["reduce", "."], ".: there is no trace in this folder: a case has before.trace"),
    ],
)
def test_a_wrong_use_ends_with_2(args: list[str], message: str, traceproof: Command) -> None:
    ended = traceproof(*args)
    assert ended.code == 2
    assert message in ended.err


@pytest.mark.parametrize("command", ["optimize", "run"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "input.trace"),
        ("[i0]\ni1 = int_add(i0)\njump(i1)\n", "int_add takes 2 arguments, got 1"),
        ("[i0]\njump(i9)\n", "input.trace:2:6: i9 is not defined"),
    ],
)
def test_a_mistake_in_a_trace_ends_with_2(command: str, text: str, message: str, traceproof: Command) -> None:
    ended = traceproof(command, traceproof.write("input.trace", text))
    assert ended.code == 2
    assert message in ended.err
    assert ended.out == ""


@pytest.mark.parametrize("command", ["optimize", "run"])
def test_files_that_cannot_be_read_end_with_2(command: str, traceproof: Command) -> None:
    missing = traceproof(command, "missing.trace")
    assert (missing.code, missing.err) == (2, "error: missing.trace: there is no such file\n")
    folder = traceproof(command, ".")
    assert (folder.code, folder.err) == (2, "error: .: this is a directory, a file was expected\n")


@pytest.mark.parametrize(
    "operation", ["p1 = call_malloc_nursery(16)", "p1 = nursery_ptr_increment(p0, 8)", "cond_call_gc_wb(p0)"]
)
def test_what_is_not_modelled_ends_with_4_and_its_line(operation: str, traceproof: Command) -> None:
    file = traceproof.write("a.trace", f"[p0]\n{operation}\njump(p0)\n")
    name = operation.partition("(")[0].split()[-1]
    for command in (["optimize", file], ["run", file, "--input", "p0=NULL"], ["validate", file, file]):
        ended = traceproof(*command)
        assert ended.code == 4
        assert f"unsupported: line 2: {name}" in ended.out + ended.err


def test_a_name_that_looks_misspelt_is_told(traceproof: Command) -> None:
    text = '+++\n[struct.Node.fields]\nvalue = "int"\n+++\n[p0]\ni1 = getfield_gc_i(p0, descr=Node.vlaue)\njump(i1)\n'
    ended = traceproof("optimize", traceproof.write("a.trace", text))
    assert ended.code == 0
    assert ended.err == (
        "note: a.trace:6:30: Node is declared without a field vlaue, so this is memory of its own; "
        f"its fields are value\n    i1 = getfield_gc_i(p0, descr=Node.vlaue)\n{' ' * 33}^\n"
    )


def test_a_fault_of_ours_ends_with_5_and_names_a_report(traceproof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_args: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("optimizer.pipeline.run_passes", failing)
    ended = traceproof("optimize", traceproof.write("a.trace", TRACE))
    assert ended.code == 5
    assert ended.err.count("\n") == 1
    assert "internal error: ZeroDivisionError: planted; please report it with the file " in ended.err
    report = Path(ended.err.strip().split("the file ")[1])
    assert "Traceback" in report.read_text()
    report.unlink()


def test_optimizing_imports_neither_solver_nor_hypothesis(traceproof: Command) -> None:
    traceproof.write("a.trace", TRACE)
    code = (
        "import sys; from fuzz.command.main import main\n"
        "try: main(['optimize', 'a.trace'])\n"
        "except SystemExit: print({'z3', 'hypothesis'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
