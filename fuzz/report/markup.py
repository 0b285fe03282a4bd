"""HTML and SVG as values: what is put into an element is escaped, unless it is an element."""

from __future__ import annotations

import html
import re

Attribute = str | int | float | None

# What a text may hold and a page may not: control characters that are no white space, and halves of characters.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def printable(text: str) -> str:
    """The text with what HTML and XML do not allow replaced by its escape."""
    return _NOT_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def escape(text: str) -> Markup:
    """The text for the inside of an element or an attribute."""
    return Markup(html.escape(printable(text)))


def joined(*children: str | int) -> Markup:
    """The children behind each other."""
    return Markup("".join(child if isinstance(child, Markup) else escape(str(child)) for child in children))


_VOID = frozenset({"br", "hr", "link", "meta"})


def tag(name: str, /, *children: str | int, **attributes: Attribute) -> Markup:
    """An element. `_` in the name of an attribute is `-`, and one at its end is dropped (`class_`); one that is None is
    left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{joined(*children)}</{name}>")


def _plain(value: str | int | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
