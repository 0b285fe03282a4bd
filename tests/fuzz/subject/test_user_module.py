"""Which module `--optimizer` means: that of the current folder, unless its name has to stay somebody else's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Command
from processes import ROOT, run_loaded

import optimizer

HARMFUL = "import os\n\ndef optimize(trace):\n    raise RuntimeError('mine')\n"
GOOD = "def optimize(trace):\n    return trace\n"


def command(folder: Path, *args: str, path: tuple[Path, ...] = ()) -> tuple[int, str, str]:
    """As the installed command does it: the current folder is not among those of modules."""
    done = run_loaded(["traceproof", *args], folder, {"PYTHONPATH": os.pathsep.join(map(str, (*path, ROOT)))})
    return done.returncode, done.stdout, done.stderr


def fuzz(folder: Path, name: str, *path: Path) -> tuple[int, str, str]:
    return command(folder, "fuzz", "--seed", "1", "--traces", "3", "--jobs", "2", "--optimizer", name, path=path)


def complaint(traceproof: Command, name: str) -> str:
    """What is said of a module in the current folder with which no campaign begins."""
    ended = traceproof("fuzz", "--seed", "1", "--traces", "3", "--optimizer", name)
    assert (ended.code, ended.out) == (2, "")
    assert not Path("campaign").exists()
    return ended.err


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_module_of_the_current_folder_goes_before_an_installed_one(tmp_path: Path) -> None:
    write(tmp_path / "installed" / "mine.py", GOOD)
    write(tmp_path / "here" / "mine.py", HARMFUL)
    code, out, err = fuzz(tmp_path / "here", "mine:optimize", tmp_path / "installed")
    assert (code, err) == (1, "")
    assert "RuntimeError: mine" in out


def test_so_do_its_packages_and_what_it_imports(tmp_path: Path) -> None:
    for name, text in {"installed": "raise ImportError", "here": HARMFUL}.items():
        write(tmp_path / name / "helper.py", text)
    write(tmp_path / "installed" / "pkg" / "__init__.py", "")
    write(tmp_path / "here" / "pkg" / "__init__.py", "")
    write(tmp_path / "here" / "pkg" / "inner" / "mod.py", "from helper import optimize\n")
    code, out, err = fuzz(tmp_path / "here", "pkg.inner.mod:optimize", tmp_path / "installed")
    assert (code, err) == (1, "")
    assert "RuntimeError: mine" in out


def test_an_installed_module_is_found(tmp_path: Path) -> None:
    write(tmp_path / "installed" / "mine.py", HARMFUL)
    (tmp_path / "here").mkdir()
    code, _, err = fuzz(tmp_path / "here", "mine:optimize", tmp_path / "installed")
    assert (code, err) == (1, "")
    assert fuzz(tmp_path / "here", "optimizer:optimize")[0] == 0


@pytest.mark.parametrize("file", ["optimizer.py", "optimizer/__init__.py", "fuzz.py"])
def test_a_module_of_our_name_is_refused(file: str, traceproof: Command) -> None:
    mine = write(traceproof.folder / file, HARMFUL)
    name = file.partition("/")[0].removesuffix(".py")
    err = complaint(traceproof, f"{name}:optimize")
    assert err.startswith(f"error: --optimizer: {name} may be {mine} or ")
    assert err.rstrip().endswith("the latter has to keep its name: call yours otherwise")
    assert (str(Path(optimizer.__file__)) in err) == (name == "optimizer")


def test_a_module_inside_a_folder_of_our_name_is_refused(traceproof: Command) -> None:
    mine = write(traceproof.folder / "optimizer" / "mine.py", HARMFUL)
    err = complaint(traceproof, "optimizer.mine:optimize")
    assert err.startswith(f"error: --optimizer: optimizer may be {mine.parent} or {ROOT / 'optimizer'}")


@pytest.mark.parametrize("name", ["json", "statistics", "time", "z3", "click"])
def test_a_module_of_a_name_that_is_needed_is_refused(
    name: str, traceproof: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "statistics", raising=False)  # one that no command has loaded
    mine = write(traceproof.folder / f"{name}.py", HARMFUL)
    assert complaint(traceproof, f"{name}:optimize").startswith(f"error: --optimizer: {name} may be {mine} or ")


def test_modules_that_stand_in_the_folder_do_not_take_the_place_of_what_is_needed(tmp_path: Path) -> None:
    for name in ("optimizer", "statistics", "z3", "tempfile", "multiprocessing", "xml", "cvc5"):
        write(tmp_path / f"{name}.py", "raise RuntimeError('this is not what you are looking for')\n")
    write(tmp_path / "mine.py", "import statistics, optimizer, z3\n\ndef optimize(trace):\n    return trace\n")
    words = [sys.executable, "-P", "-c", "from fuzz.command.main import main; main()"]
    words += ["fuzz", "--seed", "1", "--traces", "3", "--jobs", "2", "--optimizer", "mine:optimize"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert "proved" in done.stdout


def test_a_folder_without_code_takes_no_name(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    write(tmp_path / "installed" / "mine.py", GOOD)
    assert fuzz(tmp_path, "mine:optimize", tmp_path / "installed")[0] == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine.py:optimize", "expected the name of a module, got a file: say mine:optimize"),
        ("./sub/mine.py:optimize", "expected the name of a module, got a file: say sub.mine:optimize"),
        ("exits:optimize", "exits cannot be imported: SystemExit: 0"),
        ("nowhere:optimize", "there is no module nowhere in this folder, and none is installed\n"),
        ("nowhere.at.all:optimize", "there is no module nowhere in this folder, and none is installed\n"),
        ("lacks:optimize", "lacks cannot be imported: ModuleNotFoundError: No module named 'nowhere' ("),
        ("broken:optimize", "broken cannot be imported: SyntaxError: "),
    ],
)
def test_what_is_no_module_is_told(name: str, message: str, traceproof: Command) -> None:
    traceproof.write("exits.py", "import sys\nsys.exit(0)\n")
    traceproof.write("lacks.py", "import nowhere\n")
    traceproof.write("broken.py", "def optimize(:\n")
    assert complaint(traceproof, name).startswith(f"error: --optimizer: {message}")


def test_a_corpus_is_run_with_it_by_any_number_of_processes(tmp_path: Path) -> None:
    write(tmp_path / "mine.py", HARMFUL)
    for name in ("swapped-failargs", "division-by-itself", "toy-dialect-with-objects"):
        shutil.copytree(ROOT / "corpus" / name, tmp_path / "corpus" / name)
    for jobs in ("1", "2"):
        code, out, err = command(tmp_path, "corpus", "run", "--optimizer", "mine:optimize", "--jobs", jobs)
        assert (code, err) == (1, "")
        assert "the optimizer crashes: RuntimeError: mine" in out
