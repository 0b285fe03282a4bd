"""Pages and summaries from the templates of the folder `templates`: what is put into a page is escaped, unless a
template made it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from fuzz.campaign.figures import hard_operations
from fuzz.report.beside import beside
from fuzz.report.words import duration, number, printable, share, times

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """The text that the template makes of the values."""
    return environment().get_template(template).render(values)


@cache
def environment() -> Environment:
    """The templates, with filters for figures in words."""
    # Here, since most commands write no page.
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
    from markupsafe import Markup

    def finalize(value: object) -> object:
        if isinstance(value, float):
            return f"{value:.2f}".rstrip("0").rstrip(".")
        return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    made = Environment(
        loader=PackageLoader("fuzz.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for function in (beside, duration, fenced, hard_operations, number, plain, share, times):
        made.filters[function.__name__] = function
    made.filters["capital"] = lambda text: text[:1].upper() + text[1:]
    return made


def plain(text: str) -> str:
    """Text that Markdown does not take for anything else."""
    return re.sub(r"([\\`*\[\]<>|])", r"\\\1", " ".join(text.split()))


def fenced(text: str) -> str:
    """Text that Markdown shows as it is."""
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"
