"""Recorded traces in files: logs of PyPy, compressed or not, and the text of one trace."""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path, PurePath
from typing import BinaryIO

from optimizer.ir.dialects.pypy_log import Section, read_traces
from optimizer.ir.dialects.pypy_trace import read_recorded
from optimizer.ir.faults import InputError
from optimizer.ir.text import format_trace
from validator.command.exits import describe
from validator.command.files import file_name
from validator.processes.termination import terminable

_OPENERS = {".gz": gzip.open, ".xz": lzma.open}
_LOGS = (".log", *_OPENERS)
_LONGEST = 1 << 20
"""The number of bytes that no line of a recorded trace has."""
_LONGEST_STEM = 200
"""The bytes that are kept of the name of a log: systems take 255, with what is added."""

_LOWER_BOUND = (
    "# A log does not say what guards hand over. Listed are the earlier values that later operations use: there may be"
    " more."
)


def sections_of(log: str) -> Iterator[Section]:
    """The recorded traces in a log (`-`: standard input), read as they are asked for. Raises InputError."""
    return (section for section in traces_of(log) if section.is_recorded)


def traces_of(log: str) -> Iterator[Section]:
    """The recorded and the optimized traces in a log, read as they are asked for. Raises InputError."""
    with opened(log) as lines:
        yield from read_traces(line.decode(errors="replace") for line in _lines(lines))


@contextmanager
def opened(log: str) -> Iterator[BinaryIO]:
    """A file that may be compressed (`-`: standard input), opened to be read. Raises InputError, also where reading
    fails."""
    try:
        with _opened(log) as file:
            yield file
    except (gzip.BadGzipFile, EOFError, lzma.LZMAError, zlib.error) as problem:
        raise InputError(f"the compressed data is damaged: {problem}", file=file_name(log)) from None
    except OSError as problem:
        problem.filename = problem.filename or file_name(log)
        raise InputError(describe(problem)) from None


@contextmanager
def rereadable(log: str) -> Iterator[str]:
    """A name under which the log can be read more than once: its own, or while this lasts, that of a copy on disk of
    what comes from standard input or a pipe. Raises InputError."""
    with terminable(), ExitStack() as copies:
        try:
            if log == "-" or stat.S_ISFIFO(Path(log).stat().st_mode):
                suffix = PurePath(log).suffix
                copy = copies.enter_context(tempfile.NamedTemporaryFile(prefix="traceproof-", suffix=suffix))
                with open(log, "rb") if log != "-" else nullcontext(sys.stdin.buffer) as source:
                    shutil.copyfileobj(source, copy)
                copy.flush()
                log = copy.name
        except OSError as problem:
            problem.filename = problem.filename or file_name(log)
            raise InputError(describe(problem)) from None
        yield log


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, the longest ones cut off: what is no text may have none at all."""
    while line := file.readline(_LONGEST):
        yield line
        while line and not line.endswith(b"\n"):
            line = file.readline(_LONGEST)


def _opened(log: str) -> BinaryIO:
    if log == "-":
        return sys.stdin.buffer
    opener = _OPENERS.get(PurePath(log).suffix, open)
    return opener(log, "rb")  # type: ignore[operator,no-any-return]  # all three open binary files


def is_log(path: str) -> bool:
    """Is it the name of a log?"""
    return path.endswith(_LOGS)


def log_stem(log: str) -> str:
    """The beginning of the names of the files of the traces, after the log."""
    name = PurePath(file_name(log)).name
    for suffix in (*_OPENERS, ".log"):
        name = name.removesuffix(suffix)
    return os.fsencode(name.strip("<>").replace(" ", "-"))[:_LONGEST_STEM].decode(errors="ignore")


def recorded_text(section: Section, log: str, number: int, *, bare: bool = False) -> str:
    """The text of the trace number `number` of the log. Raises InputError."""
    trace = read_recorded(section, file_name(log), bare=bare)
    comment = "" if bare else f"{_LOWER_BOUND}\n"
    return f"# {PurePath(file_name(log)).name}, trace {number}, line {section.line}\n{comment}{format_trace(trace)}"
