"""The command `validate`, as a user meets it."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from optimizer.ir.domains.term import Term, cone
from optimizer.ir.faults import InputError
from validator.command import validate as cli
from validator.command.exits import Exit, worst
from validator.command.files import write_text

ADD = "[i0]\ni1 = int_add(i0, 1)\nfinish(i1)\n"
BEFORE = """[i0]
i1 = int_add(i0, 10)
i2 = int_lt(i1, 15)
guard_true(i2) [i0]
i3 = int_lt(i0, 6)
guard_true(i3) [i0]
jump(0)
"""
AFTER = """[i0]
i1 = int_add(i0, 10)
i2 = int_lt(i1, 15)
guard_true(i2) [i0]
jump(0)
"""
REFUTED = """refuted: guard 1: left
  origins inferred: guard 0 is 0

On i0 = 9223372036854775807:

    before                                                           after
    [i0]                                                             [i0]
    i1 = int_add(i0, 10)  # -9223372036854775799                     i1 = int_add(i0, 10)  # -9223372036854775799
    i2 = int_lt(i1, 15)  # 1                                         i2 = int_lt(i1, 15)  # 1
    guard_true(i2) [i0]  # passes                                    guard_true(i2) [i0]  # passes
    i3 = int_lt(i0, 6)  # 0
  > guard_true(i3) [i0]  # fails, hands over (9223372036854775807)
    jump(0)                                                          jump(0)  # (0)

guard 1: left: the recorded trace leaves at guard 1; the optimized one goes on to its end.
"""
VACUOUS = "[i0]\ni1 = int_lt(i0, i0)\nguard_true(i1) []\nfinish(i0)\n"
HARD_BEFORE = """[i0, i1]
i2 = uint_mul_high(i0, i1)
i3 = uint_mul_high(i2, i1)
i4 = int_xor(i3, i2)
finish(i4)
"""
HARD_AFTER = """[i0, i1]
i2 = uint_mul_high(i0, i1)
i3 = uint_mul_high(i2, i1)
i4 = int_or(i3, i2)
i5 = int_and(i3, i2)
i6 = int_sub(i4, i5)
finish(i6)
"""
STRING = "[i0]\n\n\np1 = call_malloc_nursery(i0)\nfinish(i0)\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def validate(*args: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(click.Command("validate", callback=lambda: cli.main(args)), [], input=stdin)


def pair(folder: Path, before: str, after: str) -> tuple[str, str]:
    (folder / "before.trace").write_text(before)
    (folder / "after.trace").write_text(after)
    return "before.trace", "after.trace"


def test_refuted(folder: Path) -> None:
    result = validate(*pair(folder, BEFORE, AFTER))
    assert result.exit_code == 1
    assert result.stdout == REFUTED


def test_proved(folder: Path) -> None:
    result = validate(*pair(folder, BEFORE, BEFORE))
    assert result.exit_code == 0
    assert result.stdout.startswith("proved: 7 obligations hold (7 by structure; ")


def test_standard_input(folder: Path) -> None:
    before, _ = pair(folder, ADD, ADD)
    assert validate(before, "-", stdin=ADD).exit_code == 0
    assert validate("-", before, stdin=AFTER).exit_code == 1


def test_unknown(folder: Path) -> None:
    result = validate(*pair(folder, HARD_BEFORE, HARD_AFTER), "--effort", "30000")
    assert result.exit_code == 3
    assert "end: argument 0 was not settled: the solver's effort was used up (a larger one: --effort)" in result.stdout


def test_vacuous(folder: Path) -> None:
    paths = pair(folder, VACUOUS, VACUOUS)
    result = validate(*paths)
    assert result.exit_code == 0
    assert result.stdout.startswith("proved, but vacuous: ")
    assert "  vacuous: guard 0 of the recorded trace never passes\n" in result.stdout
    assert validate(*paths, "--strict").exit_code == 3


def test_unsupported(folder: Path) -> None:
    result = validate(*pair(folder, STRING, STRING))
    assert result.exit_code == 4
    assert result.stdout == "unsupported: line 4: call_malloc_nursery\n  in the trace before\n"


def test_modes(folder: Path) -> None:
    text = "[i0]\ni1 = int_lt(i0, {})\nguard_true(i1) [{}]\nfinish()\n"
    paths = pair(folder, text.format(10, "i0"), text.format(5, "i0"))
    assert validate(*paths).exit_code == 1
    safe = validate(*paths, "--guards", "safe")
    assert safe.exit_code == 0
    assert "guard 0 is stricter: it fails where the recorded trace goes on" in safe.stdout
    paths = pair(folder, text.format(10, "i0"), text.format(10, "0"))
    assert validate(*paths).exit_code == 1
    ignored = validate(*paths, "--failargs", "ignore")
    assert ignored.exit_code == 0
    assert "assumes: resume data" in ignored.stdout


def test_words_and_types(folder: Path) -> None:
    text = "[i0]\ni1 = int_add(i0, {})\nfinish(i1)\n"
    paths = pair(folder, text.format(0), text.format("0x100"))
    assert validate(*paths).exit_code == 1
    assert validate(*paths, "--word", "8").exit_code == 2
    paths = pair(folder, text.format(0), text.format("0x0"))
    assert validate(*paths, "--word", "8").exit_code == 0
    (folder / "types.toml").write_text("[struct.Node.fields]\nvalue = 'int'\n")
    assert validate(*paths, "--types", "types.toml").exit_code == 0
    (folder / "types.toml").write_text("[struct.Node.fields\n")
    broken = validate(*paths, "--types", "types.toml")
    assert broken.exit_code == 2
    assert "types.toml:1:" in broken.stderr


# JSON.


def as_json(result: Result) -> dict[str, Any]:
    value = json.loads(result.stdout)
    assert isinstance(value, dict)
    return value


def test_json_of_a_refutation(folder: Path) -> None:
    result = validate(*pair(folder, BEFORE, AFTER), "--json")
    assert result.exit_code == 1
    verdict = as_json(result)
    assert verdict["name"] == "after.trace"
    assert verdict["verdict"] == "refuted"
    assert verdict["origins"] == "inferred"
    found = verdict["counterexample"]
    assert found["inputs"] == {"i0": 2**63 - 1}
    assert found["obligation"] == "guard 1: left"
    assert found["before"] | {"values": 0} == {
        "ended": "guard",
        "guard": 1,
        "failargs": [2**63 - 1],
        "events": [],
        "values": 0,
    }
    assert found["after"]["ended"] == "jump"
    assert found["after"]["args"] == [0]


def test_json_of_a_proof(folder: Path) -> None:
    verdict = as_json(validate(*pair(folder, BEFORE, BEFORE), "--json"))
    assert verdict["verdict"] == "proved"
    assert verdict["vacuous"] is False
    assert verdict["assumes"] == []
    assert verdict["guards"] == []
    assert verdict["seconds"] > 0
    assert {one["status"] for one in verdict["obligations"]} == {"proved"}
    assert verdict["obligations"][0].keys() == {"name", "status", "by", "solver", "seconds"}


def test_json_of_other_verdicts(folder: Path) -> None:
    assert as_json(validate(*pair(folder, STRING, STRING), "--json"))["reason"] == "line 4: call_malloc_nursery"
    broken = validate(*pair(folder, "nonsense", ADD), "--json")
    assert broken.exit_code == 2
    assert as_json(broken)["verdict"] == "error"
    assert as_json(broken)["fault"] == "input"
    assert as_json(validate(*pair(folder, VACUOUS, VACUOUS), "--json"))["vacuous"] is True


# Batches.


def batch(folder: Path, *lines: str) -> Result:
    (folder / "pairs.jsonl").write_text("".join(line + "\n" for line in lines))
    return validate("--batch", "pairs.jsonl")


def line(name: str, before: str, after: str, **more: str) -> str:
    return json.dumps({"name": name, "before": before, "after": after} | more)


def test_a_batch(folder: Path) -> None:
    result = batch(folder, line("one", ADD, ADD), "", line("two", BEFORE, AFTER), line("three", STRING, STRING))
    assert result.exit_code == 1
    verdicts = [json.loads(text) for text in result.stdout.splitlines()]
    assert [(v["name"], v["verdict"]) for v in verdicts] == [
        ("one", "proved"),
        ("two", "refuted"),
        ("three", "unsupported"),
    ]


def test_a_batch_goes_on_after_a_bad_line(folder: Path) -> None:
    bad = ["{", "[]", '{"name": "x"}', line("y", "[i0", ADD), line("z", ADD, ADD, types="[struct"), "[" * 100_000]
    result = batch(folder, *bad, line("good", ADD, ADD))
    assert result.exit_code == 2
    verdicts = [json.loads(text) for text in result.stdout.splitlines()]
    assert [v["verdict"] for v in verdicts] == ["error"] * len(bad) + ["proved"]
    assert [v["line"] for v in verdicts[:-1]] == list(range(1, len(bad) + 1))
    assert verdicts[0]["reason"].startswith("pairs.jsonl:1: a JSON object was expected")
    (folder / "pairs.jsonl").write_bytes(line("one", ADD, ADD).encode() + b'\n{"name": "caf\xe9"}\n')
    garbage = json.loads(validate("--batch", folder / "pairs.jsonl").stdout.splitlines()[1])
    assert garbage["reason"] == f"{folder}/pairs.jsonl:2: a text in UTF-8 was expected, but byte 0xe9 is none"
    assert verdicts[3]["name"] == "y"
    assert verdicts[3]["reason"].startswith("y: before:1")


def test_a_batch_without_pairs_says_so(folder: Path) -> None:
    empty = batch(folder, "")
    assert (empty.exit_code, empty.stdout, empty.stderr) == (0, "", "warning: pairs.jsonl: there are no pairs\n")
    assert not batch(folder, line("one", ADD, ADD)).stderr


def test_a_batch_from_standard_input() -> None:
    result = validate("--batch", "-", stdin=line("one", ADD, ADD) + "\n" + line("two", ADD, AFTER))
    assert [json.loads(text)["verdict"] for text in result.stdout.splitlines()] == ["proved", "refuted"]


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ([], 0),
        ([0, 0], 0),
        ([0, 3], 3),
        ([3, 4], 4),
        ([4, 2, 3], 2),
        ([2, 1, 0], 1),
        ([1, 5, 2], 5),
    ],
)
def test_the_exit_code_of_a_batch(codes: list[int], code: int) -> None:
    assert worst(map(Exit, codes)) == code


# Bad input.


def test_files_that_cannot_be_read(folder: Path) -> None:
    (folder / "good.trace").write_text(ADD)
    (folder / "garbage.trace").write_bytes(b"[i0]\n\xff\xfe\x00")
    (folder / "nul.trace").write_bytes(b"[i0]\x00\n")
    (folder / "empty.trace").write_text("")
    for name, message in {
        "missing.trace": "error: missing.trace: there is no such file\n",
        ".": "error: .: this is a directory, a file was expected\n",
        "garbage.trace": "error: garbage.trace:2: a text in UTF-8 was expected, but byte 0xff is none\n",
    }.items():
        for paths in ((name, "good.trace"), ("good.trace", name)):
            result = validate(*paths)
            assert (result.exit_code, result.stderr, result.stdout) == (2, message, "")
    for name in ("nul.trace", "empty.trace"):
        result = validate("good.trace", name)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {name}")
        assert len(result.stderr.splitlines()) <= 3


def test_an_error_in_a_trace_shows_its_place(folder: Path) -> None:
    result = validate(*pair(folder, "[i0, i3]\n\n\n    i5 = int_add(i3)\n", ADD))
    assert result.exit_code == 2
    assert result.stderr == (
        "error: before.trace:4:19: int_add takes 2 arguments, got 1\n"
        "        i5 = int_add(i3)\n"
        "                      ^\n"
    )


def test_different_words(folder: Path) -> None:
    """One is likely not to be said."""
    result = validate(*pair(folder, "+++\nword = 16\n+++\n[]\nfinish()\n", "[]\nfinish()\n"))
    assert result.exit_code == 2
    told = "16 and 64 bits (64 where a trace does not say it)"
    assert result.stderr == f"error: the traces have machine words of different widths: {told}\n"


def test_different_inputs(folder: Path) -> None:
    result = validate(*pair(folder, ADD, "[i0, i1]\nfinish()\n"))
    assert result.exit_code == 2
    assert result.stderr == "error: the traces have different inputs: (int) before, (int, int) after\n"


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["one.trace"],
        ["-", "-"],
        ["a", "b", "--guards", "sometimes"],
        ["a", "b", "--effort", "0"],
        ["a", "b", "--timeout", "-1"],
        ["a", "b", "--word", "3"],
        ["--batch", "x.jsonl", "a", "b"],
    ],
)
def test_wrong_usage(args: list[str]) -> None:
    result = validate(*args)
    assert result.exit_code == 2
    assert "Usage: " in result.stderr


def test_help_is_a_manual() -> None:
    text = validate("--help").stdout
    for word in ("validate before.trace after.trace", "--batch", "--strict", "Exit codes", "130", "interrupted"):
        assert word in text


def test_our_own_fault_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr("validator.command.judging.validate", broken)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    result = validate(*pair(folder, ADD, ADD))
    assert result.exit_code == 5
    assert result.stderr.startswith("error: internal error: RuntimeError: planted; please report it with the file ")
    assert "Traceback" not in result.stderr
    (report,) = folder.glob("traceproof-fault-*.txt")
    assert "int_add(i0, 1)" in report.read_text()
    assert json.loads(validate(*pair(folder, ADD, ADD), "--json").stdout)["fault"] == "tool"


def test_a_model_that_does_not_replay_is_our_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that answers wrongly is found out by the replay."""
    from validator.solvers.answers import Sat
    from validator.solvers.portfolio import Portfolio

    def three(_portfolio: Portfolio, conditions: Sequence[Term], *_: object) -> Sat:
        return Sat({term: 3 for term in cone(conditions) if term.kind == "var"})

    monkeypatch.setattr(Portfolio, "check", three)
    text = "[i0]\ni1 = {}\nfinish(i1)\n"
    result = validate(*pair(folder, text.format("int_and(i0, 1)"), text.format("int_mod(i0, 2)")), "--json")
    assert result.exit_code == 1  # 3 does not show the difference, but -1, which is run first, does
    result = validate(*pair(folder, text.format("int_mul(i0, 3)"), text.format("int_sub(i0, -2)")), "--json")
    assert result.exit_code == 1
    twice = "[i0]\ni1 = int_add(i0, 5)\ni2 = {}\nfinish(i2)\n"
    equal = pair(folder, twice.format("int_xor(i1, i0)"), twice.format("int_xor(i0, i1)"))
    assert validate(*equal).exit_code == 0
    hard = pair(folder, HARD_BEFORE, HARD_AFTER)
    result = validate(*hard)
    assert result.exit_code == 5
    assert "the solver's counterexample does not replay in the interpreter" in result.stderr


# As a process.


def command(*args: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = Path(sys.executable).parent / "validate"
    return subprocess.run([path, *args], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_a_pipe_gets_no_colours(folder: Path) -> None:
    done = command(*pair(folder, BEFORE, AFTER), folder=folder)
    assert done.returncode == 1
    assert done.stdout == REFUTED
    assert done.stderr == ""


def test_the_solver_is_imported_only_where_it_is_needed(folder: Path) -> None:
    code = (
        "import sys; from validator.command.validate import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: print([name for name in ('z3', 'hypothesis') if name in sys.modules])"
    )
    paths = pair(folder, BEFORE, BEFORE)
    done = subprocess.run([sys.executable, "-c", code, *paths], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_file_without_permission(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = pair(folder, ADD, ADD)

    def refuse(path: str, _mode: str) -> None:
        raise PermissionError(errno.EACCES, "no", path)

    monkeypatch.setattr("validator.command.files.open", refuse, raising=False)
    result = validate(before, after)
    assert result.exit_code == 2
    assert result.stderr == "error: before.trace: permission denied\n"


def test_written_files_have_the_usual_permissions(folder: Path) -> None:
    write_text("out.trace", ADD)
    (folder / "other").write_text(ADD)
    assert (folder / "out.trace").read_text() == ADD
    assert (folder / "out.trace").stat().st_mode == (folder / "other").stat().st_mode
    assert sorted(path.name for path in folder.iterdir()) == ["other", "out.trace"]


def test_a_file_that_cannot_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"^missing/out\.trace: there is no folder missing$"):
        write_text("missing/out.trace", ADD)
    (folder / "out.trace").write_text("old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match=r"^out\.trace: no space is left on the device$"):
        write_text("out.trace", ADD)
    assert (folder / "out.trace").read_text() == "old"
    assert [path.name for path in folder.iterdir()] == ["out.trace"]


def test_ctrl_c_leaves_nothing_beside_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text("out.trace", ADD)
    assert not [*folder.iterdir()]


def test_a_file_is_written_in_utf_8_with_what_is_no_text_in_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locale.getpreferredencoding", lambda *_: "ascii")
    write_text("out.trace", "# \u00e9 \udce9\n")
    assert (folder / "out.trace").read_bytes() == b"# \xc3\xa9 \\udce9\n"


@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("2>&-", 0), ("<&-", 2)])
def test_a_standard_stream_may_be_closed(folder: Path, closed: str, code: int) -> None:
    (folder / "add.trace").write_text(ADD)
    first = "-" if code else "add.trace"
    command = f"exec {Path(sys.executable).parent / 'validate'} {first} add.trace {closed}"
    ended = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stderr
    assert "internal error" not in ended.stderr


def test_a_closed_standard_error_takes_any_text(folder: Path) -> None:
    command = f"exec {Path(sys.executable).parent / 'validate'} $'\\xff' $'\\xff' 2>&-"
    assert subprocess.run(["bash", "-c", command], cwd=folder, check=False).returncode == 2
