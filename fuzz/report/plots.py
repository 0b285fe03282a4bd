"""Plots, as numbers that a template draws. Each comes in two widths, of which the page shows the one that fits, so that
its text stays readable; colours are those of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from fuzz.report.words import share

_WIDE, _NARROW = 640.0, 350.0
_HEIGHT = 190.0
_TICK = 52.0
"""The width of a name below a column, with some room."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 10.0, 10.0, 40.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle in the colour of that name; `tooltip` is what it says when it is pointed at."""

    x: float
    y: float
    width: float
    height: float
    tone: str
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that starts at a place, or has its middle or end there."""

    text: str
    x: float
    y: float
    anchor: str = "start"
    is_label: bool = False
    is_turned: bool = False


@dataclass(slots=True)
class Drawing:
    """A plot of one width. `lines` go from left to right: both ends, the height, and the name of the style."""

    width: float
    height: float
    title: str
    bars: list[Bar] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    lines: list[tuple[float, float, float, str]] = field(default_factory=list)


Plot = tuple[Drawing, Drawing]
"""Wide and narrow."""


@dataclass(frozen=True, slots=True)
class _Axes:
    """Maps figures to places. Both axes start at 0."""

    width: float
    most_x: float
    most_y: float

    def x(self, value: float) -> float:
        return _LEFT + (self.width - _LEFT - _RIGHT) * value / (self.most_x or 1)

    def y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * value / (self.most_y or 1)

    def framed(
        self, title: str, x_name: str, y_name: str, y_steps: Sequence[float], x_ticks: Sequence[tuple[float, str]]
    ) -> Drawing:
        """A drawing of both axes."""
        left, right = self.x(0), self.x(self.most_x)
        middle = (self.y(0) + self.y(self.most_y)) / 2
        return Drawing(
            self.width,
            _HEIGHT,
            title,
            lines=[(left, right, self.y(y), "grid" if y else "base") for y in y_steps],
            texts=[
                *(Text(short(y), _LEFT - 6, self.y(y) + 4, "end") for y in y_steps),
                *(Text(text, self.x(x), _HEIGHT - _BOTTOM + 16, "middle") for x, text in x_ticks),
                Text(x_name, (left + right) / 2, _HEIGHT - 6, "middle"),
                Text(y_name, 10.0, middle, "middle", is_turned=True),
            ],
        )


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
    """The length of a unit, and its name, so that a duration has some of it."""
    return next(((length, name) for length, name in _DURATIONS if seconds >= 2 * length), _DURATIONS[-1])


def over_time(title: str, y_name: str, seconds: float, stacks: Sequence[tuple[str, Sequence[float]]]) -> Plot:
    """Bars on top of each other over a duration, all of one length in time; each stack has the name of its colour."""
    number = len(stacks[0][1])
    length, unit = unit_of_time(seconds)
    y_steps = nice_steps(max((sum(values[i] for _, values in stacks) for i in range(number)), default=0.0))

    def draw(width: float) -> Drawing:
        axes = _Axes(width, seconds / length or 1.0, y_steps[-1])
        x_steps = [x for x in nice_steps(seconds / length, 4 if width < _WIDE else 8) if x <= axes.most_x]
        ticks = [(x, short(x)) for x in x_steps]
        drawing = axes.framed(title, f"time since the first trace ({unit})", y_name, y_steps, ticks)
        each = axes.most_x / number
        bar_width = max(axes.x(each) - axes.x(0) - 0.6, 0.4)
        for i in range(number):
            below = 0.0
            for name, values in stacks:
                if values[i]:
                    top, bottom = axes.y(below + values[i]), axes.y(below)
                    tooltip = f"{name}: {values[i]:.4g}"
                    drawing.bars.append(Bar(axes.x(i * each), top, bar_width, bottom - top, name, tooltip))
                    below += values[i]
        return drawing

    return draw(_WIDE), draw(_NARROW)


def columns(title: str, x_name: str, y_name: str, bars: Sequence[tuple[str, float]], tone: str) -> Plot:
    """A column for each name."""
    y_steps = nice_steps(max((value for _, value in bars), default=0.0))

    def draw(width: float) -> Drawing:
        axes = _Axes(width, float(len(bars)) or 1.0, y_steps[-1])
        every = max(1, math.ceil(len(bars) * _TICK / (width - _LEFT - _RIGHT)))
        ticks = [(i + 0.5, name) for i, (name, _) in enumerate(bars) if i % every == 0]
        drawing = axes.framed(title, x_name, y_name, y_steps, ticks)
        column, base = axes.x(0.84) - axes.x(0), axes.y(0)
        for i, (name, value) in enumerate(bars):
            top = axes.y(value)
            drawing.bars.append(Bar(axes.x(i + 0.08), top, column, base - top, tone, f"{name}: {short(value)}"))
        return drawing

    return draw(_WIDE), draw(_NARROW)


def shares(title: str, parts: Sequence[tuple[str, str, float]]) -> Plot:
    """One bar that is cut into shares: name, colour and amount of each."""
    total = sum(amount for *_, amount in parts) or 1.0

    def draw(width: float) -> Drawing:
        drawing, left = Drawing(width, 26.0, title), 0.0
        for name, tone, amount in parts:
            part = width * amount / total
            tooltip = f"{name}: {short(amount)} ({share(amount, total)})"
            drawing.bars.append(Bar(left, 0.0, max(part - 1, 0.5), 26.0, tone, tooltip))
            left += part
        return drawing

    return draw(_WIDE), draw(_NARROW)


def rows(title: str, bars: Sequence[tuple[str, float, str]], tone: str) -> Plot:
    """A bar for each name, longest first, with a text behind it."""
    step, most = 38.0, max((value for _, value, _ in bars), default=0.0) or 1.0

    def draw(width: float) -> Drawing:
        drawing = Drawing(width, max(len(bars) * step - 6, 10.0), title)
        for i, (name, value, text) in enumerate(bars):
            top = i * step
            drawing.texts += [Text(name, 0.0, top + 13, is_label=True), Text(text, width, top + 13, "end")]
            drawing.bars.append(Bar(0.0, top + 19, max(width * value / most, 1.5), 9.0, tone))
        return drawing

    return draw(_WIDE), draw(_NARROW)
