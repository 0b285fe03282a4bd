"""Runs click commands so that what they return is the exit code, and an interruption is told as one."""

from __future__ import annotations

from collections.abc import Sequence

import click

from validator.exits import Exit


def invoke(command: click.Command, args: Sequence[str], name: str) -> int:
    """Run a click command on arguments; what it returns is the exit code."""
    try:
        with command.make_context(name, list(args)) as context:
            return int(command.invoke(context) or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as mistake:
        mistake.show()
        return Exit.USAGE
