"""Pages from the templates of the folder `templates`: what is put into them is escaped, unless a template made it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from fuzz.report.beside import beside
from fuzz.report.figures import hard_operations
from fuzz.report.words import duration, number, printable, share, times

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """The page that the template makes of the values."""
    return environment().get_template(template).render(values)


@cache
def environment() -> Environment:
    """The templates, with filters for figures in words."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here: most commands write no page
    from markupsafe import Markup

    def finalize(value: object) -> object:
        if isinstance(value, float):
            return f"{value:.2f}".rstrip("0").rstrip(".")
        return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    made = Environment(
        loader=PackageLoader("fuzz.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in (beside, duration, hard_operations, number, share, times):
        made.filters[name.__name__] = name
    made.filters["capital"] = lambda text: text[:1].upper() + text[1:]
    return made
