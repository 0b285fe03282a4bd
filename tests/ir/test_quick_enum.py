"""Enumerations that are looked up fast are enumerations."""

from __future__ import annotations

import copy
import pickle
from enum import Enum

import pytest

from optimizer.ir.rows.ops import DescrKind, Kind, Role, Type


@pytest.mark.parametrize("cls", [Type, Kind, DescrKind, Role], ids=lambda cls: cls.__name__)
def test_they_do_what_all_do(cls: type[Enum]) -> None:
    members = list(cls)
    assert len(members) == len(cls) > 1
    assert [*reversed([*reversed(cls)])] == members
    for member in members:
        assert isinstance(member, cls)
        assert getattr(cls, member.name) is cls[member.name] is cls(member.value) is member
        assert member in cls
        assert copy.deepcopy(member) is pickle.loads(pickle.dumps(member)) is member
    assert dict(cls.__members__) == {member.name: member for member in members}
    with pytest.raises(AttributeError):
        cls.missing  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ValueError, match="is not a valid"):
        cls("missing")


def test_they_have_no_slow_look_up() -> None:
    assert not hasattr(type(Kind), "__getattr__")
