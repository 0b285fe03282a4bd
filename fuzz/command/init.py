"""The command `init`."""

from __future__ import annotations

from pathlib import Path

import click

from fuzz.command.options import optimizer_options
from fuzz.command.starter import SOMEWHERE, WORKFLOW, installed_from, starter_files, write_starter
from fuzz.subject.optimizers import OptimizerSpec
from validator.command.exits import Exit


@click.command(short_help="Write what a repository needs to test its optimizer.")
@click.argument("folder", metavar="DIR")
@optimizer_options
@click.option(
    "--seconds",
    type=click.IntRange(1),
    default=3600,
    show_default=True,
    metavar="N",
    help="How long the campaign of a night is.",
)
@click.option(
    "--install",
    metavar="PLACE",
    help="Where pip finds traceproof in the workflow, such as git+https://...; by default, where it found this one.",
)
def init(folder: str, optimizer: OptimizerSpec, seconds: int, install: str | None) -> int:
    """Write what a repository needs to test its optimizer into its folder DIR.

    These are `traceproof/corpus` with two cases to begin with, a workflow for GitHub Actions, which runs the corpus on
    each push and a campaign every night, and `traceproof/README.md`. No file is overwritten: if one is there, nothing
    is written.

    \b
    $ traceproof init . --optimizer-server 'python server.py'
    $ traceproof init . --optimizer mine:optimize --seconds 600
    """
    place = install or installed_from()
    files = starter_files(optimizer, seconds, place or SOMEWHERE)
    write_starter(Path(folder), files)
    for path in files:
        click.echo(Path(folder) / path)
    if place is None:
        click.echo(f"note: say in {Path(folder) / WORKFLOW} where pip finds traceproof, or use --install", err=True)
    return Exit.PROVED
