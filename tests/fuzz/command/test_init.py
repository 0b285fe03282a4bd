"""`traceproof init`: what it writes is run, command by command, as a workflow does."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Command
from processes import run_loaded

from fuzz.cases.store import case_names
from fuzz.command.init import WORKFLOW, installed_from, starter_files
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec

ROOT = Path(__file__).parents[3]
SERVER = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"
WRONG = 'import sys\nfor line in sys.stdin:\n    print(\'{"trace": "what"}\', flush=True)\n'


@pytest.fixture(autouse=True)
def _python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")


def commands(workflow: str, job: str) -> list[str]:
    """The commands of a job, read from the YAML as it is laid out."""
    lines = workflow.partition(f"\n  {job}:\n")[2].splitlines()
    found: list[str] = []
    for number, line in enumerate(lines):
        if line.startswith("  ") and not line.startswith("   "):
            break
        if line == "        run: |":
            body = []
            for inner in lines[number + 1 :]:
                if not inner.startswith("          "):
                    break
                body.append(inner.removeprefix("          "))
            found.append("\n".join(body))
    return found


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """As a step does it: bash that ends with the first command that fails, but for one command of ours alone."""
    if re.fullmatch("traceproof [^\n*&|<>$]*", command):
        return run_loaded(shlex.split(command), folder)
    (folder / "bin").mkdir(exist_ok=True)
    program = folder / "bin" / "traceproof"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -P -c 'from fuzz.command.main import main; main()' \"$@\"\n")
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(folder / "step.md"),
    }
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )


def shortened(command: str) -> str:
    """The command with few traces in place of some time."""
    return re.sub(r"--seconds \d+", "--traces 3", command)


def written(traceproof: Command, server: str) -> str:
    traceproof.write("server.py", server)
    ended = traceproof("init", ".", "--optimizer-server", "python -S server.py")
    assert ended.code == 0
    assert "note: say in .github/workflows/traceproof.yml where pip finds traceproof" in ended.err
    assert "traceproof/README.md" in ended.out.splitlines()
    return Path(".github/workflows/traceproof.yml").read_text()


def test_what_it_writes_runs(traceproof: Command) -> None:
    workflow = written(traceproof, SERVER)
    install, *corpus = commands(workflow, "corpus")
    assert install == 'python -m pip install "traceproof[solvers] @ $TRACEPROOF"'
    assert len(corpus) == 2
    for command in corpus:
        done = shell(command, traceproof.folder)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert "all as expected" in done.stdout
    assert '<testcase classname="traceproof.corpus"' in Path("corpus.xml").read_text()
    _, *campaign = commands(workflow, "campaign")
    for command in campaign:
        done = shell(shortened(command), traceproof.folder)
        assert done.returncode == 0, (done.stdout, done.stderr)
    assert Path("step.md").read_text().startswith("# Campaign campaign\n")
    readme = Path("traceproof/README.md").read_text().splitlines()
    assert len(readme) == 10
    for line in readme:
        if line.startswith("    traceproof") and "NAME" not in line:
            short = shortened(line).replace("traceproof/campaign", "traceproof/other")
            assert shell(short, traceproof.folder).returncode == 0


def test_finds_are_known_in_the_next_night(traceproof: Command) -> None:
    _, known, campaign, *_ = map(shortened, commands(written(traceproof, WRONG), "campaign"))
    assert shell(known, traceproof.folder).returncode == 0
    assert shell(campaign, traceproof.folder).returncode == 1
    cases = case_names(Path("traceproof/campaign/cases"))
    kept = Path("kept")
    Path("traceproof/campaign/cases").rename(kept)
    subprocess.run(["rm", "-r", "traceproof/campaign"], check=True)
    Path("traceproof/campaign").mkdir()
    kept.rename("traceproof/campaign/cases")
    again = shell(known, traceproof.folder)
    assert again.returncode == 1
    assert again.stdout.startswith(f"{cases[0]}: the optimizer's trace is malformed: ")
    assert shell(campaign, traceproof.folder).returncode == 1
    assert case_names(Path("traceproof/campaign/cases")) == cases
    Path("server.py").write_text(SERVER)
    assert shell(known, traceproof.folder).returncode == 0


@pytest.mark.parametrize("there", ["traceproof/README.md", ".github/workflows/traceproof.yml"])
def test_nothing_is_overwritten(there: str, traceproof: Command) -> None:
    Path(there).parent.mkdir(parents=True)
    Path(there).write_text("mine\n")
    ended = traceproof("init", ".", "--optimizer-cmd", "cat")
    assert ended.code == 2
    assert ended.err == f"error: nothing was written: {there} is there already\n"
    assert [path for path in Path().rglob("*") if path.is_file()] == [Path(there)]


def test_the_place_of_traceproof_can_be_said(traceproof: Command) -> None:
    ended = traceproof("init", "new", "--optimizer", "mine:optimize", "--install", "git+https://example.org/t@v1")
    assert (ended.code, ended.err) == (0, "")
    workflow = Path("new/.github/workflows/traceproof.yml").read_text()
    assert '  TRACEPROOF: "git+https://example.org/t@v1"\n' in workflow
    assert "fuzz --seconds 3600 --folder traceproof/campaign --optimizer mine:optimize\n" in workflow


def test_a_checkout_is_no_place_for_others() -> None:
    assert installed_from() is None


SPEC = OptimizerSpec(OptimizerKind.COMMAND, "opt --x 'y: {z} [[ 1 ]]' # no")


def test_each_step_that_runs_the_optimizer_names_it() -> None:
    text = starter_files(SPEC, 60, "git+https://example.org/t")[WORKFLOW]
    assert "\t" not in text
    assert [len(commands(text, job)) for job in ("corpus", "campaign")] == [3, 4]
    for job in ("corpus", "campaign"):
        for command in commands(text, job):
            assert command.endswith(SPEC.arguments()) == ("traceproof corpus run" in command or "fuzz" in command)
    ours = starter_files(OptimizerSpec(), 60, "git+https://example.org/t")
    assert not any(
        line.endswith(" ") for path in (WORKFLOW, "traceproof/README.md") for line in ours[path].splitlines()
    )


def test_the_text_is_yaml(traceproof: Command) -> None:
    yaml = pytest.importorskip("yaml")
    text = starter_files(SPEC, 60, "git+https://example.org/t")[WORKFLOW]
    read = yaml.safe_load(text)
    assert set(read["jobs"]) == {"corpus", "campaign"}
    for name, job in read["jobs"].items():
        runs = [step["run"].rstrip("\n") for step in job["steps"] if "run" in step]
        assert runs == commands(text, name)
        assert all("uses" in step or "run" in step for step in job["steps"])
