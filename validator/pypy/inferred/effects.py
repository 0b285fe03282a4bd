"""Effects that functions do not have, and which memory one leaves as it is by them."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from validator.pypy.inferred.fields import Fields, is_pure
from validator.pypy.inferred.sameness import Preserved
from validator.pypy.printed.calls.copies import copies_items
from validator.pypy.printed.calls.functions import does_to_own, keeps_off, touches_no_object
from validator.pypy.printed.kinds.tables import type_of
from validator.pypy.printed.lines import is_named

CODE = "code"
"""The memory of machine code, which a call may invalidate."""

_VERBS = {"reads": "read", "writes": "write", "invalidates": "invalidate"}
SHARED = re.compile(r"<Array|<Interior|<Field. [a-z]\w*\.\w+ ")
"""Names of items, and of fields of RPython's own structs, which are not in a module."""

OF_GIVEN = " of what it is given"
"""The words behind the field of an object of which an effect is that is one of the arguments."""


@dataclass(frozen=True, slots=True, order=True)
class Effect:
    """The function (as `Line.function`) does not do this (`reads`, `writes`, `invalidates`) to this memory."""

    function: str
    verb: str
    memory: str

    def __str__(self) -> str:
        return f"call {self.function} does not {_VERBS[self.verb]} {self.memory}"

    @property
    def is_named(self) -> bool:
        """Does it mean the same in all processes?"""
        return is_named(self.function) and is_named(self.memory) and not type_of(self.memory)


def effect_of(*texts: str) -> Effect:
    function, verb, memory = texts
    if verb not in _VERBS:
        raise ValueError
    return Effect(function, verb, memory)


def leaves(function: str, memory: str, effects: frozenset[Effect], fields: Fields) -> bool:
    """Do these effects or fields say that the function leaves this memory as it is? One that writes a quasi-immutable
    field invalidates code, and one that copies items writes no field."""
    if fields.left(memory) or cannot_write(function, memory):
        return True
    if memory in fields.may_change and (keeps_off(function) or Effect(function, "invalidates", CODE) in effects):
        return True
    return Effect(function, "writes", memory) in effects


def as_pypy_sees_it(effects: Set[Effect]) -> Preserved:
    return lambda function, memory: (
        is_pure(memory) or cannot_write(function, memory) or Effect(function, "writes", memory) in effects
    )


def _only_reads(function: str, memory: str) -> bool:
    """Is it one of RPython's own functions, and the memory a field that it reads and does not write?"""
    return does_to_own(function, "reads", memory) and not does_to_own(function, "writes", memory)


def cannot_write(function: str, memory: str) -> bool:
    return (
        touches_no_object(function)
        or keeps_off(function, memory)
        or _only_reads(function, memory)
        or (copies_items(function) and memory.startswith("<Field"))
    )
