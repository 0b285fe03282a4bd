"""The folders that commands store finds in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from commands import OPTIMIZERS, TRACE, Command
from pypy_logs import LOG

from optimizer.ir.faults import InputError
from validator.command.files import writable


def test_several_processes_may_begin_in_one_folder_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda _: writable(tmp_path, "--folder"), range(400))) == [tmp_path] * 400
    assert not [*tmp_path.iterdir()]


def test_a_folder_in_which_nothing_can_be_stored_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"--folder: .*file: the file exists already"):
        writable(tmp_path / "file", "--folder")
    with pytest.raises(InputError, match=r"--folder: .*: this is not a directory"):
        writable(tmp_path / "file" / "folder", "--folder")


def test_any_name_that_the_system_takes_is_taken(traceproof: Command) -> None:
    long, half = "é" * 120, "é" * 100
    before = traceproof.write("before.trace", TRACE)
    traceproof.write("mine.py", OPTIMIZERS)
    assert traceproof("optimize", before, "-o", f"{long}.trace").code == 0
    assert traceproof("reduce", before, "--optimizer", "mine:crash", "-o", f"{long}-case").code == 0
    log = traceproof.write(f"{long}.log", LOG)
    for folder, how in ("traces", ()), ("cases", ("--prove",)):
        assert "too long" not in traceproof("pypy-log", log, *how, "--extract", folder).err
        names = [path.name for path in Path(folder).iterdir()]
        assert names
        assert all(name.startswith(f"{half}-000") for name in names)


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("there", "there is there already"),
        ("/proc/nothing", "/proc: permission denied"),
        ("before.trace/case", "before.trace: the file exists already"),
    ],
)
def test_nothing_is_reduced_for_a_folder_that_cannot_be_written(where: str, why: str, traceproof: Command) -> None:
    traceproof.write("before.trace", TRACE)
    traceproof.write("mine.py", "def run(trace):\n    open('ran', 'w')\n    raise ValueError\n")
    Path("there").mkdir()
    ended = traceproof("reduce", "before.trace", "--optimizer", "mine:run", "-o", where)
    assert ended == (2, "", f"error: --output: {why}\n")
    assert not Path("ran").exists()


@pytest.mark.parametrize("command", ["corpus run --shipped", "pypy-log run.log --prove"])
@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("nowhere/x", "there is no folder nowhere"),
        ("/proc/x", "permission denied"),
        (".", "this is a directory, a file"),
    ],
)
def test_nothing_is_judged_for_a_file_that_cannot_be_written(
    command: str, file: str, why: str, traceproof: Command
) -> None:
    traceproof.write("run.log", LOG)
    for option in ("--junit", "--html")[: 2 if "log" in command else 1]:
        ended = traceproof(*command.split(), option, file)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"error: {file}: {why}")


def test_a_file_that_cannot_be_written_in_the_end_hides_no_verdict(traceproof: Command) -> None:
    traceproof.write("run.log", LOG)
    ended = traceproof("pypy-log", "run.log", "--prove", "--junit", "/dev/full", "--html", "page.html")
    assert ended.code == 1
    assert ended.err.endswith("\nerror: /dev/full: no space is left on the device\n")
    assert "refuted" in ended.out
    assert Path("page.html").exists()
