"""Attributes that are computed once."""

from __future__ import annotations

from validator.pypy.printed.once import once


def test_what_is_computed_once_is_kept_by_each_object() -> None:
    computed = []

    class Doubled:
        def __init__(self, number: int) -> None:
            self.number = number

        @once
        def value(self) -> int:
            computed.append(self.number)
            return 2 * self.number

    one, other = Doubled(1), Doubled(2)
    assert [one.value, other.value, one.value, other.value] == [2, 4, 2, 4]
    assert computed == [1, 2]
