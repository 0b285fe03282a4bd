"""Verdicts on disk, found again by a hash of everything that they depend on.

The name of an entry is a hash of both traces as canonical text with their declarations, of the options, of the states
to try first, and of the source of the prover. What a proof says holds whatever it cost, and so is found whatever the
budget is; what was not settled for want of effort is found by no larger effort. What a limit of time or memory has cut
off is not kept, nor what is no verdict. A counterexample is run again before it is believed; a proof is believed. An
entry that was cut short, or that is not ours, is none.

An entry names the versions of the solvers that were there, and counts where none that is here has another version. So
proofs can be looked up where there is no solver.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import optimizer.ir
import validator
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace, all_operations
from optimizer.ir.types.trace_layout import layout_of
from validator.command.exits import describe
from validator.prove.judge import validate
from validator.search.counterexample import Counterexample, State
from validator.search.replay import Replay
from validator.tell.plain_data import from_plain, to_plain
from validator.tell.stored_state import StoredState, restored_state, stored_state
from validator.verdict import Evidence, Options, Proved, Refuted, Unknown, Verdict

Kept = Proved | Refuted | Unknown
"""The verdicts that are kept."""

_BUDGET = ("effort", "timeout_s", "memory_mb")
_SOLVERS = ("z3-solver", "bitwuzla", "cvc5")
_OF_THE_RUN = ("seconds", "is_repeatable", "cached")
"""The fields of evidence that are not kept."""


@dataclass(frozen=True)
class Question:
    """A pair to judge, and all that the answer depends on but for the prover and the solvers."""

    before: Trace
    after: Trace
    options: Options
    examples: Sequence[State] = ()

    @cached_property
    def key(self) -> str:
        """A hash of everything that is asked, and of the prover."""
        texts = [format_trace(self.before), format_trace(self.after)]
        tried = [to_plain(stored_state(state, self.before)) for state in self.examples]
        everything = [prover_digest(), texts, to_plain(self.options, _BUDGET), tried]
        return _digest(json.dumps(everything, sort_keys=True).encode())


class Cache:
    """A folder of verdicts, for any number of processes at once. `problem` is what went wrong with writing, if
    anything did: verdicts stand without it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problem = ""

    def get(self, question: Question) -> Kept | None:
        """The verdict that `validate` would come to, None where it is not known."""
        start = time.perf_counter()
        try:
            entry = _read(self._path(question.key), question.key)
            found = _verdict(entry, question) if entry is not None and _is_current(entry, question) else None
        except Exception:  # what is not ours may be wrong in any way
            return None
        seconds = time.perf_counter() - start
        return None if found is None else replace(found, evidence=replace(found.evidence, cached=True, seconds=seconds))

    def put(self, question: Question, verdict: Verdict) -> None:
        """Keep the verdict, if it is one that is kept."""
        if isinstance(verdict, Proved | Refuted | Unknown) and _is_kept(verdict):
            try:
                _write(self._path(question.key), _entry(verdict, question))
            except OSError as problem:
                self.problem = f"the cache cannot be written: {describe(problem)}"

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}.json"


def validate_cached(
    before: Trace, after: Trace, options: Options, known: Cache, examples: Sequence[State] = ()
) -> Verdict:
    """`validate`, where the cache does not know the verdict."""
    question = Question(before, after, options, examples)
    found = known.get(question)
    if found is not None:
        return found
    verdict = validate(before, after, options, examples=examples)
    known.put(question, verdict)
    return verdict


# What a verdict depends on.


@cache
def prover_digest() -> str:
    """A hash of the source of all that takes part in a verdict. Raises InputError where the source is not there."""
    digest = blake2b(digest_size=20)
    for package in (optimizer.ir, validator):
        folder = Path(package.__path__[0])
        paths = sorted(folder.rglob("*.py"))
        if not paths:
            raise InputError(f"the cache needs the source of {package.__name__}, and {folder} has none")
        for path in paths:
            source = path.read_bytes()
            digest.update(f"{package.__name__} {path.relative_to(folder).as_posix()} {len(source)}\n".encode())
            digest.update(source)
    return digest.hexdigest()


@cache
def installed_solvers() -> dict[str, str]:
    """The versions of the solvers that are installed."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in _SOLVERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=20).hexdigest()


# What is kept.


def _is_kept(verdict: Kept) -> bool:
    return _is_final(verdict) or verdict.evidence.is_repeatable


def _is_final(verdict: Kept) -> bool:
    """Would more effort say the same?"""
    match verdict:
        case Proved(evidence):
            return evidence.vacuous is not None and not (evidence.audit and evidence.audit.unsettled)
        case Refuted():
            return True
        case Unknown():
            return False


def _is_current(entry: dict[str, Any], question: Question) -> bool:
    """Is there nothing here that could say more, or otherwise?"""
    then, now = entry["solvers"], installed_solvers()
    if any(then[name] != version for name, version in now.items() if name in then):
        return False
    if entry["effort"] is not None and (entry["effort"] < question.options.effort or not now.keys() <= then.keys()):
        return False
    return entry["lines"] is None or entry["lines"] == _lines(question)


def _lines(question: Question) -> str:
    """A hash of the numbers of the lines, which are no part of the key: an unknown names some."""
    traces = (question.before, question.after)
    return _digest(str([[operation.line for operation in all_operations(trace)] for trace in traces]).encode())


def _entry(verdict: Kept, question: Question) -> dict[str, Any]:
    entry = {
        "key": question.key,
        "solvers": installed_solvers(),
        "effort": None if _is_final(verdict) else question.options.effort,
        "lines": _lines(question) if isinstance(verdict, Unknown) else None,
        "verdict": type(verdict).__name__,
    }
    if isinstance(verdict, Refuted):
        found = [_counterexample_data(one, question.before) for one in (verdict.counterexample, *verdict.others)]
        return entry | {"evidence": to_plain(verdict.evidence, _OF_THE_RUN), "counterexamples": found}
    return entry | {"said": to_plain(verdict, _OF_THE_RUN)}


def _counterexample_data(found: Counterexample, before: Trace) -> dict[str, Any]:
    return {
        "obligation": found.obligation,
        "origins": list(found.origins),
        "by": found.by,
        "state": to_plain(stored_state(found.state, before)),
    }


def _verdict(entry: dict[str, Any], question: Question) -> Kept | None:
    """The verdict of an entry; None where a counterexample is none."""
    if entry["verdict"] == Refuted.__name__:
        evidence = from_plain(Evidence, entry["evidence"], _OF_THE_RUN)
        replayed = _replayed(entry["counterexamples"], question)
        said: Kept | None = None if replayed is None else Refuted(evidence, replayed[0], tuple(replayed[1:]))
    else:
        kinds = {kind.__name__: kind for kind in (Proved, Unknown)}
        said = from_plain(kinds[entry["verdict"]], entry["said"], _OF_THE_RUN)
    return said if said is not None and _is_of(said.evidence, question) else None


def _is_of(evidence: Evidence, question: Question) -> bool:
    """Does it speak of guards that there are?"""
    before, after = len(question.before.guards), len(question.after.guards)
    return (
        len(evidence.origins) in (0, after)
        and all(origin is None or 0 <= origin < before for origin in evidence.origins)
        and all(0 <= guard < after for guard in (*evidence.early, *evidence.stricter))
    )


def _replayed(stored: Sequence[dict[str, Any]], question: Question) -> list[Counterexample] | None:
    """The counterexamples, each run again; None where one is none."""
    before, layout = question.before, layout_of(question.before, question.after)
    replay = Replay(before, question.after, question.options, layout)
    result = []
    for data in stored:
        parts = from_plain(StoredState, data["state"])
        state = State(()) if parts == StoredState() else restored_state(parts, before, layout, "the cache")
        origins, by = from_plain(tuple[int | None, ...], data["origins"]), from_plain(str, data["by"])
        found = None if state is None else replay.counterexample(state, origins)
        if found is None or found.obligation != data["obligation"]:
            return None
        result.append(replace(found, by=by))
    return result


# Files.


def _read(path: Path, key: str) -> dict[str, Any] | None:
    """The entry of that key, None where there is none, or not a whole one."""
    try:
        first, _, rest = path.read_bytes().partition(b"\n")
        if first != _first_line(rest):
            return None
        entry = json.loads(first + rest)
    except (OSError, ValueError):
        return None
    return entry if entry["key"] == key else None


def _first_line(rest: bytes) -> bytes:
    return f'{{"checksum": "{_digest(rest)}",'.encode()


def _write(path: Path, entry: dict[str, Any]) -> None:
    """Write the entry beside its place, and rename it into it. Raises OSError."""
    rest = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in entry.items()).encode() + b"\n}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".tmp", delete=False) as out:
            beside = out.name
            out.write(_first_line(rest) + b"\n" + rest)
        os.replace(beside, path)
    except BaseException as problem:
        if beside is not None:
            Path(beside).unlink(missing_ok=True)
        if isinstance(problem, OSError):
            problem.filename = str(path)
        raise
