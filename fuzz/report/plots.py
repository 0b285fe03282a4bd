"""Plots, drawn as SVG. Each comes in two widths, of which the page shows the one that fits, so that its text stays
readable; colours are those of the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fuzz.report.markup import Markup, joined, tag
from fuzz.report.words import share

_WIDE, _NARROW = 640.0, 350.0
_HEIGHT = 190.0
_TICK = 52.0
"""So wide is a name below a column, with some room."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 10.0, 10.0, 40.0


def figure(title: str, told: str, draw: Callable[[float], Markup], legend: str = "") -> Markup:
    """A plot with its title. `told` says in a sentence what it shows; `draw` draws for a width."""
    caption = tag("figcaption", tag("b", title), told)
    return tag("figure", caption, draw(_WIDE), draw(_NARROW), legend)


def _svg(width: float, height: float, title: str, *children: str) -> Markup:
    return tag(
        "svg",
        tag("title", title),
        *children,
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_label=title,
        class_="wide" if width == _WIDE else "narrow",
    )


@dataclass(frozen=True, slots=True)
class _Axes:
    """Maps figures to places. Both axes start at 0."""

    width: float
    height: float
    most_x: float
    most_y: float

    def x(self, value: float) -> float:
        return _LEFT + (self.width - _LEFT - _RIGHT) * value / (self.most_x or 1)

    def y(self, value: float) -> float:
        return self.height - _BOTTOM - (self.height - _TOP - _BOTTOM) * value / (self.most_y or 1)


def nice_steps(most: float, number: int = 4) -> list[float]:
    """Round numbers from 0 to at least `most`, about so many."""
    if most <= 0:
        return [0.0, 1.0]
    rough = most / number
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    return [i * step for i in range(math.ceil(most / step - 1e-9) + 1)]


def short(value: float) -> str:
    """A number for an axis."""
    if value >= 10_000:
        return f"{value / 1000:g} k"
    return f"{value:.10g}"


_DURATIONS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))


def unit_of_time(seconds: float) -> tuple[float, str]:
    """How long a unit is, and its name, so that a duration has some of it."""
    return next(((length, name) for length, name in _DURATIONS if seconds >= 2 * length), _DURATIONS[-1])


def _frame(
    axes: _Axes, x_name: str, y_name: str, y_steps: Sequence[float], x_ticks: Sequence[tuple[float, str]]
) -> str:
    lines = [
        tag("line", x1=axes.x(0), x2=axes.x(axes.most_x), y1=axes.y(y), y2=axes.y(y), class_="grid" if y else "base")
        for y in y_steps
    ]
    marks = [tag("text", short(y), x=_LEFT - 6, y=axes.y(y) + 4, text_anchor="end") for y in y_steps]
    ticks = [tag("text", text, x=axes.x(x), y=axes.height - _BOTTOM + 16, text_anchor="middle") for x, text in x_ticks]
    middle = (axes.y(0) + axes.y(axes.most_y)) / 2
    names = [
        tag("text", x_name, x=(axes.x(0) + axes.x(axes.most_x)) / 2, y=axes.height - 6, text_anchor="middle"),
        tag("text", y_name, x=10, y=middle, text_anchor="middle", transform=f"rotate(-90 10 {middle:.1f})"),
    ]
    return joined(*lines, *marks, *ticks, *names)


def over_time(
    width: float, title: str, y_name: str, seconds: float, stacks: Sequence[tuple[str, Sequence[float]]]
) -> Markup:
    """Bars on top of each other over a duration, all of one length in time; each stack has the name of its colour."""
    number = len(stacks[0][1])
    length, unit = unit_of_time(seconds)
    most = max((sum(values[i] for _, values in stacks) for i in range(number)), default=0.0)
    y_steps = nice_steps(most)
    axes = _Axes(width, _HEIGHT, seconds / length or 1.0, y_steps[-1])
    x_steps = [x for x in nice_steps(seconds / length, 4 if width < _WIDE else 8) if x <= axes.most_x]
    bars, each = [], axes.most_x / number
    for i in range(number):
        below = 0.0
        for name, values in stacks:
            if values[i]:
                top = axes.y(below + values[i])
                bars.append(
                    tag(
                        "rect",
                        tag("title", f"{name}: {values[i]:.4g}"),
                        x=axes.x(i * each),
                        y=top,
                        width=max(axes.x(each) - axes.x(0) - 0.6, 0.4),
                        height=axes.y(below) - top,
                        class_=f"fill tone-{name}",
                    )
                )
                below += values[i]
    frame = _frame(axes, f"time since the first trace ({unit})", y_name, y_steps, [(x, short(x)) for x in x_steps])
    return _svg(width, _HEIGHT, title, frame, *bars)


def columns(width: float, title: str, x_name: str, y_name: str, bars: Sequence[tuple[str, float]], tone: str) -> Markup:
    """A column for each name."""
    y_steps = nice_steps(max((value for _, value in bars), default=0.0))
    axes = _Axes(width, _HEIGHT, float(len(bars)) or 1.0, y_steps[-1])
    drawn = [
        tag(
            "rect",
            tag("title", f"{name}: {short(value)}"),
            x=axes.x(i + 0.08),
            y=axes.y(value),
            width=axes.x(0.84) - axes.x(0),
            height=axes.y(0) - axes.y(value),
            class_=f"fill tone-{tone}",
        )
        for i, (name, value) in enumerate(bars)
    ]
    every = max(1, math.ceil(len(bars) * _TICK / (width - _LEFT - _RIGHT)))
    ticks = [(i + 0.5, name) for i, (name, _) in enumerate(bars) if i % every == 0]
    return _svg(width, _HEIGHT, title, _frame(axes, x_name, y_name, y_steps, ticks), *drawn)


def shares(width: float, title: str, parts: Sequence[tuple[str, str, float]]) -> Markup:
    """One bar that is cut into shares: name, colour and amount of each."""
    total, left, drawn = sum(amount for *_, amount in parts) or 1.0, 0.0, []
    for name, tone, amount in parts:
        part = width * amount / total
        told = f"{name}: {short(amount)} ({share(amount, total)})"
        drawn.append(
            tag(
                "rect", tag("title", told), x=left, y=0, width=max(part - 1, 0.5), height=26, class_=f"fill tone-{tone}"
            )
        )
        left += part
    return _svg(width, 26, title, *drawn)


def rows(width: float, title: str, bars: Sequence[tuple[str, float, str]], tone: str) -> Markup:
    """A bar for each name, longest first, with a text behind it."""
    step, most = 38.0, max((value for _, value, _ in bars), default=0.0) or 1.0
    drawn = []
    for i, (name, value, told) in enumerate(bars):
        top = i * step
        drawn += [
            tag("text", name, x=0, y=top + 13, class_="label"),
            tag("text", told, x=width, y=top + 13, text_anchor="end"),
            tag("rect", x=0, y=top + 19, width=max(width * value / most, 1.5), height=9, class_=f"fill tone-{tone}"),
        ]
    return _svg(width, max(len(bars) * step - 6, 10), title, *drawn)


def legend(entries: Sequence[tuple[str, str]]) -> Markup:
    """Names, each beside its colour."""
    items = [tag("li", tag("span", class_=f"dot tone-{tone}", aria_hidden="true"), name) for tone, name in entries]
    return tag("ul", *items, class_="legend")
