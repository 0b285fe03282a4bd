"""The corpus: cases, each a folder of text files.

    corpus/NAME/before.trace    the recorded trace
    corpus/NAME/after.trace     what an optimizer made of it, where it made something
    corpus/NAME/case.toml       what is known of the pair
    corpus/NAME/report.txt      a traceback or the like
    corpus/NAME/original.trace  what `before.trace` was reduced from, and beside it `original-after.trace`

Keys of `case.toml`, all optional: `about`, what the case shows; `expect`, the verdict on the pair (without
it the pair is not judged), and `obligation`, the one that is refuted; `optimizer = false`, if the optimizer is
not to be run on `before.trace`; `seed`, `kind`, `message`, `command`, where it came from; `[options]`:
`guards` and `failargs` as of `validate`; a state worth running: `[inputs]`, values by input, machine ints or names of
objects of `heap` (see `optimizer.ir.heap_text`), `event_results`, `writes` of each event, `invalid`, `[gc_types]` and
`stops_at_event`; `[versions]`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fuzz.toml_text import TomlValue, format_toml
from optimizer.ir.faults import InputError
from validator.stored_state import Stored, StoredState, StoredWrite, read_write, write_toml
from validator.verdict import Failargs, Guards, Options

VERDICTS = ("proved", "refuted", "unknown", "unsupported")


@dataclass(frozen=True, slots=True)
class Case:
    """A folder of the corpus. Traces are kept as text, since an optimizer may return what is no trace."""

    name: str
    before: str
    after: str | None = None
    about: str = ""
    expect: str = ""
    obligation: str = ""
    optimizer: bool = True
    options: Options = field(default_factory=Options)
    state: StoredState = field(default_factory=StoredState)
    seed: int | None = None
    kind: str = ""
    message: str = ""
    command: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    report: str = ""
    original: str = ""
    original_after: str | None = None


def store_case(corpus: Path, case: Case) -> bool:
    """Writes the case into the folder `corpus`; False if one of that name is there already, and stays.

    The case appears as a whole or not at all. Raises OSError.
    """
    target = corpus / case.name
    if target.exists():
        return False
    beside = Path(tempfile.mkdtemp(prefix=f".{case.name}-", dir=corpus))
    try:
        for name, text in _files(case).items():
            _write(beside / name, text)
        beside.chmod(0o755)
        beside.rename(target)
    except BaseException as error:
        shutil.rmtree(beside, ignore_errors=True)
        if isinstance(error, OSError) and target.exists():
            return False  # another campaign was faster
        raise
    return True


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _files(case: Case) -> dict[str, str]:
    files = {"before.trace": case.before, "case.toml": format_toml(_known(case))}
    if case.after is not None:
        files["after.trace"] = case.after
    if case.report:
        files["report.txt"] = case.report
    if case.original:
        files["original.trace"] = case.original
    if case.original_after is not None:
        files["original-after.trace"] = case.original_after
    return files


def _known(case: Case) -> dict[str, TomlValue]:
    default = Options()
    options = {
        name: chosen.value
        for name, chosen, usual in (
            ("guards", case.options.guards, default.guards),
            ("failargs", case.options.failargs, default.failargs),
        )
        if chosen is not usual
    }
    known: dict[str, TomlValue] = {
        "about": case.about,
        "expect": case.expect,
        "obligation": case.obligation,
        "optimizer": "" if case.optimizer else False,
        "kind": case.kind,
        "message": case.message,
        "command": case.command,
        **_known_state(case.state),
        "options": options,
        "inputs": dict(case.state.inputs),
        "gc_types": dict(case.state.gc_types),
        "versions": dict(case.versions),
    }
    said = {key: value for key, value in known.items() if value or value is False}
    if case.state.stops_at is not None:
        said = {"stops_at_event": case.state.stops_at, **said}
    return said if case.seed is None else {"seed": case.seed, **said}


def _known_state(state: StoredState) -> dict[str, TomlValue]:
    return {
        "event_results": state.event_results,
        "heap": state.heap,
        "writes": tuple(tuple(write_toml(write) for write in done) for done in state.writes),
        "invalid": state.invalid,
    }


def case_names(corpus: Path) -> tuple[str, ...]:
    """The names of the cases of a corpus, sorted. Raises OSError where the folder cannot be read."""
    return tuple(sorted(_case_folders(corpus)))


def _case_folders(corpus: Path) -> Iterator[str]:
    for entry in corpus.iterdir():
        if entry.is_dir() and not entry.name.startswith("."):
            yield entry.name


def read_case(corpus: Path, name: str) -> Case:
    """The case of that name. Raises InputError and OSError, with the file and what is wrong with it."""
    folder = corpus / name
    if not folder.is_dir():
        raise InputError(f"there is no case {name!r} in {corpus}; `traceproof corpus list` shows those that are")
    path = folder / "case.toml"
    text = _read(path)
    try:
        known = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not valid TOML: {error}", file=str(path)) from error
    case = _case(name, _read(folder / "before.trace"), _Table(str(path), known))
    case = replace(
        case,
        after=_read_if_there(folder / "after.trace"),
        report=_read_if_there(folder / "report.txt") or "",
        original=_read_if_there(folder / "original.trace") or "",
        original_after=_read_if_there(folder / "original-after.trace"),
    )
    if case.expect and case.after is None:
        raise InputError("`expect` is the verdict on a pair, and there is no after.trace", file=str(path))
    return case


def _read_if_there(path: Path) -> str | None:
    return _read(path) if path.exists() else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError("expected UTF-8 text, got something else", file=str(path)) from error


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of case.toml that is taken apart key by key."""

    file: str
    data: dict[str, Any]

    def take(self, key: str, kind: type, default: Any) -> Any:
        value = self.data.pop(key, default)
        if value is not default and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            raise InputError(f"`{key}` must be {_KINDS[kind]}, got {value!r}", file=self.file)
        return value

    def choose(self, key: str, among: tuple[str, ...], default: str) -> str:
        value: str = self.take(key, str, default)
        if value not in (*among, default):
            raise InputError(f"`{key}` must be one of {', '.join(among)}, got {value!r}", file=self.file)
        return value

    def numbers(self, key: str) -> tuple[int, ...]:
        values: list[Any] = self.take(key, list, [])
        if not all(isinstance(value, int) for value in values):
            raise InputError(f"`{key}` must be a list of whole numbers, got {values!r}", file=self.file)
        return tuple(values)

    def values(self, key: str) -> tuple[Stored, ...]:
        return tuple(self._stored(key, value) for value in self.take(key, list, []))

    def stored(self) -> tuple[tuple[str, Stored], ...]:
        return tuple((key, self._stored(key, self.data.pop(key))) for key in list(self.data))

    def _stored(self, key: str, value: Any) -> Stored:
        if isinstance(value, int | str) and not isinstance(value, bool):
            return value
        raise InputError(f"`{key}` must hold whole numbers and names of objects, got {value!r}", file=self.file)

    def writes(self, key: str) -> tuple[tuple[StoredWrite, ...], ...]:
        events: list[Any] = self.take(key, list, [])
        if not all(isinstance(done, list) for done in events):
            raise InputError(f"`{key}` must be a list of lists, one for each event, got {events!r}", file=self.file)
        return tuple(tuple(read_write(one, self.file) for one in done) for done in events)

    def table(self, key: str) -> _Table:
        return _Table(self.file, dict(self.take(key, dict, {})))

    def all(self, kind: type) -> tuple[tuple[str, Any], ...]:
        return tuple((key, self.take(key, kind, None)) for key in list(self.data))

    def close(self) -> None:
        for key in self.data:
            raise InputError(f"unknown key `{key}`", file=self.file)


_KINDS: dict[type, str] = {
    str: "text in quotes",
    int: "a whole number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}


def _state(table: _Table) -> StoredState:
    return StoredState(
        inputs=table.table("inputs").stored(),
        event_results=table.values("event_results"),
        heap=table.take("heap", str, ""),
        writes=table.writes("writes"),
        invalid=table.numbers("invalid"),
        gc_types=table.table("gc_types").all(int),
        stops_at=table.take("stops_at_event", int, None),
    )


def _case(name: str, before: str, table: _Table) -> Case:
    options = table.table("options")
    case = Case(
        name=name,
        before=before,
        about=table.take("about", str, ""),
        expect=table.choose("expect", VERDICTS, ""),
        obligation=table.take("obligation", str, ""),
        optimizer=table.take("optimizer", bool, True),
        options=Options(
            guards=Guards(options.choose("guards", tuple(mode.value for mode in Guards), Options().guards.value)),
            failargs=Failargs(
                options.choose("failargs", tuple(mode.value for mode in Failargs), Options().failargs.value)
            ),
        ),
        state=_state(table),
        seed=table.take("seed", int, None),
        kind=table.take("kind", str, ""),
        message=table.take("message", str, ""),
        command=table.take("command", str, ""),
        versions=table.table("versions").all(str),
    )
    options.close()
    table.close()
    return case
