"""`validate --solver`, `--memory` and `--emit-smt2`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from validator.command.validate import validate
from validator.solvers import child_process, z3_process
from validator.solvers.smtlib import Script

BEFORE = "[i0, i1]\ni2 = int_mul(i0, i1)\ni3 = int_add(i2, i0)\nguard_true(i1) [i3]\nfinish(i3)\n"
RIGHT = BEFORE.replace("int_mul(i0, i1)", "int_mul(i1, i0)")
WRONG = BEFORE.replace("int_mul(i0, i1)", "int_mul(i1, 3)")


def run(folder: Path, after: str, *options: str) -> Result:
    (folder / "before.trace").write_text(BEFORE)
    (folder / "after.trace").write_text(after)
    paths = [str(folder / name) for name in ("before.trace", "after.trace")]
    return CliRunner().invoke(validate, [*paths, *options], standalone_mode=False)


@pytest.mark.usefixtures("solver_alone")
@pytest.mark.parametrize("solver", ["z3", "bitwuzla", "cvc5", "auto"])
def test_one_solver_alone(solver: str, tmp_path: Path) -> None:
    if solver in ("bitwuzla", "cvc5"):
        pytest.importorskip(solver)
    assert run(tmp_path, RIGHT, "--solver", solver, "--memory", "1000").return_value == 0
    assert run(tmp_path, WRONG, "--solver", solver).return_value == 1


def test_a_solver_has_to_be_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.solvers.child_process.is_installed", lambda _: False)
    result = run(tmp_path, RIGHT, "--solver", "bitwuzla")
    assert "pip install 'traceproof[solvers]'" in str(result.exception)
    assert run(tmp_path, RIGHT).return_value == 0


@pytest.mark.usefixtures("solver_alone")
@pytest.mark.parametrize("after", [RIGHT, WRONG])
def test_queries_are_written_as_files_that_any_solver_reads(after: str, tmp_path: Path) -> None:
    queries = tmp_path / "made" / "queries"
    run(tmp_path, after, "--word", "8", "--emit-smt2", str(queries))
    paths = sorted(queries.iterdir())
    assert [path.name for path in paths] == [f"after.trace-{number:03}.smt2" for number in range(1, len(paths) + 1)]
    assert paths
    for path in paths:
        text = path.read_text()
        comment, status = re.match(r"; (.*)\n\(set-info :status (\w+)\)\n\(set-logic QF_BV\)\n", text).groups()  # type: ignore[union-attr]
        assert comment in [f"{solver}: {status}" for solver in ("z3", "bitwuzla", "cvc5")]
        assert text.endswith("(check-sat)\n")
        query = Script("", text.split("\n", 3)[3].removesuffix("(check-sat)\n"), "", {}, {}, 8)
        reply = z3_process.check(query, z3_process.SOLVING, 10_000_000, 60, 1000)
        assert (reply is None) == (status == "unsat")
        for solver in filter(child_process.is_installed, ("bitwuzla", "cvc5")):
            whole = Script("QF_BV", query.body, "", {}, {}, 8)
            assert (child_process.check(solver, whole, 1 << 40, 60, 4096) is None) == (status == "unsat")


@pytest.mark.usefixtures("solver_alone")
def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run(tmp_path, WRONG, "--emit-smt2", str(tmp_path / "file"), "--json")
    assert result.return_value == 2
    assert "file" in result.output


def test_no_queries_are_written_where_verdicts_are_looked_up(tmp_path: Path) -> None:
    result = run(tmp_path, RIGHT, "--emit-smt2", str(tmp_path / "q"), "--cache", str(tmp_path / "c"))
    assert "--emit-smt2 is not for --cache" in str(result.exception)


@pytest.mark.usefixtures("solver_alone")
def test_a_batch_names_the_files_by_its_pairs(tmp_path: Path) -> None:
    import json

    lines = [json.dumps({"name": name, "before": BEFORE, "after": WRONG}) for name in ("one", "../two words")]
    (tmp_path / "batch").write_text("\n".join(lines))
    arguments = ["--batch", str(tmp_path / "batch"), "--emit-smt2", str(tmp_path / "q")]
    CliRunner().invoke(validate, arguments, standalone_mode=False)
    assert {path.name.rsplit("-", 1)[0] for path in (tmp_path / "q").iterdir()} == {"one", "two-words"}


@pytest.mark.usefixtures("solver_alone")
def test_long_names_of_pairs_are_shortened_to_different_ones(tmp_path: Path) -> None:
    import json

    long = "long" * 75
    lines = [json.dumps({"name": name, "before": BEFORE, "after": WRONG}) for name in (f"{long} 1", f"{long} 2")]
    (tmp_path / "batch").write_text("\n".join(lines))
    arguments = ["--batch", str(tmp_path / "batch"), "--emit-smt2", str(tmp_path / "q")]
    result = CliRunner().invoke(validate, arguments, standalone_mode=False)
    assert '"error"' not in result.output
    stems = [{path.name.rsplit("-", 1)[0] for path in (tmp_path / "q").iterdir()}]
    CliRunner().invoke(validate, arguments, standalone_mode=False)
    stems.append({path.name.rsplit("-", 1)[0] for path in (tmp_path / "q").iterdir()})
    assert stems[0] == stems[1]
    assert [stem[:150] for stem in stems[0]] == [long[:150]] * 2
