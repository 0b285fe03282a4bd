"""Optimizers that are programs: one that is started for each trace, and one that answers one trace after the other.

Both run in the current folder, without a shell, in a group of processes of their own that is killed as a whole.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Sequence

from fuzz.campaign.examine import Crashes, Garbled, Hangs
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace
from validator.processes.child import MOST_BYTES, Came, Child

_STARTED_S = 2.0
"""A program that has run for so long has started."""

_ANNOUNCED = frozenset({"operations", "kinds", "without", "word"})
"""The keys of what a server may print before it is asked."""

_SHOWN = 1 << 16
"""The number of bytes that are kept of an output that is no trace."""


class CommandOptimizer:
    """A program that reads the text of a trace from its standard input, up to its end, and prints the optimized one."""

    def __init__(self, words: Sequence[str], limit_s: float, memory_mb: int) -> None:
        self._words, self._limit_s, self._memory_mb = words, limit_s, memory_mb

    def __call__(self, before: Trace) -> Trace:
        """Raises Crashes, Hangs and Garbled."""
        child = _start(self._words, self._memory_mb)
        try:
            came = child.exchange(format_trace(before).encode(), time.monotonic() + self._limit_s)
            if came is not Came.END:
                child.kill()
                raise _late_or_flood(came, child, self._limit_s)
            code = child.end()
        finally:
            child.kill()
        if code is None:
            raise Hangs("the optimizer has closed its output and does not end", child.report())
        if code != 0:
            raise Crashes(f"the optimizer ended with {_code(code)}", child.report())
        try:
            text = child.output.decode()
        except UnicodeDecodeError:
            raise Garbled("expected UTF-8 text, got something else", _shown(child.output), child.report()) from None
        return _trace(text, before, child)


class ServerOptimizer:
    """A program that reads a line `{"trace": TEXT}` and prints a line `{"trace": TEXT}`, `{"error": WORDS}` or
    `{"unsupported": WORDS}`, again and again. One that ends, hangs, or prints something else is started anew. In front
    of its first answer it may print what it understands; that is `announced` then, as it was said last."""

    def __init__(self, words: Sequence[str], limit_s: float, memory_mb: int) -> None:
        self._words, self._limit_s, self._memory_mb = words, limit_s, memory_mb
        self._child: Child | None = None
        self._has_answered = False  # the program that runs now
        self.announced: dict[str, object] | None = None

    def __call__(self, before: Trace) -> Trace:
        """Raises Crashes, Hangs, Garbled and Unsupported."""
        line = self._line(json.dumps({"trace": format_trace(before)}).encode() + b"\n")
        try:
            answer = _answer(line)
        except Garbled as garbled:
            garbled.report = self._drop()  # nobody knows what comes next
            raise
        assert self._child is not None
        match answer:
            case {"trace": str(text)}:
                return _trace(text, before, self._child)
            case {"unsupported": str(words)}:
                raise Unsupported(words)
            case {"error": words}:
                raise Crashes(f"the optimizer answers with an error: {_first_line(str(words))}", str(words))
        raise Garbled(
            'expected {"trace": TEXT}, {"error": WORDS} or {"unsupported": WORDS}', _shown(line), self._child.report()
        )

    def check_start(self) -> None:
        """Raises InputError where the program ends with a failure before it is asked for anything."""
        child = _start(self._words, self._memory_mb)
        try:
            came = child.exchange(b"", time.monotonic() + min(self._limit_s, _STARTED_S), _has_line)
            code = child.end() if came is Came.END else None
        finally:
            child.kill()
        if code:
            last = child.report().strip().rpartition("\n")[2]
            told = f": {last}" if last else ""
            raise InputError(f"--optimizer-server: the program ends with {_code(code)} when it is started{told}")

    def _line(self, request: bytes) -> bytes:
        """The answer to a request, without the end of the line."""
        child = self._waiting()
        deadline = time.monotonic() + self._limit_s
        try:
            came = child.exchange(request, deadline, _has_line)
            first, _, rest = bytes(child.output).partition(b"\n")
            if came is Came.ANSWER and not self._has_answered and self._is_announced(first):
                child.output[:] = rest
                came = came if _has_line(child.output) else child.exchange(b"", deadline, _has_line)
            if came is Came.ANSWER:
                self._has_answered = True
                answer = bytes(child.output).removesuffix(b"\n")  # there may be more lines, which is told
                child.output.clear()
                return answer
            code = child.end() if came is Came.END else None
        except BaseException:
            self._drop()
            raise
        self._drop()
        if came is not Came.END:
            raise _late_or_flood(came, child, self._limit_s)
        if code == 0 and child.output:
            raise Garbled("the optimizer ended in the middle of a line", _shown(child.output), child.report())
        if code == 0 and self._has_answered:
            return self._line(request)  # it answers so many requests, and ends
        how = "closed its output" if code is None else f"ended with {_code(code)}"
        raise Crashes(f"the optimizer {how} and gave no answer", child.report())

    def _is_announced(self, line: bytes) -> bool:
        """Is the line no answer, but says what the program understands?"""
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return False
        is_announcement = isinstance(said, dict) and bool(said) and _ANNOUNCED.issuperset(said)
        if is_announcement:
            self.announced = said
        return is_announcement

    def _waiting(self) -> Child:
        """A program that waits for a request. What it said without being asked is lost: traces must not be mixed up."""
        if self._child is not None and not self._child.is_waiting():
            self._drop()
        if self._child is None:
            self._child, self._has_answered = _start(self._words, self._memory_mb), False
        return self._child

    def _drop(self) -> str:
        """Ends the program; what it has said."""
        if self._child is None:
            return ""
        child, self._child = self._child, None
        child.kill()
        return child.report()

    def close(self) -> None:
        """Let the program end."""
        if self._child is not None:
            self._child.close()
            self._child = None


def _has_line(output: bytearray) -> bool:
    return b"\n" in output


def _start(words: Sequence[str], memory_mb: int) -> Child:
    try:
        return Child(words, memory_mb)
    except OSError as problem:
        raise Crashes(f"the optimizer cannot be started: {problem}", "") from None


def _late_or_flood(came: Came, child: Child, limit_s: float) -> Hangs | Garbled:
    if came is Came.FLOOD:
        return Garbled(f"the optimizer printed more than {MOST_BYTES >> 20} MB", _shown(child.output), child.report())
    begun = f", and had printed {len(child.output)} bytes without an end" if child.output else ""
    return Hangs(f"no answer within {limit_s:g} s{begun}", child.report())


def _answer(line: bytes) -> object:
    if b"\n" in line:
        raise Garbled("expected one line for each trace, got more", _shown(line))
    try:
        return json.loads(line.decode())
    except UnicodeDecodeError:
        raise Garbled("expected UTF-8 text, got something else", _shown(line)) from None
    except (ValueError, RecursionError) as problem:
        raise Garbled(f"expected a line of JSON: {problem}", _shown(line)) from None


def _trace(text: str, before: Trace, child: Child) -> Trace:
    """The trace of the text. The word and the declarations of the recorded trace hold for it too."""
    try:
        return parse(text, file="output", word=before.word, types=before.declarations)
    except InputError as mistake:
        raise Garbled(str(mistake), text[:_SHOWN], child.report()) from None


def _shown(output: bytes | bytearray) -> str:
    return output[:_SHOWN].decode(errors="backslashreplace")


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _code(code: int) -> str:
    """The exit code of a process as `subprocess` has it, in words."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
