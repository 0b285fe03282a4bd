"""Targets that pretend to be a PyPy: Python runs the programs, and faults are planted into what they print and log."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from pypy_logs import boxed

from fuzz.hunt.programs.program import Program

_FAKE = """
import os, sys, time
jit, rest = sys.argv[2] != "off", [word for word in sys.argv[3:] if word not in ("-S", "-B")]
if rest[0] == "-c":
    exec(rest[1])
    sys.exit()
log = os.environ.get("PYPYLOG", "").partition(":")[2]
source = open(rest[0]).read()
if jit and log:
    open(log, "w").write({log!r})
def first_time(name):
    try:
        return not os.close(os.open(os.path.join({folder!r}, name), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
{plant}
exec(compile(source, rest[0], "exec"))
"""
_SPOILED = """
import os, re, subprocess, sys
code = subprocess.run(["pypy3", *sys.argv[1:]]).returncode
log = os.environ.get("PYPYLOG", "").partition(":")[2]
if log and os.path.exists(log):
    recorded, mark, optimized = open(log).read().rpartition("{{jit-log-opt-bridge")
    open(log, "w").write(recorded + mark + re.sub({pattern!r}, {put!r}, optimized))
sys.exit(code)
"""
RIGHT, WRONG = (boxed(added).replace("a.py", "program.py") for added in (1, 2))
"""A log whose trace is proved, and one whose trace is refuted."""

SOURCE = """\
def f0(n):
    total = 0
    for i in range(n):
        total += i * 3
    return total

print("f0", f0(100))
print("f1", 7 // 2, 5 - 3)
"""
BRANCHING = """\
def f0(n):
    total = 0
    for i in range(n):
        if i & 3 == 3:
            total ^= i & 15
    return total

print("f0", f0(200))
"""
"""With a bridge, in which a number is masked."""
MISCOMPILED = 'if jit: source = source.replace("//", "-")'
"""With the JIT, quotients are differences."""


def fake(folder: Path, plant: str = "", log: str = RIGHT) -> str:
    """The command of a target with this fault and this log."""
    path = folder / "fake.py"
    path.write_text(_FAKE.format(log=log, plant=plant, folder=str(folder)))
    return shlex.join((sys.executable, "-ISu", str(path)))


def spoiled(folder: Path, pattern: str, put: str) -> str:
    """The command of a target that runs pypy3, and then changes the last optimized trace of a bridge in its log."""
    path = folder / "spoiled.py"
    path.write_text(_SPOILED.format(pattern=pattern, put=put))
    return shlex.join((sys.executable, "-ISu", str(path)))


def drawn(seed: int) -> Program:
    """A small program in the place of one that is drawn."""
    return Program(seed, f"{SOURCE}print('f2', {seed})\n", ("integers.quotient",), True)


def mutant(program: Program, other: Program, seed: int) -> Program:
    return Program(seed, f"{program.source}print({other.seed}, {seed})\n", program.parts, True)
