"""Processes that tests start: they hear of Ctrl-C, and end with the test or the tests, however these end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory

from validator.processes.guardian import let_go, watch

ROOT = Path(__file__).parents[1]

_STARTED: list[subprocess.Popen[str] | Loaded] = []


def start_python(code: str, args: Sequence[str] = (), folder: Path | None = None) -> subprocess.Popen[str]:
    """A program in Python that can import the project; what it prints comes through pipes."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    watch(process.pid)
    _STARTED.append(process)
    return process


def end_all() -> None:
    """Kill what is left; what it has started, its own guardian kills."""
    while _STARTED:
        process = _STARTED.pop()
        if isinstance(process, Loaded):
            process.end()
            continue
        let_go(process.pid)
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()


def start_loaded(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], output: Path, into: Path | None = None
) -> BaseProcess:
    """A command of ours that writes to the file `output`, or what it prints to another and complaints to this one: a
    process of its own, forked from one that has loaded it already."""
    started = _LOADED.Process(target=_command, args=(tuple(words), folder, dict(environment), output, into or output))
    started.start()
    return started


class Loaded:
    """A command of ours that is run in the folder by such a process, to be used as one of `subprocess`."""

    def __init__(self, words: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None) -> None:
        self._scratch = TemporaryDirectory()
        self._said, self._complained = (Path(self._scratch.name) / name for name in ("said", "complained"))
        self._said.touch()
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **(variables or {})}
        self._process = start_loaded(words, folder, environment, self._complained, self._said)
        assert self._process.pid is not None
        self.pid: int = self._process.pid
        watch(self.pid)
        _STARTED.append(self)

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    @property
    def said(self) -> str:
        """What it has printed so far."""
        return self._said.read_text()

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        self._process.join(timeout)
        if self.returncode is None:
            raise TimeoutError(f"process {self.pid} did not end")
        return self.said, self._complained.read_text()

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        let_go(self.pid)
        self.kill()
        self._process.join()
        self._scratch.cleanup()


def run_loaded(
    words: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command of ours that is run in the folder to its end."""
    started = Loaded(words, folder, variables)
    said, complained = started.communicate(60)
    assert started.returncode is not None
    return subprocess.CompletedProcess(words, started.returncode, said, complained)


_LOADED = get_context("forkserver")
_LOADED.set_forkserver_preload(
    [f"fuzz.command.{name}" for name in ("campaign", "corpus", "hunt", "mine", "reduce", "report", "tables", "traces")]
    + ["fuzz.command.pypy.prove", "validator.command.validate", "validator.check.checker", "tests.preloaded"]
)


def _command(words: Sequence[str], folder: Path, environment: Mapping[str, str], output: Path, into: Path) -> None:
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    known = [path for path in sys.path if not path.startswith((f"{ROOT}/tests", f"{ROOT}/scripts"))]
    sys.path = [*environment["PYTHONPATH"].split(os.pathsep), *known]
    sys.argv = [*words]
    for path, number in ((into, 1), (output, 2)):
        with path.open("ab") as file:
            os.dup2(file.fileno(), number)
    program = "validator" if words[0] == "validate" else "fuzz"
    getattr(import_module(f"{program}.command.entry"), words[0])()


def children_of(pid: int) -> list[int]:
    """The processes that it has started, but for its guardian."""
    found = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(number) for number, name in map(str.split, found.stdout.splitlines()) if name != "sh"]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
