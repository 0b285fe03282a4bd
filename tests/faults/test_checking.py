"""The checker alone catches what a validator with a planted fault proves wrongly: a handful; `scripts/kill-table
--checker` takes all."""

from __future__ import annotations

import pytest
from faults.checking import check_alone
from faults.kill_table import main
from faults.table import VALIDATOR_FAULTS, fault_named

CAUGHT = {
    "failargs are not compared": "guard 0: failarg",
    "definedness is not proved": ": defined",
    "events write nothing": "end: argument",
    "bytes alike": "end: heap",
}


@pytest.mark.parametrize("name", CAUGHT)
def test_a_wrong_proof_is_not_accepted(name: str) -> None:
    found = check_alone(fault_named(name, VALIDATOR_FAULTS), most=2)
    assert found.is_caught, found
    assert all(CAUGHT[name] in str(proof.obligation) for proof in found.proofs), found


def test_wrong_pairs_are_tried_where_no_test_keeps_a_wrong_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faults.checking._recorded", lambda _: iter(()))
    monkeypatch.setattr("faults.checking._of_corpus", lambda: iter(()))  # no case of it shows this fault
    found = check_alone(fault_named("floor division rounds up", VALIDATOR_FAULTS), most=1)
    assert [proof.obligation for proof in found.proofs] == ["end: argument 0"]


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--checker", "ends are not compared"]) == 0
    printed = capsys.readouterr().out
    assert "| ends are not compared | obligations | " in printed
    assert "end: argument" in printed
    assert printed.rstrip().endswith("caught: 1")
