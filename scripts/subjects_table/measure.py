"""A campaign against a subject with one of its faults, and what it took."""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

SUBJECTS = Path(__file__).parents[2] / "tests" / "subjects"
NAMES = ("peephole", "heapcache")


class Failed(Exception):
    """A command did not do what it should."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A planted fault; its half is `tuning` or `held-out`."""

    subject: str
    name: str
    half: str

    @property
    def server(self) -> str:
        return f"{right_server(self.subject)} --fault {shlex.quote(self.name)}"


@dataclass(frozen=True, slots=True)
class Campaign:
    """How each fault is looked for: `command` is traceproof, `more` are further options of its `fuzz`."""

    command: str
    seconds: float
    more: Sequence[str]


@dataclass(frozen=True, slots=True)
class Measured:
    """What one campaign has found: `found` is a wrong trace that is right without the fault. `traces` were tried, in
    so many seconds of processors, those of the subject and of solvers included."""

    subject: str
    fault: str
    half: str
    seed: int
    found: bool
    traces: int
    cpu_seconds: float
    message: str


def right_server(subject: str) -> str:
    """The command of the subject without a fault."""
    return shlex.join([sys.executable, str(SUBJECTS / f"{subject}.py")])


def faults(subject: str, half: str) -> list[Fault]:
    """The faults of that half, or of both if it is `all`."""
    listed = subprocess.run([*shlex.split(right_server(subject)), "--list"], capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in listed.stdout.splitlines()]
    return [Fault(subject, one["fault"], one["half"]) for one in found if half in ("all", one["half"])]


def measure(fault: Fault, seed: int, campaign: Campaign) -> Measured:
    """What a campaign from that seed finds. Raises Failed."""
    with TemporaryDirectory() as folder:
        finds = Path(folder, "finds")
        command = [*shlex.split(campaign.command), "fuzz", "--seed", str(seed), "--jobs", "1", "--stop-after", "1"]
        command += ["--seconds", str(campaign.seconds), "--folder", str(finds), "--json"]
        lines, cpu_seconds = _run([*command, "--optimizer-server", fault.server, *campaign.more])
        *found, end = map(json.loads, lines)
        message = found[0]["message"] if found else ""
        is_right = bool(found) and found[0]["kind"] == "refuted" and _is_due_to(fault, finds, campaign)
    return Measured(fault.subject, fault.name, fault.half, seed, is_right, end["traces"], cpu_seconds, message)


def _run(command: Sequence[str]) -> tuple[list[str], float]:
    """The lines that a campaign prints, and the seconds of processors that it has used."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    with process.stdout as told:
        lines = told.read().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise Failed(f"{shlex.join(command)} ended with {process.returncode}")
    return lines, _seconds(usage)


def _seconds(usage: resource.struct_rusage) -> float:
    return round(usage.ru_utime + usage.ru_stime, 2)


def _is_due_to(fault: Fault, finds: Path, campaign: Campaign) -> bool:
    """Is the find's trace optimized right without the fault?"""
    command = [*shlex.split(campaign.command), "corpus", "run", "--corpus", str(finds / "cases"), "--jobs", "1"]
    ended = subprocess.run([*command, "--optimizer-server", right_server(fault.subject)], capture_output=True)
    return ended.returncode == 0
