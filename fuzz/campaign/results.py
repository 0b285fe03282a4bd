"""Results, which a campaign remembers of each seed: a line of JSON, in files that only grow.

    FOLDER/results/HOST-PID-N.jsonl

A process that runs a campaign has a file of its own. A line may be torn where the process or the machine has died, and
a seed may be there twice where two processes have worked on it: readers take the first whole line of a seed. The keys
of a line are the fields of `Result`.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from os import write
from pathlib import Path
from typing import Any

from fuzz.campaign.changes import Seen, is_changed
from fuzz.campaign.examine import Find, Record
from fuzz.campaign.seeds import Seeds
from optimizer.ir.trace import Trace
from validator.command.exits import input_errors
from validator.tell.report import verdict_name
from validator.verdict import Proved, Refuted, Unknown

_SAFE_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a seed, as it is remembered.

    `first` is the first seed of its batch. `made` is "generated", "mutated" (from the traces that `parents` name),
    "given" (the one that `parents` names) or "" where it is not known, `verdict` "proved", "unknown", "unsupported" or
    a kind of find. `vacuous` is None where that is not known. `seconds` are those of "making", "optimizing" and
    "judging"; `operations` and `guards` are counted before and after the optimizer. `rungs` says how many obligations
    each rung has settled, `early` and `stricter` how many guards are so. `fired` names what took part in optimizing,
    `hard` the operations that an unknown is blamed on. `reason` is the message of a find or what an unknown is about;
    `case` is the folder of a find among the cases, `bucket` what finds of the same cause share, empty where that is not
    known: the find was not reduced. `lost`: the process that worked on it had to be replaced. `changed`: the optimizer
    did not just hand the trace back; None where it gave
    none. `names` are those of the trace's operations that no trace before it in the batch had that was `changed` as it
    is. `checked`: does the checker follow the certificate of the proof? None where it was not asked; `not_checked`
    names the obligation that it has not settled, and why. `at` is the Unix time.
    """

    seed: int
    first: int
    verdict: str
    made: str = "generated"
    parents: tuple[str, ...] = ()
    vacuous: bool | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    operations: tuple[int, int] | None = None
    guards: tuple[int, int] | None = None
    rungs: Mapping[str, int] = field(default_factory=dict)
    solver_queries: int = 0
    early: int = 0
    stricter: int = 0
    fired: tuple[str, ...] = ()
    hard: tuple[str, ...] = ()
    reason: str = ""
    case: str = ""
    bucket: str = ""
    lost: bool = False
    changed: bool | None = None
    names: tuple[str, ...] = ()
    checked: bool | None = None
    not_checked: str = ""
    at: float = 0.0

    @property
    def is_find(self) -> bool:
        return self.verdict not in COUNTED

    def line(self) -> str:
        """The line of the file, with its end."""
        return json.dumps({name: getattr(self, name) for name in _FIELDS}, separators=(",", ":")) + "\n"


COUNTED = ("proved", "unknown", "unsupported")
"""Verdicts that are no finds."""

_FIELDS = tuple(one.name for one in fields(Result))
_LISTS = ("parents", "operations", "guards", "fired", "hard", "names")


def read_line(line: str | bytes) -> Result | None:
    """The result that a line tells; None if it is torn."""
    try:
        data: dict[str, Any] = json.loads(line)
        for name in _LISTS:
            if data[name] is not None:
                data[name] = tuple(data[name])
        return Result(**{name: value for name, value in data.items() if name in _FIELDS})
    except (ValueError, TypeError, KeyError):
        return None


def result_of(record: Record, first: int, making_s: float, seen: Seen, lost: bool = False) -> Result:
    """The result that is a record of the batch that starts at `first`, in which so much was `seen`. The case of a
    find is named later."""
    made = record.made
    assert made is not None
    verdict = record.verdict
    evidence = verdict.evidence if isinstance(verdict, Proved | Refuted | Unknown) else None
    audit = evidence.audit if evidence else None
    before, after = made.generated.trace, record.after if isinstance(record.after, Trace) else None
    changed = None if after is None else is_changed(before, after)
    return Result(
        seed=record.seed,
        first=first,
        verdict=record.kind.value if isinstance(record, Find) else verdict_name(record.verdict),
        made="given" if made.is_given else "mutated" if made.parents else "generated",
        parents=made.parents,
        vacuous=None if evidence is None or evidence.vacuous is None else bool(evidence.vacuous),
        seconds={
            "making": round(making_s, 6),
            "optimizing": round(record.took.optimizing, 6),
            "judging": round(record.took.judging, 6),
        },
        operations=None if after is None else (len(before.ops), len(after.ops)),
        guards=None if after is None else (len(before.guards), len(after.guards)),
        rungs=dict(Counter(one.by for one in evidence.obligations)) if evidence else {},
        solver_queries=sum(bool(one.solver) for one in evidence.obligations) if evidence else 0,
        early=len(evidence.early) if evidence else 0,
        stricter=len(evidence.stricter) if evidence else 0,
        fired=tuple(sorted(record.fired)),
        hard=tuple(hard.text for hard in verdict.why.hard) if isinstance(verdict, Unknown) and verdict.why else (),
        reason=record.message if isinstance(record, Find) else getattr(verdict, "reason", ""),
        lost=lost,
        changed=changed,
        names=() if changed is None else seen.new(before, changed),
        checked=None if audit is None else not audit.unsettled,
        not_checked="" if audit is None or not audit.unsettled else f"{', '.join(audit.unsettled)}: {audit.reason}",
        at=round(time.time(), 3),
    )


# Files.


class ResultFile:
    """The file of results that this process adds to. Each line is written at once, and survives the end of the machine
    a second later. Raises OSError."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self._file = _new_file(folder)
        self._safe = time.monotonic()

    def add(self, result: Result) -> None:
        """Raises InputError where it cannot be written."""
        line = memoryview(result.line().encode())
        with input_errors(name=str(self.path)):
            while line:
                line = line[write(self._file, line) :]
            if time.monotonic() - self._safe >= _SAFE_EVERY_S:
                os.fsync(self._file)
                self._safe = time.monotonic()

    def close(self) -> None:
        """An empty file is not left behind."""
        is_empty = os.fstat(self._file).st_size == 0
        os.close(self._file)
        if is_empty:
            self.path.unlink(missing_ok=True)


def _new_file(folder: Path) -> tuple[Path, int]:
    number = 0
    while True:
        path = folder / f"{platform.node() or 'here'}-{os.getpid()}-{number}.jsonl"
        try:
            return path, os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            number += 1


class ResultReader:
    """Reads the files of a folder as they grow."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: dict[str, int] = {}

    def read(self, but: Path | None = None) -> Iterator[Result]:
        """The whole lines that were not read before, a seed more than once where it is there more than once. Leaves
        out the file `but`."""
        for path in sorted(self._folder.glob("*.jsonl")):
            if path == but:
                continue
            with path.open("rb") as file:
                file.seek(self._offsets.get(path.name, 0))
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._offsets[path.name] = self._offsets.get(path.name, 0) + len(line)
                    if (result := read_line(line)) is not None:
                        yield result


def read_results(campaign: Path) -> Iterator[Result]:
    """The results of a campaign's folder, each seed once."""
    seen = Seeds()
    for result in ResultReader(campaign / "results").read():
        if seen.add(result.seed):
            yield result
