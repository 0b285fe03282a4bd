"""Sentences about descrs that are not what their operations take. Loaded when one is not."""

from __future__ import annotations

from optimizer.ir.rows.row import (
    ARRAY,
    CALL,
    FIELD,
    FLOAT,
    INT,
    INTERIOR,
    ITEM,
    RAW_FIELD,
    REF,
    STRUCT,
    DescrKind,
    Type,
)
from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.types.declaration_rules import ITEMS
from optimizer.ir.types.layout import Field, WrongDescr
from optimizer.ir.types.memory_types import RAW, VIEWS

_KINDS = {
    FIELD: "a field",
    ITEM: "an array",
    ARRAY: "an array",
    INTERIOR: "a field of an array of structs",
    STRUCT: "a struct",
    CALL: "a call",
    RAW_FIELD: "a field of a raw struct",
}
_TYPES = {INT: "a machine int", REF: "a reference", FLOAT: "a float"}


def no_descr(user: str, kind: DescrKind) -> WrongDescr:
    return WrongDescr(f"{user} needs the descr of {_KINDS[kind]} behind its arguments")


def declared_otherwise(text: str, found: tuple[DescrKind, ...], kind: DescrKind, user: str) -> WrongDescr:
    is_declared = "an array of structs" if found == (ARRAY,) else _KINDS[found[0]]
    return WrongDescr(f"{text} is {is_declared}, and {user} takes {_KINDS[kind]}")


def used_otherwise(text: str, known_as: DescrKind, kind: DescrKind, user: str) -> WrongDescr:
    return WrongDescr(f"{text} is used as {_KINDS[known_as]} before, and {user} takes {_KINDS[kind]}")


def other_result(text: str, result: str, type_: Type, user: str) -> WrongDescr:
    return WrongDescr(f"{text} is a call that gives {result}, and {user} gives {type_.value}")


def other_type(text: str, field: Field, type_: Type, user: str) -> WrongDescr:
    how = "is declared to hold" if field.declared else "is used for"
    return WrongDescr(f"{text} {how} {_TYPES[field.type]}, and {user} uses it for {_TYPES[type_]}")


def narrow(text: str, word: int) -> WrongDescr:
    return WrongDescr(f"{text} is narrow, which needs words of 16 bits or more, not of {word}")


def reserved(name: str, kind: DescrKind, user: str) -> WrongDescr:
    """The fault of a name that other memory has."""
    if f"{name}[]" in VIEWS:
        return WrongDescr(f"{name} stands for the bytes of objects, and {user} takes {_KINDS[kind]}")
    if name in HIGHEST:
        return WrongDescr(f"{name} is the type of strings, which have operations of their own")
    if name.partition(".")[0] == RAW and kind in (ITEM, ARRAY, INTERIOR):
        return WrongDescr(f"{RAW} stands for raw memory, and {user} takes {_KINDS[kind]}")
    return WrongDescr(f"a name holds no {ITEMS}, got {name}")
