"""The questions of the page of the playground, and what answers to them are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from optimizer.ir.faults import InputError
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator.verdict import Failargs, Guards, Options

Answer = dict[str, Any]
"""A part of a page (`html`), or an `error`, with the editor (`side`: `before`, `after` or `inputs`) and the `line` that
it is about where there are such; a `note`; the texts of editors that change; a text to `copy`. It is JSON."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the page: the name of an action, the texts of its fields, and the modes of the judgment."""

    action: str
    before: str
    after: str = ""
    inputs: str = ""
    results: str = ""
    options: Options = field(default_factory=Options)

    def traces(self) -> tuple[Trace, Trace]:
        """The recorded and the optimized trace. Raises InputError, Unsupported."""
        before = self.recorded()
        return before, parse(self.after, file="after", word=before.word)

    def recorded(self) -> Trace:
        """The recorded trace. Raises InputError, Unsupported."""
        return parse(self.before, file="before")

    @property
    def is_pair(self) -> bool:
        return bool(self.after.strip())


def read_asked(data: Any) -> Asked:
    """The question in a JSON object. Raises InputError."""
    if not isinstance(data, dict) or not all(isinstance(text, str) for text in data.values()):
        raise InputError("a JSON object of texts was expected")
    texts = {str(key): str(value) for key, value in data.items()}
    modes = {"guards": Options().guards.value, "failargs": Options().failargs.value}
    try:
        guards, failargs = (texts.pop(key, usual) for key, usual in modes.items())
        return Asked(**texts, options=Options(Guards(guards), Failargs(failargs)))
    except (TypeError, ValueError) as problem:
        raise InputError(f"a question of the page was expected: {problem}") from None
