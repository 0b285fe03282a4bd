"""The checker on the corpus: what is proved is checked, and what is wrong is not, whatever the certificate says."""

from __future__ import annotations

from pathlib import Path

import pytest
from certificates import as_if_proved, is_checked

from fuzz.cases.store import case_names, read_case
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator import Proved, validate
from validator.check.checker import Checked, Unsettled, check

CORPUS = Path(__file__).parents[3] / "corpus"
CASES = {name: read_case(CORPUS, name) for name in case_names(CORPUS)}
PROVED = [name for name, case in CASES.items() if case.expect == "proved" and case.after is not None]
OTHERS = [name for name, case in CASES.items() if case.expect != "proved" and case.after is not None]
NOT_CHECKED = {"division-by-itself": "end: argument 0", "constant-by-another-name-concatenated": "end: argument 0"}
"""What a solver does not settle over words of 64 bits, and a function on strings that gives a constant."""


def pair_of(name: str) -> tuple[Trace, Trace]:
    case = CASES[name]
    before = parse(case.before, file="before")
    return before, parse(case.after, file="after", word=before.word)


@pytest.mark.parametrize("name", PROVED)
def test_what_is_proved_is_checked(name: str) -> None:
    before, after = pair_of(name)
    effort = 1_000_000 if name in NOT_CHECKED else 10_000_000
    verdict = validate(before, after, replace(CASES[name].options, audit=True, effort=effort))
    assert isinstance(verdict, Proved)
    assert verdict.evidence.audit is not None
    assert verdict.evidence.audit.unsettled == ((NOT_CHECKED[name],) if name in NOT_CHECKED else ())


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_wrong_is_never_checked(name: str) -> None:
    assert not is_checked(*pair_of(name), CASES[name].options, most=150)


def test_a_corrupted_certificate_fails_or_is_right() -> None:
    """Of a pair that is right every certificate may be accepted; what it says may be useless, and does no harm."""
    before, after = pair_of("boxed-integers-in-a-loop")
    whole = as_if_proved(before, after)
    assert isinstance(check(before, after, whole), Checked)
    for wrong in (replace(whole, origins=(0, 0, 7)), replace(whole, origins=whole.origins[:-1])):
        assert isinstance(check(before, after, wrong), Unsettled)
    one, other = sorted({theirs for _, theirs in whole.partners})
    exchanged = tuple((mine, one if theirs == other else other) for mine, theirs in whole.partners)
    assert isinstance(check(before, after, replace(whole, partners=exchanged)), Unsettled)
    assert isinstance(check(before, after, replace(whole, partners=())), Unsettled)
    lies = tuple((trace, var, 17) for trace, var, _ in whole.equal)
    assert isinstance(check(before, after, replace(whole, equal=lies)), Checked)


def test_all_that_is_not_settled_is_told() -> None:
    before, after = parse("[i0, i1]\nfinish(i0, 7, i1)"), parse("[i0, i1]\nfinish(i1, 7, i0)")
    found = check(before, after, as_if_proved(before, after))
    assert isinstance(found, Unsettled)
    assert (found.obligation, found.others) == ("end: argument 0", ("end: argument 2",))
