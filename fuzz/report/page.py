"""The frame of a page, and small parts that pages share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fuzz.report.looks import SHEET
from fuzz.report.markup import Markup, joined, tag

# Nothing is fetched and no script runs, whatever a trace says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(title: str, *body: str) -> str:
    """A page that stands in one file and asks for nothing."""
    head = joined(
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("link", rel="icon", href="data:,"),
        tag("title", title),
        tag("style", Markup(SHEET)),
    )
    return "<!doctype html>\n" + tag("html", tag("head", head), "\n", tag("body", tag("main", *body)), lang="en") + "\n"


def section(anchor: str, title: str, *children: str) -> Markup:
    """A part of a page, with a heading that can be linked to."""
    return tag(
        "section", tag("h2", title, id=f"{anchor}-title"), *children, id=anchor, aria_labelledby=f"{anchor}-title"
    )


def facts(pairs: Iterable[tuple[str, str, str]]) -> Markup:
    """Numbers in a row: name, value and unit of each."""
    told = [
        tag("div", tag("dt", name), tag("dd", value, " " * bool(unit), tag("small", unit) if unit else ""))
        for name, value, unit in pairs
    ]
    return tag("dl", *told, class_="facts")


def listing(heads: Sequence[str], rows: Iterable[Sequence[str | int]], caption: str) -> Markup:
    """A table. A column whose head ends with a bar, as `seconds|`, holds numbers. `caption` is for those who do not see
    it."""
    classes = ["right" if head.endswith("|") else None for head in heads]
    top = [tag("th", head.rstrip("|"), scope="col", class_=name) for head, name in zip(heads, classes, strict=True)]
    lines = [
        tag("tr", *(tag("td", cell, class_=name) for cell, name in zip(row, classes, strict=True))) for row in rows
    ]
    table = tag("table", tag("thead", tag("tr", *top)), tag("tbody", *lines), class_="list", aria_label=caption)
    return tag("div", table, class_="scroll", tabindex=0, role="group", aria_label=caption)


def command(text: str) -> Markup:
    """A command, whose words are not broken where there is room."""
    words = [joined(" ", tag("span", word, class_="word")) for word in text.split(" ")]
    return tag("pre", "$", *words, aria_label="command that repeats it")


def kind_label(kind: str, text: str = "") -> Markup:
    """A verdict or kind of find in its colour; the word says it too."""
    return tag("span", tag("span", class_="dot", aria_hidden="true"), text or kind, class_=f"kind tone-{kind}")
