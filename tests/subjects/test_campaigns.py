"""Campaigns against the subjects: none of them is wrong, and `scripts/subjects-table` finds a fault."""

from __future__ import annotations

import ast
import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from fuzz.command.main import main
from subjects_table.__main__ import subjects_table
from subjects_table.measure import NAMES, faults, right_server
from subjects_table.tables import read

SUBJECTS = Path(__file__).parent
TRACEPROOF = shlex.join([sys.executable, "-c", "from fuzz.command.main import main; main()"])


@pytest.mark.parametrize("path", sorted(SUBJECTS.glob("*.py")), ids=lambda path: path.name)
def test_a_subject_shares_no_code_with_traceproof(path: Path) -> None:
    if path.name.startswith("test_") or path.name == "judging.py":
        return
    ours = {one.stem for one in SUBJECTS.glob("*.py")}
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            assert name.partition(".")[0] in ours | sys.stdlib_module_names


@pytest.mark.parametrize("subject", NAMES)
def test_a_subject_without_a_fault_is_never_wrong(
    subject: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["fuzz", "--seed", "1", "--traces", "45", "--folder", str(tmp_path / "finds"), "--json"]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--optimizer-server", right_server(subject)])
    told = json.loads(capsys.readouterr().out)
    assert (ended.value.code, told["traces"], told["unsupported"]) == (0, 45, 0)
    assert told["proved"] >= 45


@pytest.mark.parametrize("subject", NAMES)
def test_the_halves_are_of_one_size(subject: str) -> None:
    tuning, held_out = faults(subject, "tuning"), faults(subject, "held-out")
    assert len(tuning) == len(held_out)
    assert faults(subject, "all") == sorted(tuning + held_out, key=faults(subject, "all").index)


def table(*arguments: str) -> str:
    ended = CliRunner().invoke(subjects_table, ["--traceproof", TRACEPROOF, *arguments], catch_exceptions=False)
    assert ended.exit_code == 0
    return ended.stdout


def test_the_table_tells_what_is_found_and_what_was_found_before(tmp_path: Path) -> None:
    results = str(tmp_path / "before.json")
    chosen = ["--subject", "peephole", "--fault", "le learned as lt"]
    told = table(*chosen, "--json", results, "--", "--traces", "1")
    assert "| peephole | le learned as lt | tuning | no | 1 |" in told
    (missed,) = read(Path(results))
    assert (missed.found, missed.traces, missed.message) == (False, 1, "")
    told = table(*chosen, "--compare", results, "--", "--traces", "60")
    assert "| before found | before traces | before CPU s | after found | after traces | after CPU s |" in told
    assert "| peephole | le learned as lt | tuning | no | 1 |" in told
    assert "| yes | 5 |" in told
    assert "- peephole, tuning: before: 0 of 1 campaigns find it, " in told
    assert "| no | 1 |" in table("--show", results)


def test_the_buckets_of_a_fault_are_counted() -> None:
    chosen = ["--subject", "peephole", "--fault", "le learned as lt", "--fault", "modulo of a negative divisor"]
    told = table(*chosen, "--buckets", "2", "--", "--traces", "300", "--kinds", "integers")
    assert "| peephole | le learned as lt | 2 | 0 | 1 | 2 | fact-of-guard-signed-comparison-" in told
    assert "| peephole | modulo of a negative divisor | 2 | 0 | 1 | 2 | fact-of-int_py_mod-" in told
    assert told.endswith("\n- peephole: 2 buckets of 2 faults; 0 of 1 pairs share one\n")


def test_a_hang_of_the_subject_is_no_find_of_its_fault() -> None:
    told = table("--subject", "peephole", "--fault", "le learned as lt", "--", "--optimizer-timeout", "0.0001")
    assert "| no | 1 |" in told


def test_a_mistake_in_the_options_of_a_campaign_is_told() -> None:
    arguments = ["--traceproof", TRACEPROOF, "--subject", "peephole", "--fault", "le learned as lt", "--", "--no-such"]
    ended = CliRunner().invoke(subjects_table, arguments)
    assert ended.exit_code == 1
    assert "Error: " in ended.output


def test_names_and_files_that_are_not_there_are_told(tmp_path: Path) -> None:
    ended = CliRunner().invoke(subjects_table, ["--fault", "of nobody"])
    assert ended.output.endswith("Error: there is no fault 'of nobody'\n")
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}]")
    ended = CliRunner().invoke(subjects_table, ["--show", str(wrong)])
    assert ended.output == f"Error: {wrong} holds no results of this script\n"
