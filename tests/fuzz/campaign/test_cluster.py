"""A campaign on a cluster of several processes, one of which is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'traceproof[cluster]'")

from distributed import LocalCluster

from fuzz.campaign.batch import Task
from fuzz.campaign.cluster import _supervised, supervise_cluster
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import Result
from fuzz.command.main import main
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec
from optimizer.ir.faults import InputError

ROOT = Path(__file__).parents[3]
NOBODY = "tcp://127.0.0.1:1"

OPTIMIZER = """
import os
from fuzz.draw.generator import generate_for
from optimizer.ir.faults import Unsupported

KILLS = generate_for(13).trace

def kills(trace):
    if trace == KILLS:
        os._exit(3)
    raise Unsupported("label", 1)
"""


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalCluster]:
    (tmp_path / "mine.py").write_text(OPTIMIZER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as started:
        yield started


def _tasks() -> Iterator[Task]:
    for first in range(4, 16, 4):
        yield Task(first, 4)


def _told(results: list[Result]) -> list[Result]:
    return sorted((replace(one, seconds={}, at=0.0) for one in results), key=lambda one: one.seed)


# A worker that is killed is told of by threads of Dask.
@pytest.mark.filterwarnings("default")
def test_a_campaign_on_a_cluster_is_the_same_where_workers_are_killed(
    cluster: LocalCluster, capfd: pytest.CaptureFixture[str]
) -> None:
    plan = Plan(4, 12, optimizer=OptimizerSpec(OptimizerKind.FUNCTION, "mine:kills"))
    tasks, found, ended = _tasks(), [], []
    with closing(supervise_cluster(cluster.scheduler_address, plan, lambda: next(tasks, None))) as told:
        for one in told:
            if isinstance(one, Task):
                ended.append(one)
                if len(ended) == 1:
                    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
            elif one.result is not None:
                found.append(one.result)
    assert sorted(task.first for task in ended) == list(range(4, 16, 4))
    alone = [one.result for one in _supervised(plan, list(_tasks())).seeds]
    assert _told(found) == _told([result for result in alone if result is not None])
    assert [(one.seed, one.verdict) for one in _told(found) if one.is_find] == [(13, "crash")]

    address = cluster.scheduler_address
    with pytest.raises(SystemExit) as exited:
        main(["fuzz", "--scheduler", address, "--seed", "12", "--traces", "3", "--optimizer", "mine:kills"])
    assert exited.value.code == 1
    assert "crash: campaign/cases/seed-13-crash: " in capfd.readouterr().out

    wrong = replace(plan, optimizer=OptimizerSpec(OptimizerKind.FUNCTION, "mine:missing"))
    tasks = iter([Task(4, 1)])
    with pytest.raises(InputError, match=r"a worker cannot do this work: .*there is no function missing in mine"):
        list(supervise_cluster(cluster.scheduler_address, wrong, lambda: next(tasks, None)))


def test_a_scheduler_that_does_not_answer_is_the_users_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fuzz.campaign.cluster._CONNECTING_S", 0.5)
    with pytest.raises(SystemExit) as exited:
        main(["fuzz", "--scheduler", NOBODY, "--folder", "nowhere"])
    assert exited.value.code == 2
    assert capfd.readouterr().err.startswith(f"error: --scheduler: no scheduler answers at {NOBODY}: ")
