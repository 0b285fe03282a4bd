"""A campaign against a subject with one of its faults, and what it took."""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
from collections import Counter
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
    """The campaign that looks for each fault: `command` is traceproof, `more` are further options of its `fuzz`."""

    command: str
    seconds: float
    more: Sequence[str]


@dataclass(frozen=True, slots=True)
class Measured:
    """The findings of one campaign: `found` is a wrong trace that is right without the fault. `traces` were tried, in
    so many seconds of processors, those of the subject and of solvers included."""

    subject: str
    fault: str
    half: str
    seed: int
    found: bool
    traces: int
    cpu_seconds: float
    message: str


@dataclass(frozen=True, slots=True)
class Sorted:
    """The buckets of the finds of one campaign, and how many are in each; `not_reduced` ones are in none."""

    subject: str
    fault: str
    finds: int
    not_reduced: int
    buckets: dict[str, int]


def right_server(subject: str) -> str:
    """The command of the subject without a fault."""
    return shlex.join([sys.executable, str(SUBJECTS / f"{subject}.py")])


def faults(subject: str, half: str) -> list[Fault]:
    """The faults of that half, or of both if it is `all`."""
    listed = subprocess.run([*shlex.split(right_server(subject)), "--list"], capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in listed.stdout.splitlines()]
    return [Fault(subject, one["fault"], one["half"]) for one in found if half in ("all", one["half"])]


def measure(fault: Fault, seed: int, campaign: Campaign) -> Measured:
    """The findings of a campaign from that seed. Raises Failed."""
    with TemporaryDirectory() as folder:
        finds = Path(folder, "finds")
        lines, cpu_seconds = _run(_campaign(fault, seed, campaign, finds, 1))
        *found, end = map(json.loads, lines)
        message = found[0]["message"] if found else ""
        is_right = bool(found) and found[0]["kind"] == "refuted" and not _wrong_without(fault, finds, campaign)
    return Measured(fault.subject, fault.name, fault.half, seed, is_right, end["traces"], cpu_seconds, message)


def sort(fault: Fault, seed: int, campaign: Campaign, stop_after: int) -> Sorted:
    """The buckets of so many finds of a campaign, without those whose case the subject gets wrong without the fault
    too. Raises Failed."""
    with TemporaryDirectory() as folder:
        finds = Path(folder, "finds")
        lines, _ = _run(_campaign(fault, seed, campaign, finds, stop_after))
        *found, _ = map(json.loads, lines)
        others = _wrong_without(fault, finds, campaign)
    buckets = Counter(one["bucket"] for one in found if one["bucket"] not in others)
    not_reduced = buckets.pop(None, 0)
    return Sorted(fault.subject, fault.name, buckets.total(), not_reduced, dict(buckets.most_common()))


def _campaign(fault: Fault, seed: int, campaign: Campaign, finds: Path, stop_after: int) -> list[str]:
    command = [*shlex.split(campaign.command), "fuzz", "--seed", str(seed), "--jobs", "1", "--json"]
    command += ["--stop-after", str(stop_after), "--seconds", str(campaign.seconds), "--folder", str(finds)]
    return [*command, "--optimizer-server", fault.server, *campaign.more]


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


def _wrong_without(fault: Fault, finds: Path, campaign: Campaign) -> set[str]:
    """The cases that the subject gets wrong without the fault too."""
    command = [*shlex.split(campaign.command), "corpus", "run", "--corpus", str(finds / "cases"), "--jobs", "1"]
    command += ["--optimizer-server", right_server(fault.subject)]
    ended = subprocess.run(command, capture_output=True, text=True)
    told = {line.partition(": ")[0] for line in ended.stdout.splitlines()}
    return {case.name for case in (finds / "cases").glob("*") if ended.returncode and case.name in told}
