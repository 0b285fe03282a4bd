"""Random conditions and claims: nothing is said of values that is not so."""

from __future__ import annotations

from random import Random

import pytest

from fuzz.selftest.random_claims import wrongly_claimed
from fuzz.selftest.random_terms import wrongly_written


@pytest.mark.parametrize("word", [4, 8, 64])
def test_whatever_is_claimed_is_so(word: int) -> None:
    assert wrongly_claimed(Random(1), word, 400) == ""


@pytest.mark.parametrize("word", [4, 8, 64])
def test_solvers_are_told_what_terms_mean(word: int) -> None:
    random = Random(1)
    for _ in range(10):
        assert wrongly_written(random, word) == ""
