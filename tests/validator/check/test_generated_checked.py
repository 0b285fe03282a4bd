"""The checker on generated pairs, right and wrong."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest
from certificates import as_if_proved
from faults.checking import pairs_of_faults

from fuzz.draw.generator import generate_for
from fuzz.draw.vocabulary import Vocabulary
from fuzz.selftest.comparison import make_pair
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.pipeline import optimize
from validator import Options, Refuted, validate
from validator.check.certificate import Certificate
from validator.check.checker import Checked, check
from validator.search.counterexample import State
from validator.verdict import Guards

SMALL = Vocabulary(word=8)
"""Words of which solvers settle all that is asked."""


def outcome(before: Trace, after: Trace, *examples: State, guards: Guards = Guards.EARLY) -> tuple[str, str]:
    """What the validator and the checker say; a refuted pair must not be checked."""
    verdict = validate(before, after, Options(guards, effort=1_000_000, timeout_s=10.0), examples=examples)
    try:
        certificate = as_if_proved(before, after)
    except (Unsupported, InputError):
        return type(verdict).__name__, "Unsupported"
    found = check(before, after, certificate, guards, effort=300_000)
    assert not (isinstance(verdict, Refuted) and isinstance(found, Checked))
    return type(verdict).__name__, type(found).__name__


@pytest.mark.parametrize("guards", Guards)
def test_edited_pairs(guards: Guards) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(6):
        pair = make_pair(seed, 8)
        counts[outcome(pair.before, pair.after, pair.generated.state, guards=guards)] += 1
    assert counts["Refuted", "Unsettled"] > 1
    assert counts["Proved", "Checked"] > 1
    assert counts["Proved", "Unsettled"] <= 1


def test_our_optimizer() -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(100, 115):
        generated = generate_for(seed, SMALL)
        counts[outcome(generated.trace, optimize(generated.trace), generated.state)] += 1
    assert counts["Proved", "Checked"] >= 14


def test_faulty_optimizers() -> None:
    pairs = list(islice(pairs_of_faults(), 0, None, 12))
    assert len(pairs) > 15
    assert not [pair for pair in pairs if outcome(pair.before, pair.after) != ("Refuted", "Unsettled")]


def test_a_function_gives_the_new_object_that_is_recorded_for_it() -> None:
    declared = '+++\n[struct.Node]\n[call.find]\nresult = "ref"\nelidable = true\n+++\n[i2]\n'
    recorded = "p5 = new(descr=Node)\nrecord_known_result(p5, 1, i2, descr=find)\np6 = call_r(1, i2, descr=find)\n"
    before = parse(f"{declared}{recorded}i7 = ptr_eq(p5, p6)\nfinish(i7)\n")
    for equal in ((), (("before", "i7", 0),), (("before", "p6", "p5"),)):
        wrong = check(before, parse(f"{declared}finish(0)\n"), Certificate(equal=equal))
        assert not isinstance(wrong, Checked), equal
    assert isinstance(check(before, parse(f"{declared}finish(1)\n"), Certificate()), Checked)
