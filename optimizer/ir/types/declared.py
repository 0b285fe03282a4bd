"""Declarations of the types, calls and constants that a trace names, as values.

They refer to each other by name; `optimizer.ir.text.declarations` reads them, and checks that the names exist. Their
structs and arrays have their own fields only, in the range of their types, whatever the width of a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optimizer.ir.immutable import immutable
from optimizer.ir.types.memory_types import Array, Content, Field, Struct


@immutable
class KnownResult:
    """A call with these arguments, the function's address left out, gives this value."""

    args: tuple[Content, ...]
    value: Content


@immutable
class Call:
    """A call's descr. `reads` and `writes` are names of fields and arrays, or ("*",) for everything."""

    name: str
    result: str
    elidable: bool = False
    loop_invariant: bool = False
    can_raise: bool = False
    can_invalidate: bool = False
    oopspec: str | None = None
    reads: tuple[str, ...] = ("*",)
    writes: tuple[str, ...] = ("*",)
    results: tuple[KnownResult, ...] = ()


@immutable
class Descr:
    """Another name under which a trace refers to a declaration or to one of its fields."""

    name: str
    target: str


@immutable
class KnownObject:
    """The declaration of the opaque constant `ConstPtr(name)`. `fields` are pairs of a name and a value."""

    name: str
    struct: str | None = None
    array: str | None = None
    length: int | None = None
    fields: tuple[tuple[str, Content], ...] = ()
    same_as: str | None = None


SECTIONS = {
    "struct": "a struct",
    "array": "an array",
    "field": "a field",
    "call": "a call",
    "descr": "another name",
    "const": "a constant",
}
"""The sections of declarations, each with what its names stand for; those of constants are apart from the others."""

FLAGS = ("cleared", "string_identity", "hands_on_unwritten")
"""The keys above all sections, which are true where nobody says otherwise."""


@immutable
class Declarations:
    """All that is declared, in the order of the text. `fields` are those of no struct in particular. `cleared`: have
    new structs that are not declared zeros in their numbers? `string_identity`: may it matter which string it is?
    `hands_on_unwritten`: may a loop read what an earlier iteration has allocated and not written?"""

    structs: tuple[Struct, ...] = ()
    arrays: tuple[Array, ...] = ()
    calls: tuple[Call, ...] = ()
    descrs: tuple[Descr, ...] = ()
    consts: tuple[KnownObject, ...] = ()
    cleared: bool = True
    fields: tuple[Field, ...] = ()
    string_identity: bool = True
    hands_on_unwritten: bool = True

    @property
    def flags(self) -> dict[str, bool]:
        """The truth of the keys above all sections."""
        return {flag: getattr(self, flag) for flag in FLAGS}

    @property
    def sections(self) -> dict[str, tuple[Any, ...]]:
        """All that is declared, by section."""
        return {section: getattr(self, f"{section}s") for section in SECTIONS}

    def __hash__(self) -> int:
        """By names alone: all that they say takes longer than what is looked up by them."""
        return hash((*[struct.name for struct in self.structs], *[array.name for array in self.arrays]))


def declarations_of(sections: Mapping[str, Any], flags: Mapping[str, Any]) -> Declarations:
    """The declarations of these sections, of which some may be left out."""
    return Declarations(**{f"{section}s": items for section, items in sections.items()}, **flags)


NO_DECLARATIONS = Declarations()
