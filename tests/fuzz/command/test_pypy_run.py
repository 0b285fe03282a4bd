"""`traceproof pypy-run`: from a program to verdicts in one command."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from processes import ROOT, Loaded, is_running, run_loaded, wait_until
from pypy_logs import LOG, boxed

PYPY = shutil.which("pypy3")
MAIN = "from fuzz.command.main import main; main()"
COMPILES = """
def f(n):
    s = 0
    for i in range(n):
        s += i & 7
    return s
print(f(5000))
"""


def pretending(folder: Path, log: str, then: str = "") -> list[str]:
    """A program that writes this log, as PyPy does, and then does something."""
    (folder / "given.log").write_text(log)
    text = "import os, sys, time\nopen(os.environ['PYPYLOG'].partition(':')[2], 'w').write(open('given.log').read())\n"
    (folder / "pretending.py").write_text(f"{text}{then}\n")
    return [sys.executable, "pretending.py"]


def run(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return run_loaded(["traceproof", "pypy-run", *args], folder)


def run_with_input(folder: Path, said: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", MAIN, "pypy-run", *args],
        cwd=folder,
        input=said,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_a_program_is_run_and_its_log_proved(tmp_path: Path) -> None:
    words = pretending(tmp_path, LOG, "print(sys.stdin.read() + ' heard'); print(sys.argv[1:])")
    done = run_with_input(tmp_path, "hallo", "--jobs", "1", "--", *words, "--jobs", "x")
    assert done.returncode == 1
    assert done.stdout.startswith("hallo heard\n['--jobs', 'x']\n     1 loop         proved")
    assert f"{sys.executable} pretending.py --jobs x: 3 pairs, 1 trace without" in done.stdout
    assert done.stderr.endswith("the log is not kept; --log FILE keeps it, for `traceproof pypy-log FILE --prove`\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["given.log", "pretending.py"]


def test_the_log_is_kept_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text("an old one")
    done = run(tmp_path, "--log", "run.log", "--jobs", "1", "--", *pretending(tmp_path, boxed()))
    assert done.returncode == 0
    assert (tmp_path / "run.log").read_text() == boxed()


@pytest.mark.parametrize(
    ("then", "message"),
    [("sys.exit(3)", " ended with 3\n"), ("os.abort()", " was ended by SIGABRT\n"), ("1 / 0", " ended with 1\n")],
)
def test_what_a_program_ends_with_is_told_and_not_mixed_up(tmp_path: Path, then: str, message: str) -> None:
    done = run(tmp_path, "--jobs", "1", "--", *pretending(tmp_path, boxed(), then))
    assert done.returncode == 0
    assert done.stderr.endswith(message)


def test_a_program_that_cannot_be_started_or_logs_nothing(tmp_path: Path) -> None:
    missing = run(tmp_path, "--", "no-such-pypy", "x.py")
    assert (missing.returncode, missing.stderr) == (2, "error: no-such-pypy: there is no such file\n")
    other = run(tmp_path, "--", sys.executable, "-c", "print('hallo')")
    assert (other.returncode, other.stdout) == (2, "hallo\n")
    assert "has written no log: it is no PyPy, or one without a JIT" in other.stderr
    short = run(tmp_path, "--", *pretending(tmp_path, ""))
    assert short.returncode == 2
    assert "has compiled nothing" in short.stderr


@pytest.mark.parametrize("log", ["run-%d.log", "no/run.log", "."])
def test_a_log_that_cannot_be_written(tmp_path: Path, log: str) -> None:
    done = run(tmp_path, "--log", log, "--", *pretending(tmp_path, boxed()))
    assert done.returncode == 2
    assert done.stderr.startswith("error: --log: ")


def started(folder: Path, words: list[str]) -> tuple[Loaded, int]:
    """The command, and the process of a program that prints its number."""
    process = Loaded(["traceproof", "pypy-run", "--jobs", "1", "--", *words], folder)
    wait_until(lambda: process.said.endswith("\n"))
    return process, int(process.said)


def test_ctrl_c_ends_the_program_and_its_log_is_proved(tmp_path: Path) -> None:
    words = pretending(tmp_path, boxed(), "print(os.getpid(), flush=True)\ntime.sleep(1000)")
    process, program = started(tmp_path, words)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate()
    assert process.returncode == 0
    assert "1 pair" in out
    assert " was ended by SIGINT" in err or " ended with " in err
    assert not is_running(program)


@pytest.mark.parametrize("stubborn", [False, True])
def test_sigterm_ends_the_program_too(tmp_path: Path, stubborn: bool) -> None:
    ignores = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if stubborn else ""
    words = pretending(tmp_path, boxed(), f"{ignores}print(os.getpid(), flush=True)\ntime.sleep(1000)")
    process, program = started(tmp_path, words)
    os.kill(process.pid, signal.SIGTERM)
    process.communicate(20)
    assert process.returncode == 128 + signal.SIGTERM
    wait_until(lambda: not is_running(program))


@pytest.mark.skipif(PYPY is None, reason="needs pypy3")
def test_a_real_pypy(tmp_path: Path) -> None:
    assert PYPY is not None
    (tmp_path / "prog.py").write_text(COMPILES)
    done = run(tmp_path, "--jobs", "1", "--timeout", "10", "--", PYPY, "prog.py")
    assert done.stdout.startswith(f"{sum(i & 7 for i in range(5000))}\n")
    assert re.search(r": [0-9]+ pairs?$", done.stdout, re.MULTILINE)  # what PyPy's own start compiles, varies
    assert done.returncode in (0, 3, 4)
