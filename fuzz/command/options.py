"""Options that commands share, each said once. What several of them say together comes to a command as one argument."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from pathlib import Path
from random import SystemRandom
from typing import Any

import click
from click.core import ParameterSource

from fuzz.draw.vocabulary import KINDS, WORDS, Vocabulary, check_names
from fuzz.subject.optimizers import OPTIONS, OptimizerKind, OptimizerSpec
from optimizer.ir.faults import InputError
from optimizer.ir.trace import Trace
from validator.command.files import read_text, read_trace
from validator.command.shared_options import Seconds, mode_options
from validator.verdict import Options

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def gathered(name: str, make: Callable[..., Any], *options: Decorator) -> Decorator:
    """Gives a command these options; they come to it as one argument of that name, made of their values."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_one_argument(**given: Any) -> Any:
            own = {key: given.pop(key) for key in signature(make).parameters}
            return command(**given, **{name: make(**own)})

        for option in reversed(options):
            option(with_one_argument)
        return with_one_argument

    return decorate


def refuse(options: Iterable[str], why: str) -> None:
    """Raises InputError where one of these options of the command is given, of which nothing would come."""
    context = click.get_current_context()
    for name in options:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise InputError(f"--{name.replace('_', '-')}: {why}")


# Seeds, time and processes.


def seconds_option(help_text: str) -> Decorator:
    """A limit of time, which is not there by default."""
    return click.option("--seconds", type=Seconds(0), metavar="N", help=help_text)


traces_option = click.option("--traces", type=click.IntRange(0), metavar="N", help="Stop after that many traces.")
seed_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=lambda: SystemRandom().randrange(1 << 32),
    metavar="S",
    help="The first seed; a random one by default.",
)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    default=_cores,
    metavar="N",
    help="Processes that work; one for each core by default.",
)


def json_option(help_text: str) -> Decorator:
    """`--json`, with this help."""
    return click.option("--json", "as_json", is_flag=True, help=help_text)


# Traces in files.


@dataclass(frozen=True, slots=True)
class Reading:
    """The way in which files of traces are read."""

    word: int | None = None
    types: str | None = None

    def trace(self, path: str, word: int | None = None) -> Trace:
        """The trace in a file, whose word may be known by another one. Raises InputError."""
        return read_trace(path, word or self.word, self.types)


def word_option(help_text: str, **others: Any) -> Decorator:
    """The width of a machine int."""
    return click.option("--word", type=click.IntRange(4, 64), metavar="BITS", help=help_text, **others)


def types_option(help_text: str) -> Decorator:
    """A file of declarations."""
    return click.option("--types", metavar="FILE", help=help_text)


def reading_options(types: str, word: str) -> Decorator:
    """`--types` and `--word` with these helps, as one argument `reading`."""
    return gathered("reading", Reading, types_option(types), word_option(word))


def judging_options(guards: str, failargs: str) -> Decorator:
    """`--guards` and `--failargs` with these helps, as one argument `options`."""
    return gathered("options", lambda guards, failargs: Options(guards, failargs), mode_options(guards, failargs))


# The optimizer under test.


def _spec(
    optimizer: str | None,
    optimizer_cmd: str | None,
    optimizer_server: str | None,
    optimizer_timeout: float,
    optimizer_memory: int,
) -> OptimizerSpec:
    given = {
        OptimizerKind.FUNCTION: optimizer,
        OptimizerKind.COMMAND: optimizer_cmd,
        OptimizerKind.SERVER: optimizer_server,
    }
    chosen = [(kind, text) for kind, text in given.items() if text is not None]
    if len(chosen) > 1:
        raise click.UsageError(f"only one of {', '.join(OPTIONS[kind] for kind, _ in chosen)} can be given")
    kind, text = chosen[0] if chosen else (OptimizerKind.OURS, "")
    return OptimizerSpec(kind, text, optimizer_timeout, optimizer_memory)


OF_THE_OPTIMIZER = tuple(signature(_spec).parameters)


_DEFAULT = OptimizerSpec()

optimizer_options = gathered(
    "optimizer",
    _spec,
    click.option("--optimizer", metavar="MODULE:FUNCTION", help="What to test instead of our own optimizer."),
    click.option(
        "--optimizer-cmd", metavar="CMD", help="A program that reads a trace and prints it optimized, started for each."
    ),
    click.option(
        "--optimizer-server", metavar="CMD", help='A program that answers lines {"trace": ...} with lines of that form.'
    ),
    click.option(
        "--optimizer-timeout",
        type=Seconds(0, 86_400, min_open=True),
        default=_DEFAULT.limit_s,
        show_default=True,
        metavar="S",
        help="Seconds that the optimizer may take for a trace.",
    ),
    click.option(
        "--optimizer-memory",
        type=click.IntRange(16),
        default=_DEFAULT.memory_mb,
        show_default=True,
        metavar="MB",
        help="Megabytes that such a program may use.",
    ),
)
"""The options that name an optimizer; they come to a command as one argument `optimizer`, an `OptimizerSpec`."""


# What it understands.


def _vocabulary(kinds: str | None, ops: str | None, without: str | None, word: str | None, loops: bool) -> Vocabulary:
    asked = Vocabulary(_split(kinds), _listed(ops), _listed(without), None if word is None else int(word), loops)
    for option, text, names in (("--kinds", kinds, asked.kinds), ("--ops", ops, asked.ops)):
        if text is not None and not names:
            raise InputError(f"{option}: expected names with commas between them, got {text!r}")
    check_names(asked, "--{}".format)
    return asked


def _listed(text: str | None) -> tuple[str, ...]:
    """The names between commas, or on the lines of the file of that name."""
    if text is None or not Path(text).is_file():
        return _split(text)
    lines = (line.partition("#")[0] for line in read_text(text).splitlines())
    return tuple(name for line in lines for name in _split(line))


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(name for name in (part.strip() for part in (text or "").split(",")) if name)


vocabulary_options = gathered(
    "asked",
    _vocabulary,
    click.option(
        "--kinds",
        metavar="LIST",
        help=f"Traces of these kinds of operations alone: {', '.join(kind.name for kind in KINDS)}.",
    ),
    click.option("--ops", metavar="LIST", help="Of these operations alone: names, patterns like 'int_*', or a file."),
    click.option("--without", metavar="LIST", help="Without these operations: names, patterns, or a file."),
    click.option("--word", type=click.Choice([str(word) for word in WORDS]), help="With words of so many bits alone."),
    click.option("--loops", is_flag=True, help="Loops alone, which an optimizer may peel; our own one does."),
)
"""The options that choose a vocabulary; they come to a command as one argument `asked`, a `Vocabulary`."""
