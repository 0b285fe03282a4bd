"""What a repository needs to test its optimizer: a corpus, a workflow of GitHub Actions, and a page that says how."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from fuzz.cases.store import SHIPPED_CORPUS
from fuzz.subject.optimizers import OptimizerSpec
from optimizer.ir.faults import InputError
from validator.command.files import write_text

WORKFLOW = ".github/workflows/traceproof.yml"
_HERE = "traceproof"
_CASES = ("swapped-failargs", "boxed-integers-in-a-loop")

SOMEWHERE = "git+https://github.com/OWNER/traceproof"
"""What stands for the place of traceproof where that is not known."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a workflow: a command, or an action that is `used`. `always`: also behind one that has failed."""

    name: str
    run: str = ""
    used: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    always: bool = False

    def lines(self) -> Iterator[str]:
        yield f"- name: {self.name}"
        if self.always:
            yield "  if: always()"
        if self.run:
            yield "  run: |"
            yield textwrap.indent(self.run, "    ")
        else:
            yield f"  uses: {self.used}"
            if self.given:
                yield "  with:"
            for key, value in self.given.items():
                yield f"    {key}: {value}"


@dataclass(frozen=True, slots=True)
class Job:
    """A job of a workflow, and for which events it is there."""

    name: str
    condition: str
    steps: tuple[Step, ...]

    def lines(self) -> Iterator[str]:
        yield f"{self.name}:"
        yield f"  if: {self.condition}"
        yield "  runs-on: ubuntu-latest"
        yield "  steps:"
        for step in self.steps:
            yield textwrap.indent("\n".join(step.lines()), "    ")


def jobs(optimizer: OptimizerSpec, seconds: int) -> tuple[Job, Job]:
    """The corpus for each push, and a campaign for each night."""
    tested = optimizer.arguments()
    setup = (
        Step("sources", used="actions/checkout@v4"),
        Step("Python", used="actions/setup-python@v5", given={"python-version": '"3.12"'}),
        Step("traceproof", 'python -m pip install "traceproof[solvers] @ $TRACEPROOF"'),
        # The optimizer is built here, if it has to be.
    )
    known, cache = f"{_HERE}/campaign/cases", "actions/cache"
    kept = {"path": known, "key": "traceproof-${{ github.run_id }}"}
    corpus = (
        Step("corpus", f"traceproof corpus run --corpus {_HERE}/corpus --junit corpus.xml {tested}"),
        Step("cases of traceproof", f"traceproof corpus run --shipped --junit shipped.xml {tested}", always=True),
    )
    campaign = (
        Step("known finds", used=f"{cache}/restore@v4", given={**kept, "restore-keys": "traceproof-"}),
        Step("are they still there?", f"mkdir -p {known}\ntraceproof corpus run --corpus {known} {tested}"),
        Step("campaign", f"traceproof fuzz --seconds {seconds} --folder {_HERE}/campaign {tested}", always=True),
        Step("summary", f'cat {_HERE}/campaign/report/summary.md >> "$GITHUB_STEP_SUMMARY"', always=True),
        Step("keep the finds", used=f"{cache}/save@v4", given=kept, always=True),
        Step(
            "report",
            used="actions/upload-artifact@v4",
            given={"name": "traceproof", "path": f"{_HERE}/campaign"},
            always=True,
        ),
    )
    on_push = Job("corpus", "github.event_name == 'push'", (*setup, *corpus))
    return on_push, Job("campaign", "github.event_name != 'push'", (*setup, *campaign))


def workflow_text(optimizer: OptimizerSpec, seconds: int, place: str) -> str:
    """The workflow. `place` is what pip installs traceproof from."""
    head = f"""\
        name: traceproof
        on:
          push:
          schedule:
            - cron: "0 1 * * *"
          workflow_dispatch:
        permissions:
          contents: read
        env:
          TRACEPROOF: {json.dumps(place)}
        jobs:
        """
    bodies = ["\n".join(job.lines()) for job in jobs(optimizer, seconds)]
    return textwrap.dedent(head) + "\n".join(textwrap.indent(body, "  ") for body in bodies) + "\n"


def readme_text(optimizer: OptimizerSpec) -> str:
    """Ten lines for those who find the folder."""
    tested = optimizer.arguments()
    return textwrap.dedent(f"""\
        # Testing our optimizer

        [{WORKFLOW}](../{WORKFLOW}) runs the corpus on each push and a campaign every night; it keeps what was found.

            traceproof corpus run --corpus {_HERE}/corpus {tested}
            traceproof fuzz --seconds 60 --folder {_HERE}/campaign {tested}
            traceproof corpus add {_HERE}/campaign/cases/NAME --corpus {_HERE}/corpus --name TOPIC --about '...'

        These run in the folder above: a campaign, the cases, and a find that becomes a case. It is in
        `{_HERE}/campaign/report/index.html` how a campaign went; delete `{_HERE}/campaign` to begin another one.
        """)


def starter_files(optimizer: OptimizerSpec, seconds: int, place: str) -> dict[str, str]:
    """The texts of all files, by their paths."""
    files = {
        f"{_HERE}/README.md": readme_text(optimizer),
        f"{_HERE}/.gitignore": "campaign/\n",
        WORKFLOW: workflow_text(optimizer, seconds, place),
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
    """What pip installed traceproof from, if that is a repository that others can reach."""
    try:
        told = json.loads(distribution("traceproof").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    version = told.get("vcs_info", {})
    if not version or not told["url"].startswith(("https://", "ssh://")):
        return None
    return f"{version['vcs']}+{told['url']}@{version['commit_id']}"
