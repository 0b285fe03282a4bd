"""What memory is made of: fields, structs, arrays, and what is known of opaque constants."""

from __future__ import annotations

from functools import cache

from optimizer.ir.floats import Float
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.row import INT, Type
from optimizer.ir.text.string_text import HIGHEST


@immutable
class Field:
    """A field of a struct, the items of an array, or one field of all structs in an array.

    `key` is the canonical name of its memory: two accesses with different keys never meet. `name` is the field's own,
    empty for items. `owner` is the declared struct or array that an access demands of its object, None where it says
    nothing; of an inherited field it is the struct that the descr names, while the key has the one that declares it.
    `low` and `high` bound the values of a narrow field, and are None for the others.
    """

    key: str
    name: str
    type: Type
    owner: str | None = None
    low: int | None = None
    high: int | None = None
    immutable: bool = False
    quasi_immutable: bool = False
    declared: bool = False

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def is_steady(self) -> bool:
        """Is it changed by no event that does not name it? The items of strings and what is immutable are not."""
        return self.immutable or self.owner in HIGHEST


@immutable
class Struct:
    """A class of objects, with all its fields, the inherited ones first."""

    name: str
    vtable: str
    parent: str | None = None
    cleared: bool = True
    fields: tuple[Field, ...] = ()
    declared: bool = False


@immutable
class Array:
    """A class of arrays: of `item`, or, where that is None, of structs with `fields`."""

    name: str
    item: Field | None
    fields: tuple[Field, ...] = ()
    immutable: bool = False
    declared: bool = False


@immutable
class Known:
    """What is declared of opaque constants that are one object; `names` are theirs.

    A field's value is a machine int, a float, or the name of a constant. `items` are those of a string.
    """

    names: tuple[str, ...]
    struct: Struct | None = None
    array: Array | None = None
    length: int | None = None
    fields: tuple[tuple[Field, int | Float | str], ...] = ()
    items: tuple[int, ...] | None = None


@cache
def string_type(name: str, word: int) -> Array:
    """The built-in type of strings of that name, whose items fit where a word has room for them."""
    high = HIGHEST[name] if HIGHEST[name] < 1 << (word - 1) else None
    item = Field(f"{name}[]", "", INT, name, None if high is None else 0, high, declared=True)
    return Array(name, item, declared=True)


@immutable
class RawItem:
    """So many bytes of raw memory or of an object, taken as a number with a sign or without."""

    size: int
    signed: bool
    type: Type
    of_object: bool = False


Resolved = Field | Array | Struct | RawItem

SUBCLASS = "+"
"""`Node+` is the name of a subclass of `Node` that is not declared."""


def is_of_object(descr: Resolved | None) -> bool:
    """Are these bytes of an object?"""
    return isinstance(descr, RawItem) and descr.of_object
