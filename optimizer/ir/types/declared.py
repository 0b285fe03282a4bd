"""All that a user declares of the types, calls and constants that a trace names, as a value.

`optimizer.ir.text.declarations` reads and writes declarations, and checks that the names exist by which they refer to
each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimizer.ir.immutable import immutable

if TYPE_CHECKING:
    from optimizer.ir.types.declaration_entries import Array, Call, Descr, KnownObject, Struct


@immutable
class Declarations:
    """All that is declared, in the order of the text. `cleared` speaks of the structs that are not declared: have new
    ones zeros in their int and float fields?"""

    structs: tuple[Struct, ...] = ()
    arrays: tuple[Array, ...] = ()
    calls: tuple[Call, ...] = ()
    descrs: tuple[Descr, ...] = ()
    consts: tuple[KnownObject, ...] = ()
    cleared: bool = True

    def __hash__(self) -> int:
        """By names alone: all that they say takes longer than what is looked up by them."""
        return hash((*[struct.name for struct in self.structs], *[array.name for array in self.arrays]))


NO_DECLARATIONS = Declarations()
