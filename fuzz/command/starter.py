"""The files that a repository needs to test its optimizer: a corpus, a workflow of GitHub Actions, and a page that says
how."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from fuzz.cases.store import SHIPPED_CORPUS
from fuzz.subject.optimizers import OptimizerSpec
from optimizer.ir.faults import InputError
from validator.command.files import write_text

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


def write_starter(folder: Path, files: Mapping[str, str]) -> None:
    """Write them, all or, where one is there, none. Raises InputError and OSError."""
    there = [str(folder / path) for path in files if (folder / path).exists()]
    if there:
        raise InputError(f"nothing was written: {there[0]} is there already")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_text(str(folder / path), text)


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
