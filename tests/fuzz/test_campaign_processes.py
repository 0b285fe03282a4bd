"""Campaigns whose processes hang, die, eat memory and are killed: each seed has its result, once."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fuzz.batch import Task
from fuzz.folder import CampaignFolder, write_plan
from fuzz.optimizers import OptimizerKind, OptimizerSpec
from fuzz.plan import Plan
from fuzz.results import Result, ResultReader
from fuzz.store import read_case
from fuzz.supervisor import supervise
from optimizer.ir.text import parse
from validator.verdict import Options

ROOT = Path(__file__).parents[2]

OPTIMIZERS = """
import os, signal, time
from fuzz.generate import generate_for

TRACES = {generate_for(seed).trace: seed for seed in range(40)}

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

def slow(trace):
    time.sleep(0.02)
    return trace
"""

LOST = {3: "hang", 4: "crash", 7: "crash", 9: "crash", 20: "crash"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "mine", raising=False)
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
        else:
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
    monkeypatch.setattr("fuzz.plan._LATE_S", 0.0)
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
