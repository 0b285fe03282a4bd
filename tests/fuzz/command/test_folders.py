"""The folders that commands store finds in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from commands import OPTIMIZERS, TRACE, Command
from pypy_logs import LOG

from fuzz.command.seeds import writable
from optimizer.ir.faults import InputError


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
