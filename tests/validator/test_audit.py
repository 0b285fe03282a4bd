"""A solver alone, and what it says of proofs that were made without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pairs import judge

from optimizer.ir.term import Term
from optimizer.ir.terms import Terms
from optimizer.ir.text import parse
from validator import Failed, Options, Proved, Refuted, Verdict, validate
from validator.cli import validate as command
from validator.cli_invoke import invoke
from validator.exits import Exit
from validator.replay import Replay
from validator.report import verdict_json, verdict_text
from validator.verdict import Fault, Rungs, Status

BEFORE = (
    "[i0, i1]\ni2 = int_mul(i0, i1)\ni3 = int_lshift(i2, 3)\ni4 = int_lt(i0, i0)\nguard_false(i4) [i3]\nfinish(i3)\n"
)
AFTER = "[i0, i1]\ni2 = int_mul(i1, i0)\ni3 = int_mul(i2, 8)\nfinish(i3)\n"
WRONG = "[i0, i1]\ni2 = int_mul(i1, i0)\ni3 = int_mul(i2, 4)\nfinish(i3)\n"
ZERO = "[i0]\ni1 = int_sub(i0, i0)\nfinish(i1)\n"
ONE = "[i0]\nfinish(1)\n"
HEAP_BEFORE = (
    '+++\n[struct.A]\nfields = { x = "int" }\n+++\n[p0, p1, i2]\nsetfield_gc(p0, i2, descr=A.x)\n'
    "i3 = getfield_gc_i(p0, descr=A.x)\nsetfield_gc(p1, i3, descr=A.x)\ni4 = getfield_gc_i(p0, descr=A.x)\nfinish(i4)\n"
)
HEAP_AFTER = (
    '+++\n[struct.A]\nfields = { x = "int" }\n+++\n[p0, p1, i2]\nsetfield_gc(p0, i2, descr=A.x)\n'
    "setfield_gc(p1, i2, descr=A.x)\nfinish(i2)\n"
)


def judged(before: str, after: str, rungs: Rungs, effort: int = Options().effort, word: int = 16) -> Verdict:
    pair = parse(before, word=word), parse(after, word=word)
    return validate(*pair, Options(effort=effort, rungs=rungs))


@pytest.mark.parametrize("pair", [(BEFORE, AFTER), (HEAP_BEFORE, HEAP_AFTER)], ids=["integers", "heap"])
def test_a_solver_agrees(pair: tuple[str, str]) -> None:
    verdict = judged(*pair, Rungs.AUDITED)
    assert isinstance(verdict, Proved)
    assert verdict.evidence.audit is not None
    assert verdict.evidence.audit.agreed >= len(verdict.evidence.obligations)
    assert verdict.evidence.audit.unsettled == ()
    assert f"a solver proved {verdict.evidence.audit.agreed} of {verdict.evidence.audit.agreed}" in verdict_text(
        verdict
    )


def test_without_an_audit_none_is_told() -> None:
    verdict = judged(BEFORE, AFTER, Rungs.ALL)
    assert isinstance(verdict, Proved)
    assert verdict.evidence.audit is None
    assert "audit" not in verdict_text(verdict)
    assert verdict_json(verdict, "", None, None)["audit"] is None


@pytest.mark.parametrize("pair", [(BEFORE, AFTER), (HEAP_BEFORE, HEAP_AFTER)], ids=["integers", "heap"])
def test_a_plain_proof_is_a_solvers(pair: tuple[str, str]) -> None:
    verdict = judged(*pair, Rungs.PLAIN)
    assert isinstance(verdict, Proved)
    assert {one.by for one in verdict.evidence.obligations} == {"solving"}
    assert verdict.evidence.vacuous == ()


def test_a_plain_refutation_is_replayed() -> None:
    verdict = judged(BEFORE, WRONG, Rungs.PLAIN)
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.by == "solving"
    assert verdict.counterexample.difference


def test_nothing_is_simplified_where_terms_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> Term:
        raise AssertionError("the algebra of terms was used")

    for name in ("add", "sub", "mul", "shl", "eq", "slt", "not_", "both", "either", "ite"):
        monkeypatch.setattr(Terms, name, never)
    with pytest.raises(AssertionError):
        judged(BEFORE, AFTER, Rungs.ALL)
    assert isinstance(judged(BEFORE, AFTER, Rungs.PLAIN), Proved)


def wrong_algebra(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on x - x is 1."""
    right = Terms.sub
    monkeypatch.setattr(Terms, "sub", lambda terms, a, b: terms.one if a is b else right(terms, a, b))


def test_a_wrong_proof_is_a_fault_of_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_algebra(monkeypatch)
    assert isinstance(judged(ZERO, ONE, Rungs.ALL), Proved)
    assert isinstance(judged(ZERO, ONE, Rungs.PLAIN), Refuted)
    verdict = judged(ZERO, ONE, Rungs.AUDITED)
    assert isinstance(verdict, Failed)
    assert verdict.fault is Fault.TOOL
    assert verdict.reason.startswith("end: argument 0: proved, but not by a solver")
    assert verdict.reason.endswith("its counterexample replays")


def test_so_is_a_model_that_does_not_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_algebra(monkeypatch)
    monkeypatch.setattr(Replay, "counterexample", lambda *_: None)
    verdict = judged(ZERO, ONE, Rungs.AUDITED)
    assert isinstance(verdict, Failed)
    assert verdict.reason.endswith("its counterexample does not replay")


def test_what_the_audit_does_not_settle_is_told() -> None:
    verdict = judged(BEFORE, AFTER, Rungs.AUDITED, effort=1, word=64)
    assert isinstance(verdict, Proved)
    audit = verdict.evidence.audit
    assert audit is not None
    assert "end: argument 0" in audit.unsettled
    assert "not settled by the audit: " in verdict_text(verdict)
    told = verdict_json(verdict, "", None, None)["audit"]
    assert told == {"agreed": audit.agreed, "unsettled": list(audit.unsettled)}


def test_a_verdict_that_is_no_proof_is_not_audited() -> None:
    assert isinstance(judged(BEFORE, WRONG, Rungs.AUDITED), Refuted)


def test_all_obligations_are_audited_one_by_one_where_one_is_hard() -> None:
    """Easy ones are found to hold although they are first asked for with one that is not."""
    before = "[i0, i1]\ni2 = int_mul(i0, i1)\ni3 = int_add(i0, 0)\nfinish(i2, i3, i1, 7)\n"
    after = "[i0, i1]\ni2 = int_mul(i1, i0)\nfinish(i2, i0, i1, 7)\n"
    verdict = judged(before, after, Rungs.AUDITED, effort=20_000, word=64)
    assert isinstance(verdict, Proved)
    assert verdict.evidence.audit is not None
    assert verdict.evidence.audit.agreed >= 3


# The command.


def run(tmp_path: Path, before: str, after: str, *options: str) -> int:
    (tmp_path / "before").write_text(before)
    (tmp_path / "after").write_text(after)
    return invoke(command, [str(tmp_path / "before"), str(tmp_path / "after"), *options], "validate")


def test_the_command_audits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, BEFORE, AFTER, "--audit", "--word", "16", "--json") == Exit.PROVED
    told = json.loads(capsys.readouterr().out)
    assert told["audit"]["agreed"] > 0
    assert told["audit"]["unsettled"] == []


def test_the_command_takes_a_solver_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, BEFORE, AFTER, "--plain", "--word", "16", "--json") == Exit.PROVED
    told = json.loads(capsys.readouterr().out)
    assert {one["by"] for one in told["obligations"]} == {"solving"}
    assert run(tmp_path, BEFORE, WRONG, "--plain", "--word", "16") == Exit.REFUTED


def test_a_disagreement_ends_the_command_with_5(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    wrong_algebra(monkeypatch)
    assert run(tmp_path, ZERO, ONE, "--audit") == Exit.FAULT
    assert "proved, but not by a solver" in capsys.readouterr().err


def test_an_audit_of_a_plain_proof_is_none(tmp_path: Path) -> None:
    assert run(tmp_path, BEFORE, AFTER, "--audit", "--plain") == Exit.USAGE


def test_rungs_of_plain_verdicts_are_those_of_the_other_ones() -> None:
    """The names of obligations are the same ones, and none that is listed there is missing."""
    full, plain = judged(BEFORE, AFTER, Rungs.ALL), judged(BEFORE, AFTER, Rungs.PLAIN)
    assert isinstance(full, Proved)
    assert isinstance(plain, Proved)
    names = {one.name for one in plain.evidence.obligations}
    assert {one.name for one in full.evidence.obligations} <= names
    assert all(one.status is Status.PROVED for one in plain.evidence.obligations)
    assert isinstance(judge(BEFORE, AFTER, word=16), Proved)
