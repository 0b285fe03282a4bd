"""The night: its steps, what it writes, and what it ends with."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from processes import children_of, is_running, start_python, wait_until

from fuzz.campaign.folder import write_plan
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import Result, ResultFile
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec
from optimizer.ir.faults import InputError
from overnight import __main__ as night
from overnight.steps import Done, run_step
from validator.command.exits import Exit, run_command
from validator.command.invoke import invoke


class Steps:
    """Stands in for the commands: each ends with the code that is given for its second word, 0 if none is."""

    def __init__(self, **codes: int | None) -> None:
        self.codes = codes
        self.commands: list[Sequence[str]] = []
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def __call__(self, command: Sequence[str], seconds: float) -> Done:
        assert seconds > 0
        self.commands.append(command)
        if command[0].endswith("kill-table"):
            assert command[1:5] == ["--seconds", "60", "--seeds", "1"]
            self.now += 4
            return Done(self.codes.get(command[5], 0), (f"| {command[5]} |",), 4.0)
        if command[1] == "fuzz":
            folder = Path(command[command.index("--folder") + 1])
            campaign(folder, "crash" if self.codes.get("fuzz") else "proved")
        return Done(self.codes.get(command[1], 0), (f"{command[1]} is done",), 0.1)


def campaign(folder: Path, verdict: str) -> None:
    write_plan(folder, Plan(0, optimizer=OptimizerSpec(OptimizerKind.FUNCTION, "mine:f")))
    file = ResultFile(folder / "results")
    file.add(Result(0, 0, verdict, reason="it crashes", at=1.0))
    file.close()


def command(*args: str) -> int:
    return run_command(lambda: invoke(night.nightly, args, "scripts/nightly"))


def run_night(monkeypatch: pytest.MonkeyPatch, folder: Path, steps: Steps) -> int:
    monkeypatch.setattr(night, "run_step", steps)
    monkeypatch.setattr(night, "_KILL_TABLE", folder / "none")
    return command("--seconds", "60", "--folder", str(folder))


@pytest.fixture
def kill_table(tmp_path: Path) -> Path:
    """A program that lists ten faults."""
    program = tmp_path / "kill-table"
    program.write_text('#!/bin/sh\nfor n in 0 1 2 3 4 5 6 7 8 9; do echo "f$n (rules): something"; done\n')
    program.chmod(0o755)
    return program


def kill(
    monkeypatch: pytest.MonkeyPatch, kill_table: Path, steps: Steps, seconds: float, seed: str
) -> tuple[list[str], night._Night, dict[str, Any]]:
    monkeypatch.setattr(night, "run_step", steps)
    monkeypatch.setattr(night, "_KILL_TABLE", kill_table)
    monkeypatch.setattr(night, "time", steps)
    taken = night._Night(kill_table.parent / "night", 0.0, [])
    night._kill(taken, seconds, seed)
    return [command[5] for command in steps.commands], taken, json.loads((taken.folder / "steps.jsonl").read_text())


@pytest.mark.parametrize(("seconds", "count"), [(0.5, 1), (10.0, 1), (14.0, 2), (25.0, 4), (1000.0, 10)])
def test_faults_are_planted_while_there_is_time(
    seconds: float, count: int, monkeypatch: pytest.MonkeyPatch, kill_table: Path
) -> None:
    names, taken, step = kill(monkeypatch, kill_table, Steps(), seconds, "2026-11-20")
    assert len({*names}) == len(names) == count
    assert taken.codes == [Exit.PROVED]
    assert (step["result"], step["needs_a_look"]) == (
        f"{count} of 10 planted faults tried (--seed 2026-11-20), all found",
        False,
    )


def test_the_day_chooses_the_faults(
    monkeypatch: pytest.MonkeyPatch, kill_table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    orders = set()
    for day in ("20", "21", "20"):
        (kill_table.parent / "night" / "steps.jsonl").unlink(missing_ok=True)
        orders.add(tuple(kill(monkeypatch, kill_table, Steps(), 1000.0, f"2026-11-{day}")[0]))
    assert len(orders) == 2
    assert "== kill table: 10 planted faults, in the order of --seed 2026-11-21\n" in capsys.readouterr().out


@pytest.mark.parametrize("code", [1, None])
def test_a_fault_that_is_not_found_needs_a_look(
    code: int | None, monkeypatch: pytest.MonkeyPatch, kill_table: Path
) -> None:
    _, taken, step = kill(monkeypatch, kill_table, Steps(f3=code), 1000.0, "any")
    assert taken.codes == [Exit.REFUTED]
    assert step["needs_a_look"]
    assert step["result"] == "10 of 10 planted faults tried (--seed any), not found: f3"


def test_faults_that_were_tried_before_an_interruption_are_told(
    monkeypatch: pytest.MonkeyPatch, kill_table: Path
) -> None:
    steps = Steps(f2=1, f3=130)
    with pytest.raises(KeyboardInterrupt):
        kill(monkeypatch, kill_table, steps, 1000.0, "c")
    step = json.loads((kill_table.parent / "night" / "steps.jsonl").read_text())
    assert step["result"] == f"{len(steps.commands) - 1} of 10 planted faults tried (--seed c), not found: f2"


def test_faults_that_cannot_be_listed_need_a_look(monkeypatch: pytest.MonkeyPatch, kill_table: Path) -> None:
    kill_table.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    _, taken, step = kill(monkeypatch, kill_table, Steps(), 1000.0, "any")
    assert taken.codes == [Exit.FAULT]
    assert step["needs_a_look"]
    assert step["output"] == "broken\n"


@pytest.mark.parametrize(
    ("codes", "code", "look"),
    [
        ({}, Exit.PROVED, set()),
        ({"fuzz": 1}, Exit.REFUTED, {"campaign"}),
        ({"corpus": 1}, Exit.REFUTED, {"corpus"}),
        ({"audit": 5, "corpus": 1}, Exit.FAULT, {"audit", "corpus"}),
        ({"audit": None}, Exit.FAULT, {"audit"}),
        ({"audit": -9}, Exit.FAULT, {"audit"}),
        ({"corpus": 130}, Exit.INTERRUPTED, {"corpus"}),
    ],
)
def test_each_step_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, codes: dict[str, int | None], code: Exit, look: set[str]
) -> None:
    steps = Steps(**codes)
    assert run_night(monkeypatch, tmp_path, steps) == code
    (folder,) = tmp_path.iterdir()
    told = [json.loads(line) for line in (folder / "steps.jsonl").read_text().splitlines()]
    assert {step["name"] for step in told if step["needs_a_look"]} == look
    assert [command[1] for command in steps.commands] == ["fuzz", "corpus", "audit"][: len(told)]
    assert len(told) == (2 if code is Exit.INTERRUPTED else 3)
    assert (folder / "report" / "summary.md").exists()


def test_a_night_that_was_broken_off_is_told_by_the_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    campaign(tmp_path / "2026-01-01-000000", "crash")
    assert run_night(monkeypatch, tmp_path, Steps()) == Exit.REFUTED
    assert (tmp_path / "2026-01-01-000000" / "report" / "summary.md").exists()
    newest = max(tmp_path.iterdir())
    assert "2026-01-01-000000" in (newest / "report" / "summary.md").read_text()
    for folder in (newest, tmp_path / "2026-01-01-000000"):
        folder.rename(tmp_path / f"1{folder.name}")
    assert run_night(monkeypatch, tmp_path, Steps()) == Exit.PROVED


def test_a_step_is_shown_and_its_end_kept(capfd: pytest.CaptureFixture[str]) -> None:
    done = run_step([sys.executable, "-c", "print(*range(100), sep='\\n'); raise SystemExit(3)"], 60)
    assert (done.code, done.lines[-1], len(done.lines)) == (3, "99", 60)
    assert capfd.readouterr().out.startswith("0\n1\n")
    assert (done.line("9"), done.line("x")) == ("99", "ended with exit code 3")


def test_a_step_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overnight.steps._GRACE_S", 0.2)
    done = run_step([sys.executable, "-c", "import time; time.sleep(60)"], 0.1)
    assert done.code is None
    assert done.seconds < 30


@pytest.mark.parametrize("wrong", [("--seconds", "nan"), ("--seconds", "-5"), ("--seconds", "0"), ("--jobs", "0")])
def test_options_that_make_no_night_are_refused(
    wrong: tuple[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = Steps()
    monkeypatch.setattr(night, "run_step", steps)
    assert command(*wrong, "--folder", str(tmp_path)) == Exit.USAGE
    assert wrong[0] in capsys.readouterr().err
    assert not steps.commands


def test_a_short_night_has_a_second_for_each_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    steps = Steps()
    monkeypatch.setattr(night, "run_step", steps)
    monkeypatch.setattr(night, "_KILL_TABLE", tmp_path / "none")
    assert command("--seconds", "0.5", "--folder", str(tmp_path)) == Exit.PROVED
    limits = [command[command.index("--seconds") + 1] for command in steps.commands if "--seconds" in command]
    assert limits == ["1", "1"]


def test_a_folder_that_cannot_be_written_is_no_find(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert run_night(monkeypatch, tmp_path / "file" / "nights", Steps()) == Exit.USAGE
    assert capsys.readouterr().err == f"error: --folder: {tmp_path}/file/nights: this is not a directory\n"


def test_a_report_that_cannot_be_written_is_no_find(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise InputError("the disk is full")

    monkeypatch.setattr(night, "write_report", full)
    assert run_night(monkeypatch, tmp_path, Steps()) == Exit.USAGE
    assert capsys.readouterr().err == "error: the disk is full\n"


def test_a_step_that_prints_nothing_is_told_by_its_exit_code() -> None:
    assert Done(2, (), 0.1).line() == "ended with exit code 2"
    assert Done(1, ("1 case differs", ""), 0.1).line() == "1 case differs"


@pytest.mark.parametrize("step", ["fuzz", "corpus"])
def test_a_night_that_was_interrupted_says_so(
    step: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_night(monkeypatch, tmp_path, Steps(**{step: 130})) == Exit.INTERRUPTED
    assert capsys.readouterr().out.splitlines()[-1].startswith("interrupted; ")


def test_a_night_that_was_interrupted_before_there_was_anything_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(night, "run_step", lambda *_: Done(130, (), 0.1))
    assert command("--folder", str(tmp_path)) == Exit.INTERRUPTED
    assert capsys.readouterr().err == "interrupted; the campaign has left no results\n"


CAMPAIGN = """
import signal, sys, time
def end(*_):
    print("campaign interrupted")
    print("  found: nothing", flush=True)
    raise SystemExit(0)
signal.signal(signal.SIGINT, end)
print("it runs", flush=True)
while True: time.sleep(0.01)
"""
"""A command that says at its end what it has done."""

NIGHT = f"""
import sys
sys.path.append({str(night.__file__).rpartition("/overnight/")[0]!r})
from overnight.steps import run_step
from validator.command.exits import run_command
from validator.processes.termination import terminable
def step():
    with terminable():
        done = run_step([sys.executable, "-c", sys.argv[1]], 60)
    print(done.code, done.line())
    return 0
sys.exit(run_command(step))
"""


def running_step(code: str = CAMPAIGN) -> tuple[subprocess.Popen[str], int]:
    """A night whose step runs that program, and the process of the step."""
    process = start_python(NIGHT, [code])
    assert process.stdout is not None
    assert process.stdout.readline() == "it runs\n"
    (step,) = children_of(process.pid)
    return process, step


def test_a_step_that_is_interrupted_says_what_it_has_found() -> None:
    process, _ = running_step()
    process.send_signal(signal.SIGINT)
    said, complained = process.communicate(timeout=30)
    assert said == "campaign interrupted\n  found: nothing\n130 found: nothing\n"
    assert (process.returncode, complained) == (0, "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_step_ends_with_the_night(number: signal.Signals, code: int) -> None:
    process, step = running_step()
    process.send_signal(number)
    assert process.wait(30) == code
    wait_until(lambda: not is_running(step))


def test_a_step_ends_when_nobody_reads_any_more() -> None:
    process, step = running_step("while True: print('it runs', flush=True)")
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(30) == Exit.UNREAD
    assert not is_running(step)


def test_a_step_that_does_not_heed_its_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overnight.steps._GRACE_S", 0.5)
    monkeypatch.setattr("overnight.steps._ENDING_S", 0.1)
    ignoring = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    assert run_step([sys.executable, "-c", ignoring], 0).seconds < 30
