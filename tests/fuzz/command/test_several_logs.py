"""`traceproof pypy-log` with several logs: proved together, told apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import Command, Ended
from pypy_logs import BOX, COUNT, LOG, across_a_call, boxed

Run = Callable[..., Ended]
ELSEWHERE = LOG.replace(BOX, BOX.replace(" 8 ", " 16 ")).replace(COUNT, COUNT.replace(" 8>", " 16>"))


@pytest.fixture
def run(traceproof: Command) -> Run:
    """Runs `traceproof pypy-log` on one process; gives the exit code and both outputs."""
    Path("run.log").write_text(LOG)
    Path("good.log").write_text(boxed() + across_a_call())
    return partial(traceproof, "pypy-log")


def test_each_line_names_the_log_and_one_table_stands_below(run: Run) -> None:
    code, out, err = run("good.log", "run.log", "--prove", "--jobs", "1")
    assert code == 1
    lines = out.splitlines()
    assert [line[:26] for line in lines[:5]] == [
        "good.log:      1 loop     ",
        "good.log:      2 bridge   ",
        "run.log:       1 loop     ",
        "run.log:       3 bridge   ",
        "run.log:       4 loop     ",
    ]
    assert lines[5] == "2 logs: 5 pairs, 1 trace without"
    assert [line.split() for line in lines[6:10]] == [
        ["pairs", "proved", "refuted"],
        ["loop", "3", "2", "1"],
        ["bridge", "2", "2", "0"],
        ["all", "5", "4", "1"],
    ]
    assert err == (
        "run.log:20: trace 2 has no pair: no optimized trace follows: PyPy gave it up, or the log has none\n"
    )


def test_several_processes_say_the_same(run: Run) -> None:
    def said(jobs: str) -> list[str]:
        lines = run("good.log", "run.log", "--prove", "--jobs", jobs).out.splitlines()
        return [line for line in lines if not line.startswith("a pair takes")]

    assert said("2") == said("1")


def test_json_names_the_log_of_each_pair(run: Run) -> None:
    *pairs, sums = map(json.loads, run("good.log", "run.log", "--prove", "--jobs", "1", "--json").out.splitlines())
    assert [(pair["log"], pair["number"]) for pair in pairs] == [
        *(("good.log", number) for number in (1, 2)),
        *(("run.log", number) for number in (1, 2, 3, 4)),
    ]
    assert (sums["logs"], sums["pairs"], sums["unpaired"]) == (["good.log", "run.log"], 5, 1)


def test_what_is_written_names_the_log_of_each_pair(run: Run) -> None:
    Path("again.log").write_text(LOG)
    files = ("--extract", "pairs", "--html", "pairs.html", "--junit", "pairs.xml")
    run("again.log", "run.log", "--prove", "--jobs", "1", *files)
    assert sorted(path.name for path in Path("pairs").iterdir()) == [
        f"{name}-000{number}" for name in ("again", "run") for number in (1, 3, 4)
    ]
    page = Path("pairs.html").read_text()
    assert "<title>2 logs" in page
    for name in ("again.log", "run.log"):
        assert f"{name}: pair 4, loop: f;a.py:4-9~#40 FOR_ITER" in page
    suite = ElementTree.parse("pairs.xml").getroot()[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("2 logs", "6", "2")
    assert [test.get("name") for test in suite.iter("testcase")][2:4] == [
        "again.log: 4: loop f;a.py:4-9~#40 FOR_ITER",
        "run.log: 1: loop f;a.py:4-9~#40 FOR_ITER",
    ]


def test_what_a_log_lacks_is_told_of_that_log(run: Run) -> None:
    Path("half.log").write_text(LOG.replace("jit-log-opt", "jit-else"))
    Path("good.log").write_text(boxed())
    code, out, err = run("half.log", "good.log", "--prove", "--jobs", "1")
    assert code == 2
    assert "2 logs: 1 pair, 4 traces without" in out
    assert err.splitlines()[-1].startswith("half.log: only recorded traces are in it")


def test_logs_of_two_pypys_are_told(run: Run) -> None:
    Path("other.log").write_text(ELSEWHERE)
    code, out, err = run("run.log", "other.log", "--prove", "--jobs", "1")
    assert (code, out) == (2, "")
    assert err.startswith("error: run.log and other.log are of two PyPys: <FieldS ")


def test_logs_are_listed_one_after_the_other(run: Run) -> None:
    assert [line for line in run("good.log", "run.log", "--list").out.splitlines() if "log" in line] == [
        "good.log: 2 traces of 13 operations",
        "run.log: 4 traces of 21 operations",
    ]
    pairs = run("good.log", "run.log", "--pairs").out
    assert "good.log: 2 pairs" in pairs
    assert "run.log: 3 pairs, 1 trace without" in pairs


@pytest.mark.parametrize("how", ["--list", "--pairs"])
def test_a_log_that_cannot_be_read_hides_none_behind_it(run: Run, how: str) -> None:
    code, out, err = run("no.log", "good.log", how)
    assert (code, err) == (2, "error: no.log: there is no such file\n")
    assert out == run("good.log", how).out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("run.log", "good.log", "--prove", "--only", "1"), "--only is for one log"),
        (("run.log", "good.log", "run.log", "--prove"), "a log is given twice"),
        (("run.log", "./run.log", "--prove"), "a log is given twice"),
        (("run.log", "old/run.log", "--prove", "--extract", "pairs"), "two of these have one name"),
    ],
)
def test_what_several_logs_do_not_have(run: Run, args: tuple[str, ...], message: str) -> None:
    code, _, err = run(*args)
    assert code == 2
    assert message in err
    assert not Path("pairs").exists()
