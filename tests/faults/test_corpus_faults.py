"""Each planted fault of an optimizer of heaps shows on a case of the corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from heap_faults import FAULTS, PlantedFault

from fuzz.corpus_run import run_case
from fuzz.store import read_case
from optimizer.ir.trace import Trace
from optimizer.pipeline import optimize
from validator import Options, validate
from validator.verdict import State, Verdict

CORPUS = Path(__file__).parent.parent.parent / "corpus"
SHOWS_ON = {
    "store of the same field": "load-behind-a-store-through-an-alias",
    "event": "load-behind-an-event",
    "variable index": "item-at-a-variable-index",
    "named write": "immutable-field-that-a-call-names",
    "materialized twice": "materialized-twice",
    "materialized without fields": "materialized-without-fields",
    "nested virtual": "nested-virtual-not-materialized",
    "cycle": "virtual-cycle",
    "dead store across a guard": "dead-store-across-a-guard",
    "write-back": "store-of-what-was-there",
    "class of a merged guard": "merged-guard-with-another-class",
    "item and index": "item-is-not-its-index",
    "unset field": "unset-field-is-not-one",
    "stale exit block": "materialized-with-a-later-value",
    "alias of a subclass": "load-behind-a-store-through-a-subclass",
    "length of another array": "length-of-another-array",
}


def _judge(before: Trace, after: Trace, options: Options, states: tuple[State, ...]) -> Verdict:
    return validate(before, after, options, examples=states)


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_a_case_shows_the_fault(fault: PlantedFault, monkeypatch: pytest.MonkeyPatch) -> None:
    case = read_case(CORPUS, SHOWS_ON[fault.name])
    assert run_case(case, optimize, _judge).differences == ()
    fault.plant(monkeypatch)
    (told,) = run_case(case, optimize, _judge).differences
    assert told.startswith("the optimizer")
