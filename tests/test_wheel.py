"""The wheel: all code, the corpus, the templates of pages and the grammar of programs, which an installed `traceproof`
finds from any folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("optimizer", "validator", "fuzz")

RUN_EACH = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from fuzz.command.main import main
found = []
for args in json.load(sys.stdin):
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        try:
            main(args)
        except SystemExit as ended:
            found.append({"code": ended.code or 0, "out": out.getvalue(), "err": err.getvalue()})
json.dump(found, sys.stdout)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "corpus", *PACKAGES):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, symlinks=True)
        else:
            shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-c", f"from setuptools.build_meta import build_wheel; build_wheel({str(folder)!r})"]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_has_all_code_the_corpus_the_templates_and_the_grammar(wheel: zipfile.ZipFile) -> None:
    files = [path for name in PACKAGES for kind in ("*.py", "*.pyi") for path in (ROOT / name).rglob(kind)]
    code = {path.relative_to(ROOT).as_posix() for path in files}
    cases = {f"fuzz/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "corpus").glob("*/*")}
    templates = {path.relative_to(ROOT).as_posix() for path in (ROOT / "fuzz").glob("*/templates/*")}
    grammar = {path.relative_to(ROOT).as_posix() for path in (ROOT / "fuzz" / "hunt").rglob("*.txt")}
    held = {name for name in wheel.namelist() if ".dist-info/" not in name and not name.endswith("py.typed")}
    assert held == code | cases | templates | grammar | {"validator/pypy/pypy-7.3.11.json.xz"}
    assert held > {"fuzz/report/templates/campaign.html", "fuzz/command/templates/traceproof.yml"}
    assert len(cases) > 300


def test_the_installed_corpus_is_run_from_an_empty_folder(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path / "site")
    (tmp_path / "empty").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}

    commands = [
        ["corpus", "list", "--shipped"],
        ["corpus", "show", "swapped-failargs", "--shipped"],
        ["report", str(tmp_path / "site" / "fuzz" / "corpus" / "swapped-failargs"), "-o", "-"],
        ["corpus", "run"],
        ["corpus", "run", "--shipped", "--corpus", "x"],
    ]
    done = subprocess.run(
        [sys.executable, "-P", "-c", RUN_EACH],
        cwd=tmp_path / "empty",
        env=environment,
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    listed, shown, written, without, both = json.loads(done.stdout)
    assert (listed["code"], listed["err"]) == (0, "")
    assert len(listed["out"].splitlines()) == len(list((ROOT / "corpus").glob("*/case.toml")))
    assert shown["code"] == 0
    assert (written["code"], written["err"]) == (0, "")
    assert "<h1>swapped-failargs</h1>" in written["out"]
    assert without["code"] == 2
    assert "--shipped those of traceproof" in without["err"]
    assert both["code"] == 2


def test_what_ci_installs_is_within_the_bounds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bounds = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    lowest = dict(one.replace("[distributed]", "").split(">=") for one in bounds if ">=" in one)
    lines = (ROOT / "scripts" / "constraints.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    assert pinned.keys() == {*lowest, "distributed"}

    def number(version: str) -> list[int]:
        return [int(part) for part in version.split(".")]

    assert all(number(pinned[name]) >= number(version) for name, version in lowest.items())
