"""The table of planted faults: each one breaks something, and a few of them are looked for; `scripts/kill-table` looks
for all."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import kill_table
from faults.catching import Caught, catch
from faults.kill_table import main
from faults.killing import find, shows
from faults.planting import OptimizerFault, ValidatorFault
from faults.table import OPTIMIZER_FAULTS, VALIDATOR_FAULTS

from optimizer.ir.text import parse

FAULTS: tuple[OptimizerFault | ValidatorFault, ...] = (*OPTIMIZER_FAULTS, *VALIDATOR_FAULTS)
TESTS = Path(__file__).parent.parent
SAMPLE = (
    "add one",
    "below is at most",
    "loads are functions",
    "folded order",
    "swapped failargs",
    "calls are dead",
    "event",
    "bytes of objects are dead",
)
"""One of each layer, of those that are found soon."""


def _named(faults: tuple[OptimizerFault | ValidatorFault, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("fault", faults, ids=[fault.name for fault in faults])


def test_the_table_is_large() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert len(OPTIMIZER_FAULTS) > 100
    assert len(VALIDATOR_FAULTS) > 40


@_named(FAULTS)
def test_a_plant_changes_something(fault: OptimizerFault | ValidatorFault) -> None:
    with pytest.MonkeyPatch.context() as patch:
        fault.plant(patch)
        changed = [getattr(owner, name) is not old for owner, name, old in patch._setattr]
        changed += [table[key] is not old for table, key, old in patch._setitem]
        assert changed
        assert all(changed)


@_named(tuple(fault for fault in OPTIMIZER_FAULTS if fault.smallest))
def test_the_smallest_trace_shows_it(fault: OptimizerFault) -> None:
    assert shows(fault, parse(fault.smallest))


@_named(VALIDATOR_FAULTS)
def test_what_catches_it_is_there(fault: ValidatorFault) -> None:
    assert fault.catches
    for test in fault.catches:
        file, _, name = test.partition("::")
        assert (f"def {name}(" if name else "def test_") in (TESTS / file).read_text()


@_named(tuple(fault for fault in OPTIMIZER_FAULTS if fault.name in SAMPLE))
def test_a_campaign_finds_it(fault: OptimizerFault) -> None:
    assert find(fault, seconds=60.0) is not None


@_named(VALIDATOR_FAULTS[:1])
def test_a_test_catches_it(fault: ValidatorFault) -> None:
    assert catch(fault).missed == ()


def test_a_fault_that_is_no_fault_is_not_found() -> None:
    assert find(OptimizerFault("none", "nothing", "none", lambda _: None), seconds=60.0, most=10) is None


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "2", "add one"]) == 0
    assert "| add one | rules | 2 of 2 |" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main(["there is none"])
    assert "there is no fault 'there is none'" in capsys.readouterr().err


def test_a_fault_that_breaks_down_itself_is_told_and_the_others_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    def broken(fault: ValidatorFault) -> Caught:
        raise RuntimeError(f"it could not be run with {fault.name!r}:\nTraceback")

    first, second = (fault.name for fault in VALIDATOR_FAULTS[:2])
    with pytest.MonkeyPatch.context() as patch:  # processes are forked
        patch.setattr(kill_table, "catch", broken)
        assert main([first, second, "--jobs", "1"]) == 1
    told = capsys.readouterr().out
    assert f"it could not be run with {first!r} |" in told
    assert f"it could not be run with {second!r} |" in told
