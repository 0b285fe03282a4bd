"""The recorded and the optimized traces in a log of PyPy, section by section, without holding the log.

A log is lines, and sections of lines that nest:

    [1e47846c8b7] {jit-log-noopt
    # Traced loop or bridge with 449 ops
    [p0, i1]
    ...
    [1e47871f8e9] jit-log-noopt}

Only the sections of traces are looked at. Sections in them do not belong to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from optimizer.ir.text.syntax import LOG_MARK, OPERATION

RECORDED = "jit-log-noopt"
"""The name of a section with a recorded trace; older logs append `-loop` or `-bridge`."""

OPTIMIZED = "jit-log-opt"
"""The same of a trace that PyPy's optimizer has left; behind it stands `-loop` or `-bridge`."""

_HEADING = re.compile(r"#.*\bwith ([0-9]+) ops\b")


@dataclass(frozen=True, slots=True)
class Section:
    """A trace as it stands in a log: its lines, the first of which is line `line` of the log, and the name of its
    section.

    `promised` is the number of operations that its heading tells, None without one. `ends` is false where the log is
    cut off before the section's end.
    """

    line: int
    lines: tuple[str, ...]
    promised: int | None
    ends: bool
    name: str = RECORDED

    @property
    def is_recorded(self) -> bool:
        """Is it a recorded trace, not an optimized one?"""
        return self.name.startswith(RECORDED)

    @property
    def heading(self) -> str:
        """The line that tells how many operations there are; '' without one."""
        return next((line for line in self.lines if _HEADING.match(line)), "")

    @property
    def operations(self) -> int:
        """The number of operations, debug positions included."""
        return sum(OPERATION.match(line) is not None for line in self.lines)

    @property
    def loss(self) -> str:
        """The reason for which the trace is incomplete, in words; '' if it is complete."""
        if not self.ends:
            return "the log ends, or goes on with something else, before the trace does"
        if self.promised is not None and self.operations != self.promised:
            return f"the heading promises {self.promised} operations, and there are {self.operations}"
        return ""


@dataclass(slots=True)
class _Open:
    name: str
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def is_trace(self) -> bool:
        return self.name.startswith((RECORDED, OPTIMIZED))

    def section(self, *, ends: bool) -> Section:
        headings = (_HEADING.match(line) for line in self.lines)
        promised = next((int(heading[1]) for heading in headings if heading), None)
        return Section(self.line, tuple(self.lines), promised, ends, self.name)


def read_traces(lines: Iterable[str]) -> Iterator[Section]:
    """The recorded and the optimized traces in the lines of a log, in the order of their ends."""
    stack: list[_Open] = []
    for number, line in enumerate(lines, start=1):
        line = line.removeprefix("\ufeff") if number == 1 else line
        mark = LOG_MARK.match(line) if line.startswith("[") else None
        if mark is None:
            if stack and stack[-1].is_trace:
                stack[-1].lines.append(line.rstrip("\r\n"))
        elif mark["opens"]:
            stack.append(_Open(mark["opens"], number + 1))
        else:
            yield from _close(stack, mark["closes"])
    for left in stack:
        if left.is_trace:
            yield left.section(ends=False)


def _close(stack: list[_Open], name: str) -> Iterator[Section]:
    """Ends the innermost section of that name, and those in it whose ends are lost; nothing where none is open."""
    if not any(section.name == name for section in stack):
        return
    while True:
        section = stack.pop()
        if section.is_trace:
            yield section.section(ends=section.name == name)
        if section.name == name:
            return
