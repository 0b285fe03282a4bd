"""The options of a command line that say what the tested optimizer understands."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from fuzz.draw.vocabulary import KINDS, WORDS, Vocabulary, check_names
from optimizer.ir.faults import InputError
from validator.command.files import read_text

_CLICK_OPTIONS = (
    click.option(
        "--kinds",
        metavar="LIST",
        help=f"Traces of these kinds of operations alone: {', '.join(kind.name for kind in KINDS)}.",
    ),
    click.option("--ops", metavar="LIST", help="Of these operations alone: names, patterns like 'int_*', or a file."),
    click.option("--without", metavar="LIST", help="Without these operations: names, patterns, or a file."),
    click.option("--word", type=click.Choice([str(word) for word in WORDS]), help="With words of so many bits alone."),
)


def vocabulary_options(command: Callable[..., int]) -> Callable[..., int]:
    """Gives a command these options; they come to it as one argument `asked`, a `Vocabulary`."""

    @wraps(command)
    def with_vocabulary(
        *, kinds: str | None, ops: str | None, without: str | None, word: str | None, **others: Any
    ) -> int:
        asked = Vocabulary(_split(kinds), _listed(ops), _listed(without), None if word is None else int(word))
        for option, text, names in (("--kinds", kinds, asked.kinds), ("--ops", ops, asked.ops)):
            if text is not None and not names:
                raise InputError(f"{option}: expected names with commas between them, got {text!r}")
        check_names(asked, "--{}".format)
        return command(asked=asked, **others)

    for option in reversed(_CLICK_OPTIONS):
        option(with_vocabulary)
    return with_vocabulary


def _listed(text: str | None) -> tuple[str, ...]:
    """What stands between commas, or on the lines of the file of that name."""
    if text is None or not Path(text).is_file():
        return _split(text)
    lines = (line.partition("#")[0] for line in read_text(text).splitlines())
    return tuple(name for line in lines for name in _split(line))


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(name for name in (part.strip() for part in (text or "").split(",")) if name)
