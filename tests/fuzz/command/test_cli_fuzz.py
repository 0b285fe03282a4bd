"""The command `fuzz`: what it prints, what it writes, and what it ends with."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from commands import OPTIMIZERS, Command, start

from fuzz.campaign.coverage import all_coverage
from fuzz.campaign.results import read_results
from fuzz.cases.store import read_case
from fuzz.draw.generator import generate_for
from optimizer.ir.text import format_trace


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
    (reduced,) = os.listdir("campaign/cases")
    assert reduced.startswith("crash-RuntimeError-")
    assert ended.out.count("crash: ") == 1
    results = list(read_results(Path("campaign")))
    assert Counter(result.bucket for result in results) == {reduced: 3, "": 22}
    assert (Path("campaign") / "report" / "summary.md").read_text().count(
        "found: 25 crash in 1 bucket, 22 of them not reduced"
    ) == 1


def test_a_corpus_with_an_unreadable_case_is_run_to_its_end(traceproof: Command) -> None:
    traceproof.write("mine.py", OPTIMIZERS)
    traceproof("fuzz", "--seed", "7", "--traces", "2", "--optimizer", "mine:constant", "--folder", "finds")
    (Path("finds") / "cases" / "a-stray-folder").mkdir()
    ended = traceproof("corpus", "run", "--corpus", "finds/cases")
    assert ended.code == 2
    assert ended.err == "error: finds/cases/a-stray-folder/before.trace: there is no such file\n"
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
    message, _, printed = wrong.out.partition("\n    the optimizer printed:\n")
    assert "\n    what\n" in message
    assert printed.split("campaign ended")[0].split()[-1] == "what"
    assert case.report == f"the optimizer printed:\n{case.before.rpartition('finish')[0]}what\n\n"
    garbage = traceproof("fuzz", "--seed", "7", "--traces", "1", "--optimizer-cmd", "seq 30")
    assert "\n    the optimizer printed:\n    ...\n    23\n" in garbage.out
    assert case.command.endswith("--optimizer-cmd " + shlex.quote("sed '$s/.*/what/'"))
    silent = traceproof("fuzz", "--seed", "7", "--traces", "1", "--optimizer-cmd", "true")
    assert "\n    the optimizer printed nothing\n" in silent.out


def test_only_one_optimizer_can_be_tested(traceproof: Command) -> None:
    ended = traceproof("fuzz", "--optimizer", "a:b", "--optimizer-cmd", "cat")
    assert ended.code == 2
    assert "only one of --optimizer, --optimizer-cmd can be given" in ended.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine", "error: --optimizer: expected MODULE:FUNCTION, got 'mine'"),
        ("nowhere:f", "error: --optimizer: there is no module nowhere in this folder, and none is installed"),
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
    monkeypatch.setattr("fuzz.cases.store._write", full)
    ended = traceproof("fuzz", "--seed", "7", "--traces", "1", "--optimizer", "mine:crash")
    assert ended.code == 2
    assert ended.err.startswith("error: a find could not be stored: campaign/cases/crash-RuntimeError-")
    assert ended.err.endswith(": no space is left on the device\n")


def test_a_campaign_on_a_terminal_says_where_it_stands(traceproof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.command.status._EVERY_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ended = traceproof("fuzz", "--seed", "7", "--traces", "2")
    lines = [line.partition(" s: ")[2] for line in ended.err.split("\r\x1b[K")]
    assert lines == ["", "1 trace, 1 proved, nothing found", "2 traces, 2 proved, nothing found", ""]
    assert "\x1b" not in ended.out


def test_ctrl_c_ends_a_campaign_with_its_summary(tmp_path: Path) -> None:
    running = start(["fuzz", "--seed", "1", "--seconds", "60"], tmp_path)
    while not (tmp_path / "campaign" / "campaign.json").exists():
        assert running.returncode is None
        time.sleep(0.02)
    time.sleep(0.7)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert out.startswith("campaign interrupted: ")
    assert "repeat with: traceproof fuzz --seed 1 --traces " in out or ": 0 traces in " in out
    assert err == ""
