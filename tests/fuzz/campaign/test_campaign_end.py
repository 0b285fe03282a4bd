"""The end of a campaign: in time whatever is being done, with nothing lost, and with the command that repeats it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Generator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from commands import OPTIMIZERS, Command, start
from hypothesis import given
from hypothesis import strategies as st

from fuzz.campaign.batch import Cut, SeedDone, Task
from fuzz.campaign.folder import read_plan
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import Result, read_results
from fuzz.campaign.seeds import Seeds
from fuzz.campaign.summary import Summary
from fuzz.cases.store import read_case
from fuzz.command.campaign_run import run_campaign
from validator.command.exits import Exit

SERVER = """\
import json, sys, time
for number, line in enumerate(sys.stdin):
    if number == 2:
        print("\\x1b[1mI do not like this one", file=sys.stderr, flush=True)
        PLANTED
    print(line, end="", flush=True)
"""


def server(folder: Path, planted: str) -> list[str]:
    (folder / "server.py").write_text(SERVER.replace("PLANTED", planted))
    return ["--optimizer-server", shlex.join([sys.executable, "-S", "server.py"])]


def ended_in(args: list[str], folder: Path) -> tuple[float, int, str]:
    """Seconds, exit code and output of a campaign that is run as a user does."""
    began = time.monotonic()
    running = start(args, folder)
    out, err = running.communicate(timeout=60)
    assert err == ""
    return time.monotonic() - began, running.returncode, out


_STARTING_S = 2.0
"""The interpreter starts, on a busy machine."""


# In time.


def test_a_campaign_ends_in_time_while_a_server_hangs(tmp_path: Path) -> None:
    running = start(["fuzz", "--seed", "1", "--seconds", "2", *server(tmp_path, "time.sleep(60)")], tmp_path)
    began = time.monotonic()
    out, err = running.communicate(timeout=60)
    assert time.monotonic() - began < 2 + 2 + _STARTING_S
    assert running.returncode == 0
    assert "found: nothing" in out
    assert re.fullmatch(
        r"warning: seed(s 3, \d+ were| 3 was) not done when the time was up; the optimizer may take 10 s for each"
        r" before that is a hang \(--optimizer-timeout\)\n",
        err,
    )
    assert "--seed 1 --traces 2 " in out
    assert not list((tmp_path / "campaign" / "claims").iterdir())


def test_a_campaign_ends_in_time_while_a_server_always_hangs(tmp_path: Path) -> None:
    server(tmp_path, "")
    (tmp_path / "server.py").write_text("import time\ntime.sleep(60)\n")
    began = time.monotonic()
    optimizer = ["--optimizer-server", shlex.join([sys.executable, "-S", "server.py"])]
    running = start(["fuzz", "--seed", "1", "--seconds", "1.5", *optimizer], tmp_path)
    out, err = running.communicate(timeout=60)
    assert time.monotonic() - began < 1.5 + 2 + _STARTING_S
    assert out.startswith("campaign ended: 0 traces in ")
    assert err == ("warning: no trace was done in 1.5 s; the optimizer may take 10 s for each (--optimizer-timeout)\n")


def test_what_others_have_found_out_meanwhile_is_told(traceproof: Command, capsys: pytest.CaptureFixture[str]) -> None:
    """One that has nothing left to do ends before the others, or behind them."""
    traceproof("fuzz", "--seed", "3", "--traces", "8", "--jobs", "1", "--folder", "other")
    traceproof("fuzz", "--seed", "3", "--traces", "2", "--jobs", "1", "--folder", "mine")
    plan = replace(read_plan(Path("mine")), traces=8)

    def others(*_: object) -> Generator[SeedDone | Task | Cut]:
        for file in Path("other/results").iterdir():
            shutil.copy(file, Path("mine/results") / f"other-{file.name}")
        yield from ()

    def nothing(*_: object) -> Generator[SeedDone | Task | Cut]:
        yield from ()

    assert run_campaign(plan, Path("mine"), others, False, time.monotonic()) is Exit.PROVED
    assert "8 traces" in capsys.readouterr().out
    assert "all its traces were tried" in Path("mine/report/index.html").read_text()
    run_campaign(replace(plan, traces=9), Path("mine"), nothing, False, time.monotonic())
    assert "other processes are at what is left" in Path("mine/report/index.html").read_text()


def test_that_no_trace_was_done_is_said_of_what_ended_in_time() -> None:
    summary = Summary(Plan(seed=5, seconds=3.0), "campaign")
    assert summary.warning(interrupted=True) == ""
    assert summary.warning(interrupted=False).startswith("no trace was done in 3 s; the optimizer may take 10 s")
    summary.add(Result(seed=5, first=5, verdict="proved"))
    summary.before = 1
    assert summary.warning(interrupted=False) == (
        "no new trace was done in 3 s; to go on with a batch, what was done of it is made again"
    )


STUBBORN = """
import itertools, time
calls = itertools.count()

def wrong_and_then_slow(trace):
    if next(calls):
        time.sleep(60)
    raise RuntimeError("planted")
"""


@pytest.mark.parametrize("how", ["time", "interrupt"])
def test_a_find_that_is_being_reduced_at_the_end_is_kept_as_it_is(how: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(STUBBORN)
    began = time.monotonic()
    seconds = "1.5" if how == "time" else "60"
    args = ["--seed", "1", "--seconds", seconds, "--jobs", "1", "--optimizer", "mine:wrong_and_then_slow"]
    running = start(["fuzz", *args], tmp_path)
    if how == "interrupt":
        while not list((tmp_path / "campaign" / "claims").glob("*")):
            time.sleep(0.02)
        time.sleep(1.0)
        running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert time.monotonic() - began < 1.5 + 2 + 2 * _STARTING_S
    assert (err, running.returncode) == ("", 1 if how == "time" else 130)
    assert "found: 1 crash" in out
    assert os.listdir(tmp_path / "campaign" / "cases") == ["crash-not-reduced"]
    (result,) = read_results(tmp_path / "campaign")
    assert (result.seed, result.case) == (1, "crash-not-reduced")


# What the optimizer said.


@pytest.mark.parametrize(
    ("planted", "kind"),
    [
        ("sys.exit(3)", "crash"),
        ("time.sleep(60)", "hang"),
        ('print("what", flush=True)', "malformed"),
        ("""print(json.dumps({"trace": "what"}), flush=True)""", "malformed"),
        ("print(1, flush=True)", "malformed"),
    ],
)
def test_what_a_program_said_is_shown_with_its_find(planted: str, kind: str, traceproof: Command) -> None:
    args = ["fuzz", "--seed", "1", "--traces", "3", "--jobs", "1", "--optimizer-timeout", "0.5"]
    ended = traceproof(*args, *server(traceproof.folder, planted))
    (case,) = os.listdir("campaign/cases")
    told = ended.out.partition("campaign ended")[0].splitlines()
    assert told[0].startswith(f"{kind}: campaign/cases/{case}: ")
    assert told[-1] == "    \\u001b[1mI do not like this one"
    assert "I do not like this one" in read_case(Path("campaign/cases"), case).report


def test_the_end_of_a_traceback_is_shown_once_a_bucket(traceproof: Command) -> None:
    traceproof.write("mine.py", OPTIMIZERS)
    ended = traceproof("fuzz", "--seed", "1", "--traces", "300", "--jobs", "1", "--optimizer", "mine:crash")
    told = ended.out.partition("campaign ended")[0].splitlines()
    assert [line.partition(":")[0] for line in told if not line.startswith(" ")] == ["crash"]
    assert told.count("    RuntimeError: planted") == 1
    assert all(len(lines.splitlines()) <= 9 for lines in ended.out.partition("campaign ended")[0].split("crash: "))


def test_what_the_optimizer_said_is_a_field_of_json(traceproof: Command) -> None:
    traceproof.write("mine.py", OPTIMIZERS)
    ended = traceproof("fuzz", "--seed", "1", "--traces", "2", "--jobs", "1", "--optimizer", "mine:crash", "--json")
    first, second, _ = [json.loads(line) for line in ended.out.splitlines()]
    assert first["report"].endswith("\nRuntimeError: planted")
    assert first["bucket"] == second["bucket"]
    assert second["report"] is None


# The command that repeats it.


@given(st.sets(st.integers(0, 1500)))
def test_runs_of_seeds_are_the_seeds(chosen: set[int]) -> None:
    seeds = Seeds()
    for seed in chosen:
        seeds.add(seed)
    runs = list(seeds.runs())
    assert [seed for run in runs for seed in run] == sorted(chosen)
    assert all(before.stop < after.start for before, after in pairwise(runs))


def test_runs_of_full_blocks_are_one() -> None:
    seeds = Seeds()
    for seed in [*range(7, 1025), *range(1100, 1101)]:
        seeds.add(seed)
    assert list(seeds.runs()) == [range(7, 1025), range(1100, 1101)]


def summary_of(*runs: range) -> str:
    summary = Summary(Plan(seed=runs[0].start), "campaign")
    for run in runs:
        for seed in run:
            summary.add(Result(seed=seed, first=run.start, verdict="proved"))
    return summary.text(1.0, False)


def test_a_campaign_with_gaps_is_repeated_by_a_command_for_each_range() -> None:
    text = summary_of(range(1, 101), range(257, 341))
    assert "184 traces in 1.0 s, 184.0 a second, seeds 1 to 100, 257 to 340\n" in text
    assert text.endswith(
        "  repeat with: traceproof fuzz --seed 1 --traces 100\n  and with: traceproof fuzz --seed 257 --traces 84"
    )


def test_a_campaign_with_many_gaps_says_how_many_were_not_made() -> None:
    text = summary_of(*(range(first, first + 10) for first in range(0, 256 * 6, 256)))
    assert ", seeds 0 to 1289, with gaps\n" in text
    assert text.endswith(
        "  repeat with: traceproof fuzz --seed 0 --traces 1290\n    (and 1\N{NARROW NO-BREAK SPACE}230 traces "
        "that were not made)"
    )


@pytest.mark.parametrize("how", ["time", "finds", "resumed"])
def test_the_commands_name_the_traces_that_were_made(how: str, traceproof: Command) -> None:
    traceproof.write(
        "mine.py", "from fuzz.campaign.examine import Hangs\ndef hangs(trace):\n    raise Hangs('planted')\n"
    )
    args = {"time": ["--seconds", "1.5"], "finds": ["--stop-after", "1", "--optimizer", "mine:hangs"]}
    ended = traceproof("fuzz", "--seed", "5", "--jobs", "2", *args.get(how, ["--seconds", "0.6"]), "--json")
    if how == "resumed":
        ended = traceproof("fuzz", "--resume", "--jobs", "2", "--seconds", "0.6", "--json")
    told = json.loads(ended.out.splitlines()[-1])
    named = []
    for command in told["commands"]:
        words = command.split()
        first = int(words[words.index("--seed") + 1])
        named += range(first, first + int(words[words.index("--traces") + 1]))
    assert sorted(named) == sorted(result.seed for result in read_results(Path("campaign")))
    assert len(named) == told["traces"]
