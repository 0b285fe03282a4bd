"""The parts of memory: kinds of memory, fields, structs, arrays, numbers as bytes, and known opaque constants.

*Memory of objects* is found by object, and by index in an array. *Raw memory* is one space of bytes beside the objects,
addressed by machine ints. A byte has an address, a word taken without a sign; addresses wrap around. A number of
several bytes stands in memory with its lowest byte first. A trace uses it as bytes, or by named fields of raw structs,
whose offsets nobody knows: each such field is memory of its own, found by the address of its struct. It may be among
the bytes: where both are used, nobody may rely on a field behind a store to bytes, or on bytes behind a store to a
field. To the rest of the project raw memory is the items of an array, `BYTES`, and of one more for each named field.

*Views* are objects by their bytes: what `gc_load_i(p0, 24, 4)` and its like read and write of an object. Which bytes of
an object its fields and items are nobody knows. So the bytes are memory of their own, found by object and offset, as if
they were items of one more array; and so are the references that stand at offsets. What is proved does not rely on
fields and items of an object behind a store to its bytes, nor on its bytes behind a store to its fields or items, but
for this: numbers and references do not overlap, and no store to bytes changes a class or a length. A run in which both
are used of one object has no meaning here.
"""

from __future__ import annotations

from enum import Enum
from functools import cache, lru_cache

from optimizer.ir.floats import Float
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.row import FLOAT, INT, REF, Type
from optimizer.ir.text.string_text import HIGHEST, read_text


class MemoryKind(Enum):
    """A kind of memory, with what texts call it."""

    OBJECTS = "objects"
    RAW = "raw memory"
    VIEW = "bytes of objects"


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
    def kind(self) -> MemoryKind:
        return kind_of(self.key)

    def has_room_for(self, number: int) -> bool:
        """Is the number in its range?"""
        return self.low is None or self.high is None or self.low <= number <= self.high

    @property
    def is_steady(self) -> bool:
        """Is it changed by no event that does not name it? The items of strings and what is immutable are not."""
        return self.immutable or self.owner in HIGHEST


NARROW = {
    "i8": (-(1 << 7), (1 << 7) - 1),
    "u8": (0, (1 << 8) - 1),
    "i16": (-(1 << 15), (1 << 15) - 1),
    "u16": (0, (1 << 16) - 1),
    "i32": (-(1 << 31), (1 << 31) - 1),
    "u32": (0, (1 << 32) - 1),
    "bool": (0, 1),
}
"""The ranges of narrow memory, by its types as they are declared."""

DECLARED_TYPES = ("int", "ref", "float", *NARROW)


def declared_field(owner: str, name: str, type_: str, *, items: bool = False, **flags: bool) -> Field:
    """The declared field of a struct, or what an array holds: its `items`, without a name, or a field of them."""
    key = f"{owner}{'[]' if items else ''}{'.' if name else ''}{name}"
    low, high = NARROW.get(type_, (None, None))
    return Field(key, name, {"ref": REF, "float": FLOAT}.get(type_, INT), owner, low, high, declared=True, **flags)


def lone_field(name: str, type_: str, **flags: bool) -> Field:
    """The declared field of no struct in particular: any object may have it."""
    return replace(declared_field(name, "", type_, **flags), name=name, owner=None)


def declared_type(field: Field) -> str:
    """The type of a declared field, as it is declared."""
    return next((name for name, limits in NARROW.items() if limits == (field.low, field.high)), field.type.value)


@immutable
class Struct:
    """A class of objects, with all its fields, the inherited ones first; as it is declared, with its own. `vtable` is
    what `ConstClass` names. Without `identity` nobody asks which one of its instances an object is."""

    name: str
    vtable: str
    parent: str | None = None
    cleared: bool = True
    fields: tuple[Field, ...] = ()
    declared: bool = False
    identity: bool = True

    @property
    def slots(self) -> tuple[Field, ...]:
        """The memory of each object."""
        return self.fields


@immutable
class Array:
    """A class of arrays: of `item`, or, where that is None, of structs with `fields`. What has the number `gc_type` for
    the collector is one of them."""

    name: str
    item: Field | None = None
    fields: tuple[Field, ...] = ()
    immutable: bool = False
    declared: bool = False
    gc_type: int | None = None

    @property
    def slots(self) -> tuple[Field, ...]:
        """The memory of each array, which stands at an index."""
        return self.fields if self.item is None else (self.item,)


def is_left_open(allocated: Struct | Array, key: str, *, is_item: bool, is_ref: bool) -> bool:
    """Is that memory of a new object not written, if it is not cleared: numbers of a struct, items of an array?"""
    own = () if isinstance(allocated, Struct) else (*VIEWS, *[slot.key for slot in allocated.slots])
    return is_item and key in own if own else not is_ref


Content = int | Float | str
"""A declared value: a machine int, a float, or the name of a constant."""


def type_of_content(value: Content) -> Type:
    return FLOAT if isinstance(value, Float) else INT if isinstance(value, int) else REF


@immutable
class Known:
    """The declaration of opaque constants that are one object; `names` are theirs, `items` those of a string."""

    names: tuple[str, ...]
    struct: Struct | None = None
    array: Array | None = None
    length: int | None = None
    fields: tuple[tuple[Field, Content], ...] = ()
    items: tuple[int, ...] | None = None


@cache
def string_type(name: str, word: int) -> Array:
    """The built-in type of strings of that name, whose items fit where a word has room for them."""
    high = HIGHEST[name] if HIGHEST[name] < 1 << (word - 1) else None
    item = Field(f"{name}[]", "", INT, name, None if high is None else 0, high, declared=True)
    return Array(name, item, declared=True)


@lru_cache(maxsize=1 << 10)
def text_object(text: str, word: int) -> Known:
    """The object of a constant such as "abc"."""
    kind, items = read_text(text)
    return Known((text,), None, string_type(kind, word), len(items), (), items)


SUBCLASS = "+"
"""`Node+` is the name of a subclass of `Node` that is not declared."""

RAW = "raw"
"""The name of all raw memory in declarations of calls, and in texts of heaps."""

BYTES = Field(f"{RAW}[]", "", INT, low=0, high=255, declared=True)
"""The bytes of raw memory; the index is the address."""

OBJECT_BYTES = Field("gc_bytes[]", "", INT, low=0, high=255)
"""The bytes of objects; the index is the offset."""

OBJECT_REFERENCES = Field("gc_references[]", "", REF)
"""The references that stand somewhere in objects; the index is the offset."""

VIEWS = {slot.key: slot for slot in (OBJECT_BYTES, OBJECT_REFERENCES)}
"""The memory that objects are by their bytes, by key."""


def kind_of(key: str) -> MemoryKind:
    """The kind of the memory with that key."""
    return MemoryKind.RAW if key.startswith(BYTES.key) else MemoryKind.VIEW if key in VIEWS else MemoryKind.OBJECTS


def raw_field(field: Field) -> Field:
    """The field of a raw struct, as memory of its own."""
    return replace(field, key=f"{BYTES.key}.{field.key}", owner=None, immutable=False, quasi_immutable=False)


@immutable
class RawItem:
    """A number of `size` bytes of raw memory or of an object, taken with a sign or without."""

    size: int
    signed: bool
    type: Type
    of_object: bool = False

    @property
    def slot(self) -> Field:
        """The memory in which these bytes are."""
        if not self.of_object:
            return BYTES
        return OBJECT_REFERENCES if self.type is REF else OBJECT_BYTES


Resolved = Field | Array | Struct | RawItem


def is_of_object(descr: Resolved | None) -> bool:
    """Are these bytes of an object?"""
    return isinstance(descr, RawItem) and descr.of_object
