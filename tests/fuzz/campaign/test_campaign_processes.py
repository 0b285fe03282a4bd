"""Campaigns whose processes hang, die, eat memory and are killed: each seed has its result, once."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from commands import claiming
from processes import Loaded, children_of, is_running

from fuzz.campaign.batch import SeedDone, Task
from fuzz.campaign.claims import Claims
from fuzz.campaign.folder import CampaignFolder, write_plan
from fuzz.campaign.plan import BATCH, Plan
from fuzz.campaign.results import Result, ResultReader
from fuzz.campaign.supervisor import supervise
from fuzz.cases.store import read_case
from fuzz.command.main import main
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec
from optimizer.ir.text import parse
from validator.verdict import Options

ROOT = Path(__file__).parents[3]

OPTIMIZERS = """
import os, signal, time
from fuzz.draw.generator import generate_for
from optimizer.ir.faults import Unsupported

TRACES = {generate_for(seed).trace: seed for seed in (3, 4, 7, 9, 12, 20)}

def same(trace):
    return trace

def planted(trace):
    match TRACES.get(trace):
        case 3:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
            time.sleep(1000)
        case 4 | 20:
            os._exit(3)
        case 7:
            os.kill(os.getpid(), signal.SIGKILL)
        case 9:
            held = bytearray(3000 << 20)
        case 12:
            raise RuntimeError("planted")
    return trace

def touchy(trace):
    if trace not in TRACES:
        os._exit(3)

def deaf(trace):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(1000)

def slow(trace):
    time.sleep(0.005)
    raise Unsupported("label", 1)
"""

OPTIONS = Options(effort=1_000_000)
"""Verdicts that hang on effort alone, whatever the load."""

LOST = {3: "hang", 4: "crash", 7: "crash", 9: "crash", 20: "crash"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr("fuzz.campaign.keeping.REDUCE_S", 0.2)
    (tmp_path / "mine.py").write_text(OPTIMIZERS)


def plan_of(function: str, traces: int, **more: object) -> Plan:
    spec = OptimizerSpec(OptimizerKind.FUNCTION, f"mine:{function}", limit_s=0.5)
    return replace(Plan(0, traces, optimizer=spec, memory_mb=1000, options=Options(timeout_s=1.0)), **more)  # type: ignore[arg-type]  # fields of a plan


def run(plan: Plan, folder: Path, jobs: int, at_most: int | None = None) -> list[Result]:
    """What a campaign finds out, until it is broken off after so many seeds."""
    folder.mkdir(exist_ok=True)
    write_plan(folder, plan)
    heard: list[Result] = []
    campaign = CampaignFolder(folder, plan, None, heard.append)
    told = supervise(plan, campaign.next_task, jobs)
    for one in told:
        if isinstance(one, Task):
            campaign.end(one)
        elif isinstance(one, SeedDone) and one.is_final:
            campaign.keep(one)
        if at_most is not None and len(heard) >= at_most:
            break
    told.close()
    campaign.close()
    return heard


def told(results: list[Result]) -> list[Result]:
    """What is the same on every machine."""
    return sorted((replace(one, seconds={}, at=0.0) for one in results), key=lambda one: one.seed)


def stored(folder: Path) -> list[Result]:
    return list(ResultReader(folder / "results").read())


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_campaign_goes_on_without_the_processes_that_it_loses(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fuzz.campaign.plan._LATE_S", 0.0)
    monkeypatch.setattr("fuzz.campaign.plan.REDUCE_S", 0.0)
    folder = tmp_path / "campaign"
    heard = run(plan_of("planted", 40), folder, jobs)
    assert told(heard) == told(stored(folder))
    assert [one.seed for one in told(heard)] == list(range(40))
    assert {one.seed: one.verdict for one in heard if one.lost} == LOST
    assert {one.seed for one in heard if one.is_find} == {*LOST, 12}
    for one in heard:
        if one.is_find:
            case = read_case(folder / "cases", one.case)
            assert parse(case.before).ops
            assert case.state.inputs
            assert case.message == one.reason
    words = {one.seed: one.reason for one in heard if one.lost}
    assert words[3].startswith("no progress in 2.5 s")
    assert words[7].endswith("was killed, perhaps because the machine has too little memory")
    assert words[9].startswith("more than 1000 megabytes of memory were needed")


def test_a_find_stays_what_it_is_where_a_process_is_lost_over_its_reduction(tmp_path: Path) -> None:
    heard = run(plan_of("touchy", 2, seed=3), tmp_path / "campaign", 1)
    assert [(one.verdict, one.lost) for one in told(heard)] == [("malformed", False)] * 2
    assert {read_case(tmp_path / "campaign" / "cases", one.case).kind for one in heard} == {"malformed"}


def test_the_results_are_the_same_for_any_number_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.campaign.folder.BATCH", 8)
    plan = plan_of("same", 30, options=OPTIONS)
    alone = told(run(plan, tmp_path / "alone", 1))
    assert [one.seed for one in alone] == list(range(30))
    assert [one.first for one in alone] == [seed - seed % 8 for seed in range(30)]
    assert told(run(plan, tmp_path / "three", 3)) == alone


def test_a_campaign_that_was_broken_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.campaign.folder.BATCH", 8)
    monkeypatch.setattr("fuzz.campaign.plan._LATE_S", 0.0)
    monkeypatch.setattr("fuzz.campaign.plan.REDUCE_S", 0.0)
    plan = plan_of("planted", 26, seed=4, options=OPTIONS)
    whole = told(run(plan, tmp_path / "whole", 2))
    folder = tmp_path / "broken"
    for at_most in (2, 5, 13, 21):
        run(plan, folder, 2, at_most)
        written = max((folder / "results").iterdir(), key=lambda path: path.stat().st_mtime)
        file = written.rename(written.with_name(f"other-{at_most}.jsonl"))
        with file.open("a") as torn:
            torn.write('{"seed": 29, "ver')
    assert told(run(plan, folder, 2)) == whole
    assert told(stored(folder)) == whole
    assert run(plan, folder, 2) == stored(folder)


def _start(folder: Path, *args: str) -> Loaded:
    return Loaded(["traceproof", "fuzz", *args], folder)


SLOW = ("--seed", "5", "--traces", "300", "--optimizer", "mine:slow", "--jobs", "2")


def _begun(folder: Path, results: int) -> None:
    deadline = time.monotonic() + 30
    while len(stored(folder / "campaign")) < results:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_campaign_that_was_killed_goes_on(tmp_path: Path) -> None:
    killed = _start(tmp_path, *SLOW)
    _begun(tmp_path, 20)
    workers = children_of(killed.pid)
    assert len(workers) == 2
    killed.kill()
    killed.communicate()
    deadline = time.monotonic() + 5
    while any(map(is_running, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    before = stored(tmp_path / "campaign")
    assert 20 <= len(before) < 300
    # Two go on, as two machines would that share the folder.
    resumed = [_start(tmp_path, "--resume", "--jobs", "1") for _ in range(2)]
    ends = [one.communicate(timeout=60) for one in resumed]
    assert [one.returncode for one in resumed] == [0, 0], ends
    after = stored(tmp_path / "campaign")
    assert sorted(one.seed for one in after) == list(range(5, 305))
    assert {one.first for one in after} == {5, 5 + BATCH}
    assert not list((tmp_path / "campaign" / "claims").iterdir())


def test_a_worker_that_is_killed_costs_its_seed(tmp_path: Path) -> None:
    running = _start(tmp_path, *SLOW)
    _begun(tmp_path, 5)
    os.kill(children_of(running.pid)[0], signal.SIGKILL)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "\n  found: 1 crash\n" in out
    results = stored(tmp_path / "campaign")
    assert sorted(one.seed for one in results) == list(range(5, 305))
    (find,) = (one for one in results if one.is_find)
    assert find.lost
    assert read_case(tmp_path / "campaign" / "cases", find.case).command.startswith("traceproof fuzz --seed ")


def test_ctrl_c_twice_ends_at_once(tmp_path: Path) -> None:
    running = _start(tmp_path, "--seed", "1", "--optimizer", "mine:deaf", "--optimizer-timeout", "500", "--jobs", "2")
    deadline = time.monotonic() + 30
    while len(children_of(running.pid)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.3)
    workers, start = children_of(running.pid), time.monotonic()
    running.send_signal(signal.SIGINT)
    time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=20)
    assert running.returncode == 130
    assert time.monotonic() - start < 5
    assert not any(map(is_running, workers))


# What stands in the way.


def campaign(capture: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["fuzz", *args])
    out, err = capture.readouterr()
    return int(ended.value.code or 0), out, err


def test_a_folder_takes_one_campaign(capsys: pytest.CaptureFixture[str]) -> None:
    start = ("--seed", "1", "--traces", "3", "--optimizer", "mine:slow")
    assert campaign(capsys, *start, "--folder", "mine")[0] == 0
    code, out, err = campaign(capsys, *start, "--folder", "mine")
    assert (code, out) == (2, "")
    assert err == (
        "error: --folder: there is a campaign in mine already: go on with it by --resume, or choose another folder\n"
    )
    code, out, err = campaign(capsys, "--resume", "--folder", "mine", "--seed", "2")
    assert (code, err) == (2, "error: --seed: --resume goes on with what the campaign was started with\n")
    code, out, err = campaign(capsys, "--resume", "--folder", "yours")
    assert (code, err) == (2, "error: yours: there is no campaign in this folder\n")
    assert not Path("yours").exists()
    code, out, err = campaign(capsys, "--resume", "--folder", "mine", "--traces", "5")
    assert code == 0
    assert out.startswith("campaign ended: 5 traces (3 of them before) in ")


def test_campaigns_without_a_folder_take_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    start = ("--seed", "1", "--traces", "2", "--optimizer", "mine:slow")
    assert [campaign(capsys, *start)[0] for _ in range(3)] == [0, 0, 0]
    assert sorted(path.name for path in Path().glob("campaign*")) == ["campaign", "campaign-2", "campaign-3"]
    campaign(capsys, "--resume", "--traces", "4")
    assert [len(stored(Path(name))) for name in ("campaign", "campaign-2", "campaign-3")] == [2, 2, 4]


def test_a_full_disk_ends_with_2_and_loses_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = 0

    def fills(file: int, data: bytes) -> int:
        nonlocal written
        written += 1
        if written > 8:
            raise OSError(28, "No space left on device")
        return os.write(file, bytes(data[:100]))  # in several parts

    start = ("--seed", "1", "--traces", "6", "--optimizer", "mine:slow", "--jobs", "1")
    with monkeypatch.context() as full:
        full.setattr("fuzz.campaign.results.write", fills)
        code, out, err = campaign(capsys, *start, "--folder", "mine")
    assert (code, out) == (2, "")
    (name,) = os.listdir("mine/results")
    assert err == f"error: mine/results/{name}: no space is left on the device\n"
    assert 0 < len(stored(Path("mine"))) < 6
    assert campaign(capsys, "--resume", "--folder", "mine")[0] == 0
    assert [one.seed for one in told(stored(Path("mine")))] == list(range(1, 7))


def test_a_campaign_ends_at_a_number_of_finds(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = campaign(
        capsys,
        "--seed",
        "8",
        "--optimizer",
        "mine:planted",
        "--stop-after",
        "1",
        "--jobs",
        "2",
        "--folder",
        "mine",
        "--memory",
        "1000",
    )
    assert code == 1
    assert "\n  found: 1 crash\n" in out
    assert [one.seed for one in stored(Path("mine")) if one.is_find] == [9]
    # It is enough.
    assert "\n  found: 1 crash\n" in campaign(capsys, "--resume", "--folder", "mine")[1]
    _, out, _ = campaign(capsys, "--resume", "--folder", "mine", "--stop-after", "2", "--jobs", "1")
    assert "\n  found: 2 crash\n" in out


def test_a_find_is_found_by_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    campaign(
        capsys, "--seed", "8", "--traces", "6", "--optimizer", "mine:planted", "--folder", "mine", "--memory", "1000"
    )
    (find,) = (one for one in stored(Path("mine")) if one.is_find and not one.lost)
    command = read_case(Path("mine/cases"), find.case).command.split()
    assert command[:2] == ["traceproof", "fuzz"]
    assert campaign(capsys, *command[2:])[0] == 1
    (again,) = told(stored(Path("campaign")))
    assert replace(again, first=8, names=()) == replace(told([find])[0], names=())


# merge


def test_nothing_is_made_where_there_is_no_campaign_to_merge(capsys: pytest.CaptureFixture[str]) -> None:
    assert campaign(capsys, "merge", "nowhere", "--into", "c") == (
        2,
        "",
        "error: nowhere: there is no campaign in this folder\n",
    )
    assert not Path("c").exists()


def test_campaigns_are_merged(capsys: pytest.CaptureFixture[str]) -> None:
    for name, seed in (("a", 10), ("b", 12)):
        optimizer = ("--optimizer", "mine:planted")
        campaign(capsys, "--seed", str(seed), "--traces", "5", *optimizer, "--folder", name)
    assert campaign(capsys, "merge", "a", "b", "--into", "c") == (
        0,
        "c: 7 results and 1 case added, 3 results known\n",
        "",
    )
    assert [one.seed for one in told(stored(Path("c")))] == list(range(10, 17))
    (name,) = os.listdir("c/cases")
    assert name.startswith("crash-RuntimeError-")
    again = campaign(capsys, "merge", "a", "b", "c", "--into", "c")
    assert again == (0, "c: 0 results and 0 cases added, 10 results known\n", "")
    assert campaign(capsys, "merge", "a", "b")[1] == "a: 2 results and 0 cases added, 3 results known\n"
    campaign(capsys, "--seed", "3", "--traces", "1", "--optimizer", "mine:slow", "--folder", "d")
    code, _, err = campaign(capsys, "merge", "a", "d")
    assert (code, err) == (2, "error: d: this campaign has another optimizer or other options than that in a\n")
    assert campaign(capsys, "merge", "a", "d", "--into", "f") == (code, "", err), "f is no campaign yet"
    assert not Path("f/campaign.json").exists(), "the next merge would go by the plan of this one"
    code, _, err = campaign(capsys, "merge", "a", "e")
    assert (code, err) == (2, "error: e: there is no campaign in this folder\n")


def test_a_claim_of_a_process_that_is_gone_is_taken_over(tmp_path: Path) -> None:
    mine, other = Claims(tmp_path), claiming(tmp_path, 7)
    assert not mine.claim(7)
    other.kill()
    other.wait()
    assert mine.claim(7)
    mine.release(7)
    assert not (tmp_path / "7").exists()
    assert mine.claim(7)


def test_a_claim_of_a_process_that_is_stopped_stays_its_own(tmp_path: Path) -> None:
    mine, other = Claims(tmp_path), claiming(tmp_path, 7)
    other.send_signal(signal.SIGSTOP)
    os.utime(tmp_path / "7", (1, 1))
    assert not mine.claim(7)


def test_a_claim_that_somebody_else_has_meanwhile_is_not_released(tmp_path: Path) -> None:
    mine = Claims(tmp_path)
    assert mine.claim(7)
    (tmp_path / "7").unlink()
    claiming(tmp_path, 7)
    mine.release(7)
    assert (tmp_path / "7").exists()
    assert not mine.claim(7)
