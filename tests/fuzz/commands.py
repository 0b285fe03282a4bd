"""`traceproof` run by tests, in their process or in one of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest
from processes import Loaded, start_python

from fuzz.command.main import main

TRACE = """\
[i0, i1]
i2 = int_add_ovf(i0, 10)
guard_no_overflow() [i0, i1]
i3 = int_add(i2, 0)
i4 = escape_i(i3)
i5 = int_lt(i4, i1)
guard_true(i5) [i3, None]
jump(i3, i4)
"""
OPTIMIZERS = """
from dataclasses import replace
from optimizer.ir.trace import ConstInt

def crash(trace):
    raise RuntimeError("planted")

def constant(trace):
    return replace(trace, ops=(*trace.ops[:-1], replace(trace.end, args=(*trace.end.args, ConstInt(1)))))

def same(trace):
    return trace
"""


class Ended(NamedTuple):
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Command:
    """Runs `traceproof` in this process, in a folder of its own."""

    folder: Path
    capture: pytest.CaptureFixture[str]

    def __call__(self, *args: str) -> Ended:
        with pytest.raises(SystemExit) as ended:
            main(args)
        told = self.capture.readouterr()
        return Ended(int(ended.value.code or 0), told.out, told.err)

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return name


def start(args: Sequence[str], folder: Path) -> Loaded:
    return Loaded(["traceproof", *args], folder)


def claiming(folder: Path, first: int) -> subprocess.Popen[str]:
    """Another process that has claimed a batch, for as long as it runs."""
    code = (
        "import sys, time; from pathlib import Path; from fuzz.campaign.claims import Claims\n"
        "print(Claims(Path(sys.argv[1])).claim(int(sys.argv[2])), flush=True); time.sleep(1000)"
    )
    process = start_python(code, [str(folder), str(first)])
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    return process
