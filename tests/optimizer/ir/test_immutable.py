"""Immutable values: told by their fields, and nothing else can be put on them."""

from __future__ import annotations

import pickle
from dataclasses import field

import pytest

from optimizer.ir.immutable import immutable, replace


@immutable
class Point:
    x: int
    y: int = 0
    line: int = field(default=0, compare=False)


@immutable
class Single:
    x: int


@immutable
class Named:
    name: str
    number: int = 0

    def __hash__(self) -> int:
        return 7


def test_values_are_told_by_their_fields() -> None:
    assert Point(1, 2, line=3) == Point(1, 2) != Point(2, 1)
    assert len({Point(1, 2, line=3), Point(1, 2), Point(2, 1)}) == 2
    assert replace(Point(1, 2), y=5) == Point(1, 5)
    assert replace(Point(1, 2, 3)).line == 3
    assert replace(Single(1), x=2) == Single(2)
    assert repr(Point(1)) == "Point(x=1, y=0, line=0)"
    assert pickle.loads(pickle.dumps(Point(1, 2, 3))).line == 3


def test_a_hash_of_its_own_stays() -> None:
    assert hash(Named("a", 1)) == 7
    assert Named("a", 1) != Named("a", 2)


def test_there_is_no_room_for_more() -> None:
    with pytest.raises(AttributeError):
        Point(1).z = 2  # type: ignore[attr-defined]


def test_nothing_is_replaced_that_is_not_there() -> None:
    with pytest.raises(TypeError):
        replace(Point(1), z=2)  # type: ignore[call-arg]
