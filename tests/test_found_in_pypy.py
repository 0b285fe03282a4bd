"""The programs of docs/found-in-pypy.md print what the page says, by the PyPy that it names and by this Python."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "found-in-pypy.md"
SEEN_WITH = "7.3.11"
PYPY = shutil.which("pypy3")


def is_seen() -> bool:
    """Is there the PyPy that the page speaks of?"""
    if PYPY is None:
        return False
    return SEEN_WITH in subprocess.run([PYPY, "--version"], capture_output=True, text=True, check=False).stdout


needs_pypy = pytest.mark.skipif(not is_seen(), reason=f"needs pypy3 {SEEN_WITH}")


def told() -> Iterator[tuple[str, str, str]]:
    """Each program with a command, and what is said that it prints."""
    sections = PAGE.read_text().split("\n## ")[1:]
    for section in sections:
        program = re.search(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        assert program is not None, section.splitlines()[0]
        for commands, prints in re.findall(r"^\| (`.*prog\.py`.*?) \| (.*) \|$", section, re.MULTILINE):
            for command in re.findall(r"`(.*?)`", commands):
                yield program[1], command, prints


ROWS = list(told())


@needs_pypy
@pytest.mark.parametrize(("program", "command", "prints"), ROWS, ids=[command for _, command, _ in ROWS])
def test_programs_print_what_is_said(program: str, command: str, prints: str, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(program)
    words = [sys.executable if word == "python3" else word for word in command.split()]
    if "does not end" in prints:
        with pytest.raises(subprocess.TimeoutExpired):
            subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=1.5, check=False)
        return
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    if "Segmentation fault" in prints:
        assert done.returncode < 0
    else:
        assert done.returncode == 0
        said = prints.strip("`")
        if said.endswith(", ...}"):  # what a register happens to hold
            assert re.fullmatch(r"\{0(, \d+)+\}\n", done.stdout)
        else:
            assert done.stdout == f"{said}\n"


def test_all_programs_have_such_rows() -> None:
    programs = {program for program, _, _ in ROWS}
    assert len(programs) >= 5
