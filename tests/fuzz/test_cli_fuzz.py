"""The command `traceproof`: what it prints, what it writes, and what it ends with."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from fuzz.cli import main
from fuzz.coverage import all_coverage
from fuzz.generate import generate_for
from fuzz.results import read_results
from fuzz.store import read_case
from optimizer.ir.text import format_trace

TRACE = """\
[i0, i1]
i2 = int_add_ovf(i0, 10)
guard_no_overflow() [i0, i1]
i3 = int_add(i2, 0)
i4 = escape_i(i3)
i5 = int_lt(i4, i1)
guard_true(i5) [i3, None]
jump(i3, i4)
"""


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Command:
    """Runs `traceproof` in this process, in a folder of its own."""

    folder: Path
    capture: pytest.CaptureFixture[str]

    def __call__(self, *args: str) -> Ended:
        with pytest.raises(SystemExit) as ended:
            main(args)
        told = self.capture.readouterr()
        return Ended(int(ended.value.code or 0), told.out, told.err)

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return name


@pytest.fixture
def traceproof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return Command(tmp_path, capsys)


def _start(args: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    code = "from fuzz.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# What holds for all commands.

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
        "import sys; from fuzz.cli import main\n"
        "try: main(['optimize', 'a.trace'])\n"
        "except SystemExit: print({'z3', 'hypothesis'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


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


def test_optimize_prints_the_toy_dialect_on_request(traceproof: Command) -> None:
    path = traceproof.write("toy", "v0 = getarg(0)\nv1 = add(v0, 0)\nescape(v1)\n")
    ended = traceproof("optimize", path, "--toy")
    assert (ended.code, ended.out) == (0, "v0 = getarg(0)\nescape(v0)\n")


def test_optimize_with_some_passes(traceproof: Command) -> None:
    before = traceproof.write("before.trace", TRACE)
    assert "int_add(" in traceproof("optimize", before, "--passes", "cse").out
    wrong = traceproof("optimize", before, "--passes", "cse,magic")
    assert wrong.code == 2
    assert "there is no pass 'magic'; the passes are " in wrong.err


def test_optimize_tells_what_it_did(traceproof: Command) -> None:
    ended = traceproof("optimize", traceproof.write("before.trace", TRACE), "--stats")
    assert ended.err.startswith("operations: 7 before, 6 after\nguards: 2 before, 2 after\n")
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
        (["i7=1"], "--input: expected NAME=VALUE, got i7=1; the inputs are i0, i1"),
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


# fuzz

OPTIMIZERS = """
from dataclasses import replace
from optimizer.ir.trace import ConstInt

def crash(trace):
    raise RuntimeError("planted")

def constant(trace):
    return replace(trace, ops=(*trace.ops[:-1], replace(trace.end, args=(*trace.end.args, ConstInt(1)))))

def same(trace):
    return trace
"""


def test_a_campaign_that_finds_nothing_ends_with_0(traceproof: Command) -> None:
    ended = traceproof("fuzz", "--seed", "7", "--traces", "5")
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0].startswith("campaign ended: 5 traces in ")
    assert lines[0].endswith(", seeds 7 to 11")
    never = all_coverage().difference(*(result.fired for result in read_results(Path("campaign"))))
    assert lines[-4:] == [
        "  found: nothing",
        f"  never fired: {len(never)} of {len(all_coverage())} rules, passes and transfer functions "
        "(the report names them)",
        "  repeat with: traceproof fuzz --seed 7 --traces 5",
        "  report: campaign/report/index.html",
    ]
    assert ended.err == ""
    assert os.listdir("campaign/cases") == []


def test_a_campaign_stores_what_it_finds_and_ends_with_1(traceproof: Command) -> None:
    traceproof.write("mine.py", OPTIMIZERS)
    ended = traceproof("fuzz", "--seed", "7", "--traces", "2", "--optimizer", "mine:constant", "--folder", "finds")
    assert ended.code == 1
    (name,) = os.listdir("finds/cases")
    assert name.startswith("end-arguments-")
    assert ended.out.startswith(f"refuted: finds/cases/{name}: end: arguments: ")
    assert "  found: 2 refuted\n" in ended.out
    assert read_case(Path("finds/cases"), name).before == "[]\nfinish()\n"
    listed = traceproof("corpus", "list", "--corpus", "finds/cases")
    assert [line.split()[:2] for line in listed.out.splitlines()] == [
        [name, "refuted"],
    ]
    # The stored pair is refuted as ever; our own optimizer does better.
    assert traceproof("corpus", "run", "--corpus", "finds/cases").code == 0
    worse = traceproof("corpus", "run", "--corpus", "finds/cases", "--optimizer", "mine:constant")
    assert worse.code == 1
    assert worse.out.startswith(f"{name}: the optimizer's trace is refuted: ")
    assert worse.out.endswith("1 not as expected\n")


def test_a_flood_of_finds_is_counted(traceproof: Command) -> None:
    traceproof.write("mine.py", OPTIMIZERS)
    ended = traceproof("fuzz", "--seed", "1", "--traces", "25", "--optimizer", "mine:crash")
    assert ended.code == 1
    assert "  found: 25 crash\n" in ended.out
    reduced, *others = sorted(os.listdir("campaign/cases"))
    assert reduced.startswith("crash-RuntimeError-")
    assert others == ["crash-RuntimeError-not-reduced"]
    assert ended.out.count("crash: ") == 2
    assert len(list(read_results(Path("campaign")))) == 25


def test_a_corpus_with_an_unreadable_case_is_run_to_its_end(traceproof: Command) -> None:
    traceproof.write("mine.py", OPTIMIZERS)
    traceproof("fuzz", "--seed", "7", "--traces", "2", "--optimizer", "mine:constant", "--folder", "finds")
    (Path("finds") / "cases" / "a-stray-folder").mkdir()
    ended = traceproof("corpus", "run", "--corpus", "finds/cases")
    assert ended.code == 2
    assert ended.err == "error: finds/cases/a-stray-folder/case.toml: there is no such file\n"
    assert ended.out.startswith("2 cases in ")
    assert ended.out.endswith(", 1 unreadable\n")


def test_a_campaign_in_json(traceproof: Command) -> None:
    traceproof.write("mine.py", OPTIMIZERS)
    ended = traceproof("fuzz", "--seed", "7", "--traces", "1", "--optimizer", "mine:crash", "--json")
    find, summary = [json.loads(line) for line in ended.out.splitlines()]
    assert (find["seed"], find["kind"], find["case"]) == (7, "crash", find["bucket"])
    assert find["message"].startswith("RuntimeError: planted (")
    assert summary["cases"] == [find["case"]]
    assert summary["finds"]["crash"] == 1
    case = Path("campaign/cases") / find["case"]
    assert "Traceback" in (case / "report.txt").read_text()
    assert (case / "original.trace").read_text() == format_trace(generate_for(7).trace)


def test_a_campaign_tests_a_program(traceproof: Command) -> None:
    right = traceproof("fuzz", "--seed", "7", "--traces", "3", "--optimizer-server", "cat")
    assert right.code == 0
    assert "  repeat with: traceproof fuzz --seed 7 --traces 3 --optimizer-server cat\n" in right.out
    wrong = traceproof("fuzz", "--seed", "7", "--traces", "1", "--optimizer-cmd", "sed '$s/.*/what/'")
    assert wrong.code == 1
    (name,) = os.listdir("campaign-2/cases")
    assert wrong.out.startswith(f"malformed: campaign-2/cases/{name}: output:")
    case = read_case(Path("campaign-2/cases"), name)
    assert "the optimizer printed:\n" in case.report
    assert case.command.endswith("--optimizer-cmd " + shlex.quote("sed '$s/.*/what/'"))


def test_only_one_optimizer_can_be_tested(traceproof: Command) -> None:
    ended = traceproof("fuzz", "--optimizer", "a:b", "--optimizer-cmd", "cat")
    assert ended.code == 2
    assert "only one of --optimizer, --optimizer-cmd can be given" in ended.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine", "error: --optimizer: expected MODULE:FUNCTION, got 'mine'"),
        ("nowhere:f", "error: --optimizer: nowhere cannot be imported: ModuleNotFoundError: "),
        ("json:f", "error: --optimizer: there is no function f in json"),
    ],
)
def test_an_optimizer_that_is_not_there_ends_with_2(name: str, message: str, traceproof: Command) -> None:
    ended = traceproof("fuzz", "--traces", "1", "--optimizer", name)
    assert ended.code == 2
    assert ended.err.startswith(message)


def test_a_folder_that_cannot_be_made_ends_with_2_before_starting(traceproof: Command) -> None:
    traceproof.write("file", "")
    ended = traceproof("fuzz", "--traces", "1", "--folder", "file")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: --folder: file: ")


def test_a_full_disk_ends_with_2(traceproof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    traceproof.write("mine.py", OPTIMIZERS)
    monkeypatch.setattr("fuzz.store._write", full)
    ended = traceproof("fuzz", "--seed", "7", "--traces", "1", "--optimizer", "mine:crash")
    assert ended.code == 2
    assert ended.err.startswith("error: a find could not be stored: campaign/cases/crash-RuntimeError-")
    assert ended.err.endswith(": no space is left on the device\n")


def test_a_campaign_on_a_terminal_says_where_it_stands(traceproof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.cli_seeds._STATUS_EVERY_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ended = traceproof("fuzz", "--seed", "7", "--traces", "2")
    lines = [line.partition(" s: ")[2] for line in ended.err.split("\r\x1b[K")]
    assert lines == ["", "1 traces, 1 proved, nothing found", "2 traces, 2 proved, nothing found", ""]
    assert "\x1b" not in ended.out


def test_ctrl_c_ends_a_campaign_with_its_summary(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OPTIMIZERS)
    running = _start(["fuzz", "--seed", "1", "--optimizer", "mine:same", "--seconds", "60"], tmp_path)
    while not (tmp_path / "campaign" / "campaign.json").exists():
        assert running.poll() is None
        time.sleep(0.02)
    time.sleep(0.7)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert out.startswith("campaign interrupted: ")
    assert "repeat with: traceproof fuzz --seed 1 --traces " in out
    assert err == ""


# corpus


def _case(folder: Path, name: str, toml: str, after: str | None = None, before: str = TRACE) -> None:
    (folder / "corpus" / name).mkdir(parents=True)
    (folder / "corpus" / name / "case.toml").write_text(toml)
    (folder / "corpus" / name / "before.trace").write_text(before)
    if after is not None:
        (folder / "corpus" / name / "after.trace").write_text(after)


def test_a_corpus_says_what_differs(traceproof: Command) -> None:
    wrong = TRACE.replace("jump(i3, i4)", "jump(i3, i3)")
    _case(traceproof.folder, "a-right", "expect = 'proved'", TRACE)
    _case(traceproof.folder, "b-wrong", "expect = 'proved'", wrong)
    _case(traceproof.folder, "c-other", "expect = 'refuted'\nobligation = 'guard 0: failarg 0'", wrong)
    _case(traceproof.folder, "d-known", "expect = 'refuted'\nobligation = 'end: argument 1'", wrong)
    _case(traceproof.folder, "e-text", "expect = 'proved'", TRACE + "junk")
    ended = traceproof("corpus", "run")
    assert ended.code == 1
    lines = ended.out.splitlines()
    assert lines[0].startswith("b-wrong: expected proved, found refuted: argument 1 of the end is ")
    assert lines[1] == ("c-other: expected 'guard 0: failarg 0' to be refuted, found 'end: argument 1'")
    assert lines[2].startswith("e-text: e-text/after.trace:9:")
    assert lines[-1].endswith("3 not as expected")
    in_json = [json.loads(line) for line in traceproof("corpus", "run", "--json").out.splitlines()]
    assert [(one["name"], one["verdict"], bool(one["differences"])) for one in in_json] == [
        ("a-right", "proved", False),
        ("b-wrong", "refuted", True),
        ("c-other", "refuted", True),
        ("d-known", "refuted", False),
        ("e-text", None, True),
    ]


def test_a_corpus_runs_the_optimizer_unless_told_not_to(traceproof: Command) -> None:
    traceproof.write("mine.py", OPTIMIZERS)
    _case(traceproof.folder, "with", "about = 'x'")
    _case(traceproof.folder, "without", "optimizer = false")
    ended = traceproof("corpus", "run", "--optimizer", "mine:crash")
    assert ended.code == 1
    assert ended.out.startswith("with: the optimizer crashes: RuntimeError: planted (")
    assert "without" not in ended.out


def test_a_case_is_shown(traceproof: Command) -> None:
    _case(traceproof.folder, "one", "about = 'an example'\nexpect = 'proved'\n[inputs]\ni0 = 3", TRACE)
    ended = traceproof("corpus", "show", "one")
    assert ended.code == 0
    assert ended.out.startswith("name: one\nabout: an example\nexpect: proved\n")
    assert "inputs: i0 = 3\n" in ended.out
    assert f"\nbefore:\n{TRACE}" in ended.out
    assert json.loads(traceproof("corpus", "show", "one", "--json").out)["after"] == TRACE


@pytest.mark.parametrize("command", [["list"], ["run"], ["show", "x"]])
def test_a_corpus_that_is_not_there_ends_with_2(command: list[str], traceproof: Command) -> None:
    ended = traceproof("corpus", *command)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")


# ops and prove-rules


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
