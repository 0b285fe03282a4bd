"""Exit codes, and what a command says when it cannot do its work. Shared by all command lines."""

from __future__ import annotations

import _thread
import errno
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum

from optimizer.ir.faults import InputError, Unsupported
from validator.verdict import Failed, Fault, Proved, Refuted, Unknown, Verdict
from validator.verdict import Unsupported as UnsupportedVerdict


class Exit(IntEnum):
    """The exit code of a command."""

    PROVED = 0
    REFUTED = 1
    USAGE = 2
    UNKNOWN = 3
    UNSUPPORTED = 4
    FAULT = 5
    INTERRUPTED = 130
    UNREAD = 141


_WORST_FIRST = (Exit.FAULT, Exit.REFUTED, Exit.USAGE, Exit.UNSUPPORTED, Exit.UNKNOWN)


def exit_code(verdict: Verdict, strict: bool = False) -> Exit:
    """The exit code of one verdict. `strict` takes a vacuous proof, or one not known not to be, for unknown, and one
    that was to be checked and is not."""
    match verdict:
        case Proved(evidence):
            is_checked = evidence.audit is None or not evidence.audit.unsettled
            return Exit.PROVED if not strict or (is_checked and evidence.vacuous == ()) else Exit.UNKNOWN
        case Refuted():
            return Exit.REFUTED
        case Unknown():
            return Exit.UNKNOWN
        case UnsupportedVerdict():
            return Exit.UNSUPPORTED
        case Failed(fault):
            return Exit.USAGE if fault is Fault.INPUT else Exit.FAULT


def worst(codes: Iterable[Exit]) -> Exit:
    """The exit code of a batch: the first of 5, 1, 2, 4, 3, 0 that occurred."""
    seen = set(codes)
    return next((code for code in _WORST_FIRST if code in seen), Exit.PROVED)


_ALLOCATIONS = 50_000
"""The number of new objects since the last time at which cycles among them are looked for. With 10,000 that takes 8 %
of the time in which traces are made, optimized and judged, and more with Python's 700."""


def collect_seldom() -> None:
    """The first thing that a process does: modules stay, so that no collection, and above all none at the exit, walks
    through them; and cycles are looked for less often than Python does."""
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)


def run_command(command: Callable[[], int]) -> int:
    """Run `command`; turn what it raises into one message on standard error and an exit code. A standard stream that is
    closed is empty, or takes what is written to it."""
    collect_seldom()
    for name, mode in ("stdin", "r"), ("stdout", "w"), ("stderr", "w"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, errors="backslashreplace"))
    try:
        with _clean_interrupts():
            return int(command())
    except InputError as mistake:
        return _say(f"error: {mistake}", Exit.USAGE)
    except Unsupported as limit:
        where = f"{limit.file}: " if limit.file else ""
        return _say(f"{where}unsupported: {limit}", Exit.UNSUPPORTED)
    except KeyboardInterrupt:
        return _say("interrupted", Exit.INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.UNREAD
    except OSError as problem:
        return _say(f"error: {describe(problem)}", Exit.USAGE)
    except Exception:
        import traceback  # here: only a fault needs it

        return _say(report_fault(traceback.format_exc()), Exit.FAULT)


_AGAIN_S = 0.01


@contextmanager
def _clean_interrupts() -> Iterator[None]:
    """Ctrl-C always ends the command, and without a word from objects of Z3 that it was just making: they complain when
    they go. Python swallows what is raised while an object goes, so that it has to be raised again."""
    before, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    if before is not signal.default_int_handler:
        yield
        return
    is_interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal is_interrupted
        is_interrupted = True
        raise KeyboardInterrupt

    def swallowed(problem: sys.UnraisableHookArgs) -> None:
        if issubclass(problem.exc_type, KeyboardInterrupt):
            threading.Timer(_AGAIN_S, _thread.interrupt_main).start()  # not in here: it would be swallowed again
        elif not is_interrupted:
            hook(problem)

    signal.signal(signal.SIGINT, interrupt)
    sys.unraisablehook = swallowed
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = hook


def describe(problem: OSError) -> str:
    """The fault of a file, in words."""
    known = {
        errno.ENOENT: "there is no such file",
        errno.EISDIR: "this is a directory, a file was expected",
        errno.ENOTDIR: "this is not a directory",
        errno.EACCES: "permission denied",
        errno.EROFS: "the file system is read-only",
        errno.ENOSPC: "no space is left on the device",
        errno.EEXIST: "the file exists already",
    }
    words = known.get(problem.errno or 0, problem.strerror or str(problem))
    return f"{problem.filename}: {words}" if problem.filename else words


@contextmanager
def input_errors(where: str = "", name: str | None = None) -> Iterator[None]:
    """The use of files whose faults are the user's to mend: an OSError becomes an InputError that says it behind
    `where`, of the file of that name, if one is given."""
    try:
        yield
    except OSError as problem:
        problem.filename = name or problem.filename
        raise InputError(f"{where}{describe(problem)}") from None


def report_fault(details: str) -> str:
    """Save `details` for a bug report; a sentence that says where."""
    import tempfile  # here: only a fault needs it

    summary = details.strip().splitlines()[-1]
    try:
        with tempfile.NamedTemporaryFile(prefix="traceproof-fault-", suffix=".txt", delete=False) as out:
            out.write(details.encode(errors="backslashreplace"))
        where = f"; please report it with the file {out.name}"
    except OSError:
        where = "; please report it"
    return f"internal error: {summary}{where}"


def _say(message: str, code: Exit) -> Exit:
    with suppress(OSError):  # nobody reads it
        print(message, file=sys.stderr)
    return code
