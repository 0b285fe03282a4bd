"""The command `init`."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import click
from jinja2 import Environment, PackageLoader, StrictUndefined

from fuzz.cases.store import SHIPPED_CORPUS
from fuzz.command.options import optimizer_options
from fuzz.subject.optimizers import OptimizerSpec
from optimizer.ir.faults import InputError
from validator.command.exits import Exit
from validator.command.files import write_text


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
    there = [str(Path(folder) / path) for path in files if (Path(folder) / path).exists()]
    if there:
        raise InputError(f"nothing was written: {there[0]} is there already")
    for path, text in files.items():
        (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
        write_text(str(Path(folder) / path), text)
    for path in files:
        click.echo(Path(folder) / path)
    if place is None:
        click.echo(f"note: say in {Path(folder) / WORKFLOW} where pip finds traceproof, or use --install", err=True)
    return Exit.PROVED


# The files.

WORKFLOW = ".github/workflows/traceproof.yml"
_HERE = "traceproof"
_CASES = ("swapped-failargs", "boxed-integers-in-a-loop")

SOMEWHERE = "git+https://github.com/OWNER/traceproof"
"""A placeholder for the place of traceproof where that is not known."""


def starter_files(optimizer: OptimizerSpec, seconds: int, place: str) -> dict[str, str]:
    """The texts of all files, by their paths. A campaign takes so many seconds; `place` is what pip installs traceproof
    from."""
    templates = Environment(
        loader=PackageLoader("fuzz.command"),
        undefined=StrictUndefined,
        variable_start_string="[[",
        variable_end_string="]]",
        keep_trailing_newline=True,
    )
    tested = f" {optimizer.arguments()}".rstrip()
    values = {"tested": tested, "seconds": seconds, "place": json.dumps(place)}
    files = {
        f"{_HERE}/README.md": templates.get_template("README.md").render(values),
        f"{_HERE}/.gitignore": "campaign/\n",
        WORKFLOW: templates.get_template("traceproof.yml").render(values),
    }
    for name in _CASES:
        for path in sorted((SHIPPED_CORPUS / name).iterdir()):
            files[f"{_HERE}/corpus/{name}/{path.name}"] = path.read_text(encoding="utf-8")
    return files


def installed_from() -> str | None:
    """The place that pip installed traceproof from, if that is a repository that others can reach."""
    try:
        told = json.loads(distribution("traceproof").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    version = told.get("vcs_info", {})
    if not version or not told["url"].startswith(("https://", "ssh://")):
        return None
    return f"{version['vcs']}+{told['url']}@{version['commit_id']}"
