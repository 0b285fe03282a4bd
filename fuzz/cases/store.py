"""The corpus: cases, each a folder of text files.

    corpus/NAME/before.trace    the recorded trace
    corpus/NAME/after.trace     what an optimizer made of it, where it made something
    corpus/NAME/case.toml       what is known of the pair, if anything is
    corpus/NAME/report.txt      a traceback or the like
    corpus/NAME/original.trace  what `before.trace` was reduced from, and beside it `original-after.trace`
    corpus/NAME/program.py      a program that shows it on a PyPy, with `program.log`; then there may be no traces

Keys of `case.toml`, all optional: `about`, what the case shows; `taught`, what is to be learned from it, and from all
cases of its kind; `source`, who made it, or what was read for it; `expect`, the verdict on the pair (without it the
pair is not judged), `obligation`, the one that is refuted, and `[expected]`, what else the verdict says: `vacuous` and
`assumes`, lists of texts, `early` and `stricter`, lists of guards (what is not there is not compared); `optimizer =
false`, if the optimizer is not to be run on `before.trace`; `seed`, `kind`, `message`, `command`, where a find came
from; `jit`, the options of PyPy's JIT that a program is run with; `[options]`: `guards` and `failargs` as of
`validate`; a state worth running: `[inputs]`, values by input, machine ints or names of objects of `heap` (see
`optimizer.ir.text.heap_syntax`), `event_results`, `writes` of each event, `invalid`, `raises`, `function_results`,
`function_raises`, `pending`, `forced`, `false_conditions`, `[gc_types]` and `stops_at_event`; `[versions]`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from fuzz.cases.toml import Table, format_toml
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.command.files import read_text
from validator.tell.stored_state import StoredState, write_toml
from validator.verdict import Options

_KEYS = ("about", "taught", "source", "expect", "obligation", "optimizer", "kind", "message", "command", "jit")

VERDICTS = ("proved", "refuted", "unknown", "unsupported")


@dataclass(frozen=True, slots=True)
class Expected:
    """The part of a verdict beside its name, as in `Evidence`; None: whatever it says."""

    vacuous: tuple[str, ...] | None = None
    assumes: tuple[str, ...] | None = None
    early: tuple[int, ...] | None = None
    stricter: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A folder of the corpus. Traces are kept as text, since an optimizer may return what is no trace."""

    name: str
    before: str
    after: str | None = None
    about: str = ""
    taught: str = ""
    source: str = ""
    expect: str = ""
    obligation: str = ""
    expected: Expected = field(default_factory=Expected)
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
    jit: str = ""
    program: str = ""
    log: str = ""


def store_case(corpus: Path, case: Case) -> bool:
    """Writes the case into the folder `corpus`; False if one of that name is there already, and stays.

    The case appears as a whole or not at all. Raises OSError.
    """
    target = corpus / case.name
    if target.exists():
        return False
    try:
        with new_folder(target) as beside:
            for name, text in case_files(case).items():
                _write(beside / name, text)
            beside.chmod(0o755)
    except OSError:
        if target.exists():
            return False  # another campaign was faster
        raise
    return True


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder that takes the place `target` in the end, as a whole, or is removed. Raises OSError."""
    try:
        beside = Path(tempfile.mkdtemp(prefix=".traceproof-", dir=target.parent))
    except OSError as problem:
        problem.filename = str(target)  # what the caller has asked for
        raise
    try:
        yield beside
        beside.rename(target)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


_FILES = {
    "before": "before.trace",
    "after": "after.trace",
    "report": "report.txt",
    "original": "original.trace",
    "original_after": "original-after.trace",
    "program": "program.py",
    "log": "program.log",
}
"""The files that hold parts of a case, beside `case.toml`."""


def case_files(case: Case) -> dict[str, str]:
    """The text of each file of the case, by its name."""
    may_be_empty = ("after", "original_after", "" if case.program else "before")
    texts = {name: getattr(case, name) for name in _FILES}
    told = {name: text for name, text in texts.items() if text or (text == "" and name in may_be_empty)}
    return {"case.toml": format_toml(_known(case)), **{_FILES[name]: text for name, text in told.items()}}


def case_data(case: Case) -> dict[str, Any]:
    """The facts about the pair, as plain data by the keys of `case.toml`; what is not said is None or empty."""
    modes = {name: (getattr(case.options, name), getattr(Options(), name)) for name in ("guards", "failargs")}
    values = ((item.name, getattr(case.state, item.name)) for item in fields(case.state))
    state = {name: list(value) if isinstance(value, tuple) else value for name, value in values}
    return {
        "seed": case.seed,
        "stops_at_event": state.pop("stops_at"),
        **{name: getattr(case, name) for name in _KEYS},
        **state,
        "writes": [[write_toml(write) for write in done] for done in case.state.writes],
        "options": {name: chosen.value for name, (chosen, usual) in modes.items() if chosen is not usual},
        "expected": {name: list(value) for name, value in asdict(case.expected).items() if value is not None},
        "inputs": dict(case.state.inputs),
        "gc_types": dict(case.state.gc_types),
        "versions": dict(case.versions),
    }


def _known(case: Case) -> dict[str, Any]:
    """The part of these that is written."""
    said = case_data(case) | {"optimizer": None if case.optimizer else False}
    return {key: value for key, value in said.items() if value not in (None, "", [], {})}


SHIPPED_CORPUS = Path(__file__).parents[1] / "corpus"
"""The cases that come with traceproof."""


def case_names(corpus: Path) -> tuple[str, ...]:
    """The names of the cases of a corpus, sorted. Raises InputError and OSError where the folder cannot be read."""
    if not corpus.exists():
        raise InputError(f"{corpus}: there is no such folder")
    if (corpus / "cases").is_dir() and not (corpus / "cases" / "before.trace").exists():
        raise InputError(f"{corpus}: the cases of a campaign are in {corpus / 'cases'}")
    return tuple(sorted(entry.name for entry in corpus.iterdir() if entry.is_dir() and not entry.name.startswith(".")))


def read_case(corpus: Path, name: str) -> Case:
    """The case of that name. Raises InputError and OSError, with the file and what is wrong with it."""
    folder = corpus / name
    if not folder.is_dir():
        raise InputError(f"there is no case {name!r} in {corpus}; `traceproof corpus list` shows those that are")
    path = folder / "case.toml"
    known = _table(str(path), _read(path) if path.exists() else "")
    texts: dict[str, Any] = {part: _read(folder / file) for part, file in _FILES.items() if (folder / file).exists()}
    if not texts.get("program"):
        texts["before"] = _read(folder / _FILES["before"])  # which has to be there
    case = replace(_case(name, known), **texts)
    if case.expect and case.after is None:
        raise InputError("`expect` is the verdict on a pair, and there is no after.trace", file=str(path))
    if case.expected != Expected() and not case.expect:
        raise InputError("`[expected]` is what a verdict says, and there is no `expect`", file=str(path))
    return case


def read_state(path: str) -> StoredState:
    """The state in a file like `case.toml`. Raises InputError."""
    return _case("", _table(path, read_text(path))).state


def _table(file: str, text: str) -> Table:
    try:
        return Table(file, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not valid TOML: {error}", file=file) from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError("expected UTF-8 text, got something else", file=str(path)) from error


def _case(name: str, table: Table) -> Case:
    """The case without what stands in other files."""
    options, expected = table.table("options"), table.table("expected")
    case = Case(
        name=name,
        before="",
        **{key: table.take(key, str, "") for key in _KEYS if key not in ("expect", "optimizer")},
        expect=table.choose("expect", VERDICTS, ""),
        expected=Expected(
            *(expected.several(key, str) for key in ("vacuous", "assumes")),
            *(expected.several(key, int) for key in ("early", "stricter")),
        ),
        optimizer=table.take("optimizer", bool, True),
        options=Options(options.mode("guards", Options().guards), options.mode("failargs", Options().failargs)),
        state=_state(table),
        seed=table.take("seed", int, None),
        versions=table.table("versions").all(str),
    )
    for taken in (options, expected, table):
        taken.close()
    return case


def _state(table: Table) -> StoredState:
    """The state, taken out of the table."""
    return StoredState(
        inputs=table.table("inputs").stored(),
        event_results=table.values("event_results"),
        heap=table.take("heap", str, ""),
        writes=table.writes("writes"),
        invalid=table.numbers("invalid"),
        gc_types=table.table("gc_types").all(int),
        stops_at=table.take("stops_at_event", int, None),
        raises=table.values("raises"),
        function_results=table.values("function_results"),
        function_raises=table.values("function_raises"),
        pending=table.take("pending", str, ""),
        forced=table.numbers("forced"),
        false_conditions=table.numbers("false_conditions"),
    )
