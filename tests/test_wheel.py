"""The wheel: all code, the corpus and the templates of pages, which an installed `traceproof` finds from any folder."""

from __future__ import annotations

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
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode and "setuptools" in done.stderr:
        pytest.skip("there is no setuptools to build with")
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_has_all_code_the_corpus_and_the_templates(wheel: zipfile.ZipFile) -> None:
    files = [path for name in PACKAGES for kind in ("*.py", "*.pyi") for path in (ROOT / name).rglob(kind)]
    code = {path.relative_to(ROOT).as_posix() for path in files}
    cases = {f"fuzz/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "corpus").glob("*/*")}
    templates = {path.relative_to(ROOT).as_posix() for path in (ROOT / "fuzz").glob("*/templates/*")}
    held = {name for name in wheel.namelist() if ".dist-info/" not in name and not name.endswith("py.typed")}
    assert held == code | cases | templates | {"validator/pypy/pypy-7.3.11.json.xz"}
    assert held > {"fuzz/report/templates/campaign.html", "fuzz/command/templates/traceproof.yml"}
    assert len(cases) > 300


def test_the_installed_corpus_is_run_from_an_empty_folder(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path / "site")
    (tmp_path / "empty").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}

    def run(*args: str, command: str = "corpus") -> subprocess.CompletedProcess[str]:
        started = [sys.executable, "-P", "-c", "import fuzz.command.main; fuzz.command.main.main()", command, *args]
        return subprocess.run(
            started, cwd=tmp_path / "empty", env=environment, capture_output=True, text=True, timeout=300
        )

    listed = run("list", "--shipped")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert len(listed.stdout.splitlines()) == len(list((ROOT / "corpus").glob("*/case.toml")))
    assert run("show", "swapped-failargs", "--shipped").returncode == 0
    written = run(str(tmp_path / "site" / "fuzz" / "corpus" / "swapped-failargs"), "-o", "-", command="report")
    assert (written.returncode, written.stderr) == (0, "")
    assert "<h1>swapped-failargs</h1>" in written.stdout
    without = run("run")
    assert without.returncode == 2
    assert "--shipped those of traceproof" in without.stderr
    assert run("run", "--shipped", "--corpus", "x").returncode == 2


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
