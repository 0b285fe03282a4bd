"""Figures in words."""

from __future__ import annotations

import re
from collections.abc import Container

# What a text may hold and a page may not: control characters that are no white space, and halves of characters.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """The text with what HTML and XML do not allow replaced by its escape."""
    return _NOT_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def duration(seconds: float) -> str:
    """A time that is easy to read: `850 ms`, `12.4 s`, `3 min 20 s`, `7 h 5 min`."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds) // 60
    if minutes < 60:
        return f"{minutes} min {round(seconds) % 60} s"
    return f"{minutes // 60} h {minutes % 60} min"


def number(value: float) -> str:
    """A number with its thousands apart."""
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def times(count: int, what: str) -> str:
    """`1 trace`, `2 traces`."""
    return f"{number(count)} {what}" if count == 1 else f"{number(count)} {what}s"


def counted(count: int, what: str) -> str:
    """The same in digits alone, for output that scripts read."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


_SHOWN_LINES = 8
_SHOWN_COLUMNS = 200


def last_lines(report: str, headings: Container[str] = ()) -> str:
    """The end of what a program has said, fit for a terminal, under the last of the headings above it."""
    lines = printable(report).rstrip().splitlines()
    above, shown = lines[:-_SHOWN_LINES], lines[-_SHOWN_LINES:]
    if heading := next((line for line in reversed(above) if line in headings), None):
        shown = [heading, "...", *shown]
    return "\n".join(line if len(line) <= _SHOWN_COLUMNS else f"{line[:_SHOWN_COLUMNS]}..." for line in shown)


def share(amount: float, total: float) -> str:
    """A share, never rounded to nothing."""
    percent = 100 * amount / total if total else 0.0
    return "under 0.1 %" if 0 < percent < 0.1 else f"{percent:.1f} %"
