"""Reading and writing files for the command lines: every failure is the user's to mend, told in words."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from optimizer.ir.faults import InputError
from optimizer.ir.text import parse
from optimizer.ir.text.lexer import read_lines
from optimizer.ir.text.misspelt import misspelt_names
from optimizer.ir.trace import Trace
from optimizer.ir.types.declared import NO_DECLARATIONS, Declarations
from validator.command.exits import Exit, input_errors

if TYPE_CHECKING:
    from pathlib import Path


def read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`. Raises InputError."""
    return decoded(read_bytes(path), file_name(path))


def read_bytes(path: str) -> bytes:
    """All that is in a file, or in standard input for `-`. Raises InputError."""
    with input_errors(), nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as file:
        return file.read()


def decoded(data: bytes, file: str) -> str:
    """The text of these bytes of a file. Raises InputError."""
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        raise no_text(problem, file) from None


def no_text(problem: UnicodeDecodeError, file: str, first_line: int = 1) -> InputError:
    """The fault of bytes that begin in this line of a file, and are no text."""
    line = first_line + problem.object.count(b"\n", 0, problem.start)
    byte = problem.object[problem.start]
    return InputError(f"a text in UTF-8 was expected, but byte 0x{byte:02x} is none", file=file, line=line)


def file_name(path: str) -> str:
    """The name of a file in messages."""
    return "<standard input>" if path == "-" else path


def read_trace(path: str, word: int | None = None, types: str | None = None) -> Trace:
    """The trace in a file, with the declarations of the file `types` where there is one. Raises InputError.

    Names that look misspelt are told on standard error.
    """
    text = read_text(path)
    trace = parse(text, file=file_name(path), word=word, types=read_types(types))
    source = read_lines(text, file_name(path))
    for operation, name, message in misspelt_names(trace):
        column = source.lines[operation.line - 1].find(name) + 1
        print(f"note: {source.fault(message, operation.line, column)}", file=sys.stderr)
    return trace


def read_types(path: str | None) -> Declarations:
    """The declarations in a file; none without a file. Raises InputError."""
    if path is None:
        return NO_DECLARATIONS
    from optimizer.ir.text.declarations import parse_declarations  # here: it is seldom asked for

    return parse_declarations(read_text(path), file=file_name(path))


def write_text(path: str, text: str) -> None:
    """Write a file in UTF-8 beside its place and rename it into it; to standard output for `-`. What is no text, as
    the name of a file may not be, is written with a backslash. Raises InputError."""
    if path == "-":
        sys.stdout.write(text)
        return
    import tempfile  # here: what only reads does without them
    from pathlib import Path

    target = Path(path)
    _check_folder(target)
    beside, data = None, text.encode(errors="backslashreplace")
    with _output_errors("", path):
        try:
            if target.exists() and not target.is_file():  # a device or a pipe, which must stay what it is
                target.write_bytes(data)
                return
            with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".traceproof-", delete=False) as out:
                beside = out.name
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            mask = os.umask(0o077)  # the only way to ask for it is to set it
            os.umask(mask)
            Path(beside).chmod(0o666 & ~mask)
            Path(beside).replace(target)
        except BaseException:
            if beside is not None:
                Path(beside).unlink(missing_ok=True)
            raise


def write_last(path: str | None, text: Callable[[], str]) -> Exit:
    """Write a file, if one is asked for, behind what a command has found, which stays if that fails; the exit code."""
    try:
        if path is not None:
            write_text(path, text())
    except InputError as mistake:
        print(f"error: {mistake}", file=sys.stderr)
        return Exit.USAGE
    return Exit.PROVED


def check_writable(path: str) -> None:
    """Raises InputError where `write_text` could write no such file, as far as that is known ahead."""
    from pathlib import Path  # here, as above

    target = Path(path)
    if path == "-" or (target.exists() and not target.is_file() and not target.is_dir()):
        return
    _check_folder(target)
    with _output_errors("", path):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "")
        _try_out(target.parent)


def _check_folder(target: Path) -> None:
    if not target.parent.is_dir():
        raise InputError(f"{target}: there is no folder {target.parent}")


def writable(folder: Path, option: str) -> Path:
    """The folder that the option names, made if it is not there. Raises InputError where nothing can be stored."""
    with _output_errors(f"{option}: ", str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        _try_out(folder)
    return folder


def _try_out(folder: Path) -> None:
    import tempfile  # here, as above

    with tempfile.TemporaryFile(dir=folder) as probe:  # several processes may begin at once
        probe.write(b"something is stored here\n")


@contextmanager
def _output_errors(where: str, name: str) -> Iterator[None]:
    """Like `input_errors`, of what is written: folders that nobody can write into, such as /proc, say that there is no
    such file."""
    with input_errors(where, name):
        try:
            yield
        except FileNotFoundError:
            raise PermissionError(errno.EACCES, "") from None
