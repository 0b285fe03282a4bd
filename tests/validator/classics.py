"""The pairs of `classics/*.cases`: what optimizers of tracing JITs are known for, done right and subtly wrong.

A file begins with declarations, between two lines `+++`, which hold for all its traces. A line `=== NAME` begins a case
with a recorded trace. Each line `--- proved` or `--- refuted`, with options of `validate` perhaps, is followed by what
an optimizer made of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from optimizer.ir.text import parse
from optimizer.ir.text.declarations import parse_declarations
from optimizer.ir.trace import Trace
from validator.verdict import Failargs, Guards, Options

FOLDER = Path(__file__).parent / "classics"


@dataclass(frozen=True)
class Classic:
    """A pair of traces, and what must be said of it."""

    name: str
    before: Trace
    after: Trace
    options: Options
    verdict: str


def classics() -> Iterator[Classic]:
    """All pairs of all files."""
    for path in sorted(FOLDER.glob("*.cases")):
        yield from _read(path)


def _read(path: Path) -> Iterator[Classic]:
    _, front_matter, cases = re.split(r"^\+\+\+\n", path.read_text(), maxsplit=2, flags=re.MULTILINE)
    types = parse_declarations(front_matter, file=path.name)
    for case in re.split(r"^=== ", cases, flags=re.MULTILINE)[1:]:
        name, body = case.split("\n", 1)
        recorded, *pairs = re.split(r"^--- (.*)\n", body, flags=re.MULTILINE)
        before = parse(recorded, file=f"{path.name}: {name}", types=types)
        for number, (expected, optimized) in enumerate(zip(pairs[::2], pairs[1::2], strict=True)):
            verdict, *options = expected.split()
            after = parse(optimized, file=f"{path.name}: {name}, {number}", types=types)
            yield Classic(f"{path.stem}: {name}, {number} {verdict}", before, after, _options(options), verdict)


def _options(words: list[str]) -> Options:
    given = dict(zip(words[::2], words[1::2], strict=True))
    return Options(Guards(given.get("--guards", "early")), Failargs(given.get("--failargs", "check")))
