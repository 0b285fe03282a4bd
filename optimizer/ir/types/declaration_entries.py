"""What a user declares of one type, call or constant that a trace names, as values.

They refer to each other by name.
"""

from __future__ import annotations

from optimizer.ir.floats import Float
from optimizer.ir.immutable import immutable


@immutable
class Scalar:
    """A constant in a declaration: an "int", a "float" or a "ref" (the name of a constant)."""

    type: str
    value: int | Float | str


@immutable
class Field:
    """A field of a struct. `type` is one of int ref float i8 u8 i16 u16 i32 u32 bool."""

    name: str
    type: str
    immutable: bool = False
    quasi_immutable: bool = False


@immutable
class Struct:
    """A class of objects; `fields` are its own, without its parent's. `vtable` is what `ConstClass` names."""

    name: str
    vtable: str
    parent: str | None = None
    cleared: bool = True
    fields: tuple[Field, ...] = ()


@immutable
class Array:
    """A class of arrays of `item`, or, where `item` is None, of structs with `fields`."""

    name: str
    item: str | None = None
    fields: tuple[Field, ...] = ()
    immutable: bool = False


@immutable
class KnownResult:
    """A call with these arguments, the function's address left out, gives this value."""

    args: tuple[Scalar, ...]
    value: Scalar


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
    """What is known of the opaque constant `ConstPtr(name)`. `fields` are pairs of a name and a value."""

    name: str
    struct: str | None = None
    array: str | None = None
    length: int | None = None
    fields: tuple[tuple[str, Scalar], ...] = ()
    same_as: str | None = None
