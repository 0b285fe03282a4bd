"""Shells complete both commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import run_loaded

ROOT = Path(__file__).parents[3]
MAIN = "from fuzz.command.main import main; main()"


def answer(asked: str, words: list[str], shell_words: dict[str, str] | None = None) -> str:
    variables = {f"_{words[0].upper()}_COMPLETE": asked, **(shell_words or {})}
    done = run_loaded(words[:1], Path.cwd(), variables)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def completed(shell: str, *words: str) -> list[str]:
    """What the shell is told of the last of the words."""
    last = words[-1] if shell == "fish" else str(len(words) - 1)
    told = answer(f"{shell}_complete", list(words), {"COMP_WORDS": " ".join(words), "COMP_CWORD": last})
    return told.split()


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "complete -o nosort -F _{name}_completion {name}"),
        ("zsh", "compdef _{name}_completion {name}"),
        ("fish", "complete --no-files --command {name}"),
    ],
)
@pytest.mark.parametrize("name", ["traceproof", "validate"])
def test_a_shell_gets_its_script(shell: str, line: str, name: str) -> None:
    script = answer(f"{shell}_source", [name])
    assert line.format(name=name) in script
    assert f"_{name.upper()}_COMPLETE={shell}_complete" in script


def test_commands_are_completed_in_each_shell() -> None:
    assert completed("bash", "traceproof", "fu") == ["plain,fuzz"]
    assert completed("zsh", "traceproof", "fu")[:2] == ["plain", "fuzz"]
    assert completed("fish", "traceproof", "fu")[0] == "plain,fuzz"
    assert completed("bash", "traceproof", "corpus", "e") == ["plain,export"]


def test_options_and_their_choices_are_completed() -> None:
    assert completed("bash", "traceproof", "fuzz", "--sec") == ["plain,--seconds"]
    assert completed("bash", "traceproof", "validate", "--guards", "s") == ["plain,same", "plain,safe"]
    assert completed("bash", "validate", "--sol") == ["plain,--solver"]


@pytest.mark.parametrize("line", ["validate bef", "traceproof fuzz --folder bef", "traceproof unknown bef"])
def test_where_nothing_else_is_known_it_is_a_file(line: str) -> None:
    assert completed("bash", *line.split()) == ["file,bef"]


def test_an_unknown_shell_is_told(tmp_path: Path) -> None:
    done = run_loaded(["traceproof"], tmp_path, {"_TRACEPROOF_COMPLETE": "elvish_source"})
    assert (done.returncode, done.stdout) == (2, "")
    assert "_TRACEPROOF_COMPLETE: expected bash_source, zsh_source or fish_source, got 'elvish_source'" in done.stderr


def test_bash_itself_completes(tmp_path: Path) -> None:
    (tmp_path / "traceproof").write_text(f"#!/bin/sh\nexec {sys.executable} -c '{MAIN}' \"$@\"\n")
    (tmp_path / "traceproof").chmod(0o755)
    script = """
        eval "$(_TRACEPROOF_COMPLETE=bash_source traceproof)"
        COMP_WORDS=(traceproof prove) COMP_CWORD=1
        $(complete -p traceproof | sed 's/.*-F //') traceproof
        echo "${COMPREPLY[@]}"
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("prove-rules\n", "")
