"""Certificates for tests: what the prover says of a pair, whatever the verdict, and guesses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations_with_replacement, islice
from random import Random

from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.ops import Kind
from optimizer.ir.trace import Trace, all_operations
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.trace_layout import layout_of
from validator.check.certificate import AFTER, Certificate
from validator.check.checker import Checked, check
from validator.prove.align import given_origins
from validator.prove.certify import certify
from validator.prove.pairing import encode_pair
from validator.verdict import Options

_MOST_ORIGINS = 8
_EFFORT = 300_000
_TIMEOUT_S = 3.0


def as_if_proved(before: Trace, after: Trace, options: Options | None = None) -> Certificate:
    """What the prover would hand over if it had proved the pair, with the first origins that do not decrease."""
    pair = encode_pair(before, after, layout_of(before, after), options or Options())
    return certify(pair, first_origins(given_origins(before, after)))


def first_origins(given: Sequence[Sequence[int]]) -> list[int | None]:
    latest, origins = 0, []
    for choices in given:
        origins.append(next((one for one in choices if one >= latest), None))
        latest = origins[-1] or latest
    return origins


def guesses(before: Trace, after: Trace, seed: int = 0) -> Iterator[Certificate]:
    """Origins in all orders, partners in several, and equal variables of one name, or of any."""
    random, layout = Random(seed), layout_of(before, after)
    theirs, mine = (
        [number for number, one in enumerate(all_operations(trace)) if meant(one, layout).op.kind is Kind.NEW]
        for trace in (before, after)
    )
    known = [var.name for var in before.inputs] + [one.result.name for one in before.ops if one.result]
    results = [one.result.name for one in after.ops if one.result]
    named = tuple((AFTER, name, name) for name in results if name in known)
    mixed = tuple((AFTER, name, random.choice([*known, 0, 1])) for name in results)
    every = combinations_with_replacement(range(len(before.guards)), len(after.guards))
    for origins in islice(every, _MOST_ORIGINS) if before.guards else [(None,) * len(after.guards)]:
        for partners in (tuple(zip(mine, theirs, strict=False)), tuple(zip(mine, reversed(theirs), strict=False)), ()):
            for equal in (mixed, named):
                yield Certificate(origins, partners, equal)


def is_checked(before: Trace, after: Trace, options: Options | None = None, most: int = 0) -> bool:
    """Does the checker accept the pair, by what the prover would hand over or by one of so many guesses?"""
    options = options or Options()
    certificates = list(islice(guesses(before, after), most))
    with suppress(Unsupported):
        certificates.insert(0, as_if_proved(before, after, options))
    modes = options.guards, options.failargs, _EFFORT, _TIMEOUT_S
    return any(isinstance(check(before, after, one, *modes), Checked) for one in dict.fromkeys(certificates))
