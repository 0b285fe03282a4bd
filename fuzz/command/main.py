"""The command `traceproof`: a group whose commands are loaded when they are used."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import click

from validator.command.exits import run_command
from validator.command.invoke import invoke

_COMMANDS = {
    "validate": "validator.command.validate:validate",
    "optimize": "fuzz.command.traces:optimize",
    "run": "fuzz.command.traces:run",
    "toy": "fuzz.command.traces:toy",
    "fuzz": "fuzz.command.campaign:fuzz",
    "hunt": "fuzz.command.hunt:hunt",
    "corpus": "fuzz.command.corpus:corpus",
    "mine": "fuzz.command.mine:mine",
    "prove-rules": "fuzz.command.tables:prove_rules",
    "ops": "fuzz.command.tables:ops",
    "audit": "fuzz.command.audit:audit",
    "report": "fuzz.command.report:report",
    "reduce": "fuzz.command.reduce:reduce",
    "pypy-log": "fuzz.command.pypy.log:pypy_log",
    "pypy-run": "fuzz.command.pypy.run:pypy_run",
    "serve": "fuzz.command.serve:serve",
    "init": "fuzz.command.init:init",
}


class _LazyGroup(click.Group):
    # What one command imports (a solver, for instance) is not paid for by the others.

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            if ctx.resilient_parsing:
                return None
            from difflib import get_close_matches  # here: it takes a while

            meant = get_close_matches(cmd_name, _COMMANDS, 1)
            hint = f" Did you mean {meant[0]!r}?" if meant else ""
            raise click.UsageError(f"No such command {cmd_name!r}.{hint}", ctx)
        module, name = _COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="traceproof")
def traceproof() -> None:
    """Proves, fuzzes and repeats what optimizers of tracing JITs do to traces.

    \b
    traceproof fuzz --seconds 60          generate traces, optimize them, prove the results
    traceproof validate before after      is `after` a correct optimization of `before`?
    traceproof optimize before            what our own optimizer makes of a trace
    traceproof audit --seconds 60         test the validator itself

    Exit codes: 0 proved (or nothing found), 1 refuted (or something found), 2 a mistake in the input,
    3 unknown, 4 unsupported, 5 a fault of this tool, 130 interrupted, 141 nobody reads the output any more.
    """


def main(args: Sequence[str] | None = None) -> None:
    """The entry point."""
    arguments = sys.argv[1:] if args is None else args
    sys.exit(run_command(lambda: invoke(traceproof, arguments, "traceproof")))
