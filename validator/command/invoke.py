"""Runs click commands so that what they return is the exit code, and an interruption is told as one; completes them in
shells."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from validator.command.exits import Exit


def invoke(command: click.Command, args: Sequence[str], name: str) -> int:
    """Run a click command on arguments; what it returns is the exit code. Where a shell asks by the variable
    `_NAME_COMPLETE`, as click's completion does it, it is answered instead."""
    variable = f"_{name}_COMPLETE".upper()
    try:
        if asked := os.environ.get(variable):
            return _complete(command, name, variable, asked)
        with command.make_context(name, list(args)) as context:
            return int(command.invoke(context) or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as mistake:
        mistake.show()
        return Exit.USAGE


def _complete(command: click.Command, name: str, variable: str, asked: str) -> int:
    from click.shell_completion import CompletionItem, get_completion_class  # here: no other run needs it

    shell, _, what = asked.partition("_")
    known = get_completion_class(shell)
    if known is None or what not in ("source", "complete"):
        raise click.UsageError(f"{variable}: expected bash_source, zsh_source or fish_source, got {asked!r}")

    class Completion(known):  # type: ignore[valid-type,misc]  # known when it runs
        def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
            return super().get_completions(args, incomplete) or [CompletionItem(incomplete, type="file")]

    completion = Completion(command, {}, name, variable)
    click.echo(completion.source() if what == "source" else completion.complete())
    return Exit.PROVED
