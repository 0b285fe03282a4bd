"""What the validator says of a trace that a subject has optimized."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import trace_text
from planted import switch_on
from server import Optimize

from optimizer.ir.text import parse
from validator import validate


@contextmanager
def switched_on(*faults: str) -> Iterator[None]:
    switch_on(faults)
    yield
    switch_on([])


def judged(optimize: Optimize, before: str, faults: Sequence[str] = ()) -> str:
    """The kind of the verdict on what the subject makes of the trace with these faults."""
    with switched_on(*faults):
        after = optimize(trace_text.parse(before), False).text()
    return type(validate(parse(before), parse(after))).__name__.lower()


def traces(name: str) -> dict[str, str]:
    """The traces of a file, by what stands behind `==` above them."""
    sections = (Path(__file__).parent / name).read_text().split("== ")[1:]
    return {about: text for about, _, text in (section.partition("\n") for section in sections)}
