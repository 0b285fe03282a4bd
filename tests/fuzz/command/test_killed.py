"""What a command has started ends with it, when it is killed too."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import Loaded, children_of, is_running, start_python, wait_until
from pypy_logs import LOG

BEFORE = """\
[i0, i1, i2]
i3 = int_xor(i0, i1)
i4 = uint_mul_high(i1, i2)
i5 = int_mul(i3, i4)
i6 = int_eq(i5, 0x123456789abcdef1)
guard_true(i6) []
i7 = int_py_div(i2, 77)
i8 = int_mul(i7, i0)
i9 = int_mul(i8, i7)
i10 = int_eq(i9, 1234567877)
guard_false(i10) []
finish(i0)
"""
AFTER = BEFORE.replace("guard_false(i10) []\n", "")
TRACEPROOF = "from fuzz.command.main import main; main()"
SPIN = "open({pids!r}, 'a').write(f'{{os.getpid()}}\\n')\nwhile True: pass\n"


def descendants(pid: int) -> Iterator[int]:
    for child in children_of(pid):
        yield child
        yield from descendants(child)


def solvers_of(pid: int) -> list[int]:
    """Those that are at work: they use the processor."""
    found = []
    for one in descendants(pid):
        state = subprocess.run(
            ["ps", "-ww", "-o", "stat=,args=", "-p", str(one)], capture_output=True, text=True, check=False
        )
        if state.stdout.startswith("R") and ("z3 -in" in state.stdout or "child.py" in state.stdout):
            found.append(one)
    return found


def killed(process: Loaded | subprocess.Popen[str], all_of: list[int]) -> None:
    assert all_of
    os.kill(process.pid, signal.SIGKILL)
    try:
        wait_until(lambda: not any(map(is_running, all_of)))
    finally:
        for one in filter(is_running, all_of):
            os.kill(one, signal.SIGKILL)


@pytest.mark.parametrize("solver", ["z3", "bitwuzla", "cvc5"])
def test_a_solver_ends_with_validate(tmp_path: Path, solver: str) -> None:
    if solver != "z3":
        pytest.importorskip(solver)
    (tmp_path / "before.trace").write_text(BEFORE)
    (tmp_path / "after.trace").write_text(AFTER)
    limits = ["--timeout", "500", "--effort", "4000000000", "--solver", solver]
    process = Loaded(["validate", "before.trace", "after.trace", *limits], tmp_path)
    wait_until(lambda: bool(solvers_of(process.pid)))
    killed(process, list(descendants(process.pid)))


def test_solvers_end_with_the_workers_of_a_batch(tmp_path: Path) -> None:
    line = json.dumps({"before": BEFORE, "after": AFTER})
    (tmp_path / "pairs.jsonl").write_text(f"{line}\n{line}\n")
    limits = ["--timeout", "500", "--effort", "4000000000", "--solver", "z3"]
    process = Loaded(["validate", "--batch", "pairs.jsonl", "--jobs", "2", *limits], tmp_path)
    wait_until(lambda: len(solvers_of(process.pid)) == 2)
    killed(process, list(descendants(process.pid)))


def test_optimizers_end_with_a_campaign(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.touch()
    (tmp_path / "spin.py").write_text("import os, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n")
    with (tmp_path / "spin.py").open("a") as program:
        program.write(SPIN.format(pids=str(pids)))
    args = ["traceproof", "fuzz", "--jobs", "2", "--optimizer-cmd", "python3 spin.py", "--optimizer-timeout", "500"]
    process = Loaded(args, tmp_path)
    wait_until(lambda: pids.read_text().count("\n") == 2)
    killed(process, [*descendants(process.pid), *map(int, pids.read_text().split())])


def test_trials_end_with_a_reduction(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import os, time\n"
        "def slow(trace):\n"
        "    if os.getpid() != int(open('first').read()):\n"
        "        time.sleep(1000)\n"
        "    raise ValueError('planted')\n"
    )
    (tmp_path / "a.trace").write_text(BEFORE)
    code = f"import os; open('first', 'w').write(str(os.getpid())); {TRACEPROOF}"
    process = start_python(code, ["reduce", "a.trace", "--optimizer", "mine:slow", "--jobs", "2"], tmp_path)
    wait_until(lambda: len(children_of(process.pid)) == 2)
    killed(process, children_of(process.pid))


# What is ended in order leaves no files.


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_no_copy_of_a_log_is_left(tmp_path: Path, number: signal.Signals) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    os.mkfifo(tmp_path / "run.log")
    process = Loaded(["traceproof", "pypy-log", "run.log", "--prove"], tmp_path, {"TMPDIR": str(copies)})
    with (tmp_path / "run.log").open("w") as log:
        log.write(LOG)
        log.flush()
        time.sleep(0.2)  # it waits for more
        assert any(copies.iterdir())
        os.kill(process.pid, number)
        process.communicate(20)
    assert process.returncode == 128 + number
    assert not any(copies.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_no_log_of_a_program_is_left(tmp_path: Path, number: signal.Signals) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    (tmp_path / "given.log").write_text(LOG * 200)
    copy = "import os, shutil; shutil.copy('given.log', os.environ['PYPYLOG'].partition(':')[2])"
    words = ["traceproof", "pypy-run", "--jobs", "1", "--", sys.executable, "-c", copy]
    process = Loaded(words, tmp_path, {"TMPDIR": str(copies)})
    wait_until(lambda: "proved" in process.said)
    os.kill(process.pid, number)
    process.communicate(20)
    assert process.returncode == 128 + number
    assert not any(copies.iterdir())


def test_who_is_to_go_on_without_a_terminal_does(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text(LOG)
    code = f"import os, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); {TRACEPROOF}"
    os.mkfifo(tmp_path / "run.fifo")
    process = start_python(code, ["pypy-log", "run.fifo", "--prove"], tmp_path)
    with (tmp_path / "run.fifo").open("w") as log:
        log.write(LOG)
        os.kill(process.pid, signal.SIGHUP)
    out, _ = process.communicate(timeout=60)
    assert "3 pairs" in out
