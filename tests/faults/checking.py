"""Wrong proofs of a validator with a planted fault, and what the checker says of their certificates."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pytest
from faults.catching import run_test
from faults.planting import FaultyOptimizer, ValidatorFault, planted
from faults.table import OPTIMIZER_FAULTS

from fuzz.campaign.examine import malformed
from fuzz.cases.store import case_names, read_case
from fuzz.selftest.comparison import make_pair
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator.check.certificate import Certificate
from validator.check.checker import Checked, Unsettled, check
from validator.command.check import read_certificate
from validator.prove.judge import validate
from validator.verdict import Failargs, Guards, Options, Proved, Refuted

_CORPUS = Path(__file__).parent.parent.parent / "corpus"
_OPTIONS = Options(effort=1_000_000, timeout_s=60.0)
"""The effort decides, and it is the same under any load."""
_EFFORT, _TIMEOUT_S = 1_000_000, 60.0
_SEEDS = range(200)


@dataclass(frozen=True, slots=True)
class Pair:
    before: Trace
    after: Trace
    options: Options


@dataclass(frozen=True, slots=True)
class WrongProof:
    """A proof by the validator with the fault, which refutes the pair without it; `obligation` is what the checker
    names, None where it accepts the certificate."""

    obligation: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class CheckedFault:
    """The wrong proofs that a fault makes, as many as were looked for."""

    proofs: tuple[WrongProof, ...]
    seconds: float

    @property
    def is_caught(self) -> bool:
        return bool(self.proofs) and all(proof.obligation is not None for proof in self.proofs)


def check_alone(fault: ValidatorFault, most: int = 5) -> CheckedFault:
    """The checker's word on so many wrong proofs at most: those of the tests that are to catch the fault, else of wrong
    pairs. It has the fault too, where that is in what it shares with the prover."""
    start = time.monotonic()
    recorded = _wrong(_recorded(fault), most)
    proofs = recorded or _wrong(_proved(fault), most)
    with planted(fault):
        said = tuple(_said(pair, certificate) for pair, certificate in proofs)
    return CheckedFault(said, time.monotonic() - start)


Proof = tuple[Pair, Certificate]


def _said(pair: Pair, certificate: Certificate) -> WrongProof:
    modes = pair.options.guards, pair.options.failargs, _EFFORT, _TIMEOUT_S
    found = check(pair.before, pair.after, certificate, *modes)
    match found:
        case Checked():
            return WrongProof(None, "")
        case Unsettled(obligation, reason):
            return WrongProof(obligation or "the pair", reason)


def _wrong(proofs: Iterator[Proof], most: int) -> list[Proof]:
    """Those of pairs that are refuted without the fault."""
    return list(islice((proof for proof in proofs if _is_refuted(proof[0])), most))


def _recorded(fault: ValidatorFault) -> Iterator[Proof]:
    """What is proved in the tests that are to catch the fault."""
    for test in fault.catches:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "proofs"
            with suppress(subprocess.TimeoutExpired):
                run_test(fault, test, "-p", "faults.recording", "--record", str(path))
            lines = path.read_text().splitlines() if path.exists() else []
        for line in reversed(dict.fromkeys(lines)):  # the test ends with the one that fails
            yield _read(json.loads(line))


def _read(data: dict[str, Any]) -> Proof:
    options = replace(_OPTIONS, guards=Guards(data["guards"]), failargs=Failargs(data["failargs"]))
    certificate = read_certificate(json.dumps(data["certificate"]))
    return Pair(parse(data["before"]), parse(data["after"]), options), certificate


def _proved(fault: ValidatorFault) -> Iterator[Proof]:
    """What is proved with the fault of pairs that are wrong; running cannot hide it."""
    for pair in wrong_pairs():
        with pytest.MonkeyPatch.context() as patch, planted(fault):
            patch.setattr("validator.search.running.sample_states", lambda *_: iter(()))
            try:
                verdict = validate(pair.before, pair.after, replace(pair.options, certify=True))
            except Exception:  # what the fault breaks down on
                continue
        if isinstance(verdict, Proved) and verdict.evidence.certificate is not None:
            yield pair, verdict.evidence.certificate


def wrong_pairs() -> Iterator[Pair]:
    """Pairs that are refuted: of the corpus, what planted faults make of the smallest traces, and random edits."""
    return filter(_is_refuted, chain(_of_corpus(), pairs_of_faults(), map(_of_seed, _SEEDS)))


@cache
def _is_refuted(pair: Pair) -> bool:
    return isinstance(validate(pair.before, pair.after, pair.options), Refuted)


def _of_corpus() -> Iterator[Pair]:
    for name in case_names(_CORPUS):
        case = read_case(_CORPUS, name)
        if case.expect == "refuted" and case.after is not None:
            before = parse(case.before)
            options = replace(_OPTIONS, guards=case.options.guards, failargs=case.options.failargs)
            yield Pair(before, parse(case.after, word=before.word), options)


def pairs_of_faults() -> Iterator[Pair]:
    """What planted faults make of the smallest traces that show them."""
    for fault in OPTIMIZER_FAULTS:
        if fault.smallest:
            before = parse(fault.smallest)
            try:
                after = FaultyOptimizer(fault)(before)
            except Exception:
                continue
            if malformed(before, after) is None:
                yield Pair(before, after, _OPTIONS)


@cache
def _of_seed(seed: int) -> Pair:
    pair = make_pair(seed, 16 if seed % 2 else 8)
    return Pair(pair.before, pair.after, _OPTIONS)
