"""The checker's word on proofs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pairs import judge

from optimizer.ir.domains.term import Term
from optimizer.ir.domains.terms import Terms
from optimizer.ir.text import parse
from validator import Failed, Options, Proved, Refuted, Verdict, validate
from validator.check.checker import Checked, Unsettled, check
from validator.command.exits import Exit, run_command
from validator.command.invoke import invoke
from validator.command.validate import validate as command
from validator.tell.report import verdict_json, verdict_text
from validator.verdict import Fault

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


def audited(before: str, after: str, effort: int = Options().effort, word: int = 16) -> Verdict:
    pair = parse(before, word=word), parse(after, word=word)
    return validate(*pair, Options(effort=effort, audit=True))


@pytest.mark.parametrize("pair", [(BEFORE, AFTER), (HEAP_BEFORE, HEAP_AFTER)], ids=["integers", "heap"])
def test_the_checker_agrees(pair: tuple[str, str]) -> None:
    verdict = audited(*pair)
    assert isinstance(verdict, Proved)
    audit = verdict.evidence.audit
    assert audit is not None
    assert audit.checked >= len(verdict.evidence.obligations)
    assert audit.unsettled == ()
    text = verdict_text(verdict)
    assert text.startswith("proved, checked: ")
    assert f"  checked: {audit.checked} obligations hold" in text


def test_without_an_audit_none_is_told() -> None:
    verdict = judge(BEFORE, AFTER, word=16)
    assert isinstance(verdict, Proved)
    assert verdict.evidence.audit is None
    assert "checked" not in verdict_text(verdict)
    told = verdict_json(verdict, "", None, None)
    assert (told["check"], told["certificate"]) == (None, None)


def test_the_checker_does_without_the_algebra_of_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> Term:
        raise AssertionError("the algebra of terms was used")

    proof = audited(BEFORE, AFTER)
    assert isinstance(proof, Proved)
    assert proof.evidence.certificate is not None
    for name in ("add", "sub", "mul", "shl", "eq", "slt", "not_", "both", "either", "ite"):
        monkeypatch.setattr(Terms, name, never)
    with pytest.raises(AssertionError):
        audited(BEFORE, AFTER)
    pair = parse(BEFORE, word=16), parse(AFTER, word=16)
    assert isinstance(check(*pair, proof.evidence.certificate), Checked)


def wrong_algebra(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on x - x is 1."""
    right = Terms.sub
    monkeypatch.setattr(Terms, "sub", lambda terms, a, b: terms.one if a is b else right(terms, a, b))


def test_a_wrong_proof_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_algebra(monkeypatch)
    assert isinstance(judge(ZERO, ONE, word=16), Proved)
    verdict = audited(ZERO, ONE)
    assert isinstance(verdict, Failed)
    assert verdict.fault is Fault.PROOF
    assert verdict.reason == "proved, and a run shows a difference: end: argument 0"


def test_what_the_checker_does_not_settle_is_told() -> None:
    before = "[i0]\ni1 = int_py_div(i0, i0)\nfinish(i1)\n"
    verdict = audited(before, "[i0]\nfinish(1)\n", effort=1000, word=64)
    assert isinstance(verdict, Proved)
    audit = verdict.evidence.audit
    assert audit is not None
    text = verdict_text(verdict)
    assert text.startswith("proved, not checked: ")
    assert "  not checked: end: argument 0: the solver gave up" in text
    told = verdict_json(verdict, "", None, None)["check"]
    assert told == {
        "checked": False, "obligations": 0, "unsettled": ["end: argument 0"], "reason": "the solver gave up",
    }  # fmt: skip


def test_a_verdict_that_is_no_proof_is_not_audited() -> None:
    assert isinstance(audited(BEFORE, WRONG), Refuted)


# The command.


def run(tmp_path: Path, before: str, after: str, *options: str) -> int:
    (tmp_path / "before").write_text(before)
    (tmp_path / "after").write_text(after)
    arguments = [str(tmp_path / "before"), str(tmp_path / "after"), *options]
    return run_command(lambda: invoke(command, arguments, "validate"))


def test_the_command_audits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, BEFORE, AFTER, "--audit", "--word", "16", "--json") == Exit.PROVED
    told = json.loads(capsys.readouterr().out)
    assert told["check"]["obligations"] > 0
    assert told["check"]["unsettled"] == []
    assert told["certificate"]["origins"] == []


def test_the_command_writes_and_checks_certificates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "certificate.json"
    assert run(tmp_path, BEFORE, AFTER, "--word", "16", "--certificate", str(path)) == Exit.PROVED
    assert capsys.readouterr().out.startswith("proved: ")
    assert run(tmp_path, BEFORE, AFTER, "--word", "16", "--check", str(path)) == Exit.PROVED
    assert capsys.readouterr().out.startswith("checked: ")
    assert run(tmp_path, BEFORE, WRONG, "--word", "16", "--check", str(path), "--json") == Exit.UNKNOWN
    told = json.loads(capsys.readouterr().out)
    assert told["check"]["unsettled"] == ["end: argument 0"]
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_a_certificate_needs_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "nowhere" / "certificate.json"
    assert run(tmp_path, BEFORE, AFTER, "--certificate", str(path)) == Exit.USAGE
    assert capsys.readouterr().err == f"error: {path}: there is no folder {path.parent}\n"
    assert run(tmp_path, BEFORE, AFTER, "--certificate", str(tmp_path)) == Exit.USAGE
    assert capsys.readouterr().err == f"error: {tmp_path}: this is a directory, a file was expected\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"origins": []}',
        '{"origins": [-1], "partners": [], "equal": []}',
        '{"origins": [0], "partners": [], "equal": [["after", 1, "i2"]]}',
    ],
)
def test_a_file_that_is_no_certificate(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(text)
    assert run(tmp_path, BEFORE, AFTER, "--check", str(path)) == Exit.USAGE
    assert "this is no certificate" in capsys.readouterr().err
    assert run(tmp_path, BEFORE, AFTER, "--check", str(tmp_path / "missing")) == Exit.USAGE


def test_a_pair_that_is_not_proved_has_no_certificate(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    assert run(tmp_path, BEFORE, WRONG, "--word", "16", "--certificate", str(path)) == Exit.REFUTED
    assert not path.exists()
    assert run(tmp_path, BEFORE, AFTER, "--check", str(path), "--audit") == Exit.USAGE


def test_a_proof_that_is_not_checked_is_not_accepted_under_strict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("validator.prove.audit.check", lambda *_: Unsettled("end: argument 0", "the solver gave up"))
    assert run(tmp_path, BEFORE, AFTER, "--audit") == Exit.PROVED
    assert "not checked: end: argument 0" in capsys.readouterr().out
    assert run(tmp_path, BEFORE, AFTER, "--audit", "--strict") == Exit.UNKNOWN


def test_a_proof_that_a_run_contradicts_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong_algebra(monkeypatch)
    assert run(tmp_path, ZERO, ONE, "--audit", "--json") == Exit.FAULT
    assert json.loads(capsys.readouterr().out)["fault"] == "proof"
