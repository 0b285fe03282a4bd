"""The structs and arrays of declarations, with all that they inherit, for words of one width."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from optimizer.ir.declaration_rules import NARROW, inherited_fields
from optimizer.ir.declared import Declarations
from optimizer.ir.memory_types import Array, Field, Struct, string_type
from optimizer.ir.row import Type
from optimizer.ir.string_text import HIGHEST

if TYPE_CHECKING:
    from optimizer.ir import declaration_entries

_TYPES = {"ref": Type.REF, "float": Type.FLOAT}


class DeclaredTypes:
    """Structs and arrays by name, those that are built in included; `by_vtable` are the structs by another name."""

    def __init__(self, declarations: Declarations, word: int) -> None:
        self._word = word
        self._declared = {struct.name: struct for struct in declarations.structs}
        self.structs = {name: self._struct(struct) for name, struct in self._declared.items()}
        self.arrays = {name: string_type(name, word) for name in HIGHEST}
        self.arrays |= {array.name: self._array(array) for array in declarations.arrays}
        self.by_vtable = {struct.vtable: struct for struct in self.structs.values()}
        self._fields: dict[str, Field] = {}

    def field(self, name: str) -> Field | None:
        """The field of that name, of a struct or of an array of structs."""
        if name not in self._fields:
            owner, _, own = name.rpartition(".")
            whole = self.arrays.get(owner) or self.structs.get(owner)
            field = next((field for field in whole.fields if field.name == own), None) if whole else None
            if field is None:
                return None
            self._fields[name] = field if field.owner == owner else replace(field, owner=owner)
        return self._fields[name]

    def _struct(self, struct: declaration_entries.Struct) -> Struct:
        fields = []
        for name, field in inherited_fields(struct, self._declared).items():
            owner = struct
            while field not in owner.fields:
                assert owner.parent is not None
                owner = self._declared[owner.parent]
            key = f"{owner.name}.{name}"
            fields.append(self._field(key, name, field.type, owner.name, field.immutable, field.quasi_immutable))
        return Struct(struct.name, struct.vtable, struct.parent, struct.cleared, tuple(fields), True)

    def _array(self, array: declaration_entries.Array) -> Array:
        items, immutable, item = f"{array.name}[]", array.immutable, None
        if array.item is not None:
            item = self._field(items, "", array.item, array.name, immutable)
        fields = [
            self._field(
                f"{items}.{field.name}",
                field.name,
                field.type,
                array.name,
                immutable or field.immutable,
                field.quasi_immutable,
            )
            for field in array.fields
        ]
        return Array(array.name, item, tuple(fields), immutable, True)

    def _field(
        self, key: str, name: str, type_name: str, owner: str, immutable: bool, quasi_immutable: bool = False
    ) -> Field:
        low, high = NARROW.get(type_name, (None, None))
        if low is not None and high is not None and self._word >= 16 and high - low >= (1 << self._word) - 1:
            low = high = None  # as wide as a word, or wider
        return Field(
            key,
            name,
            _TYPES.get(type_name, Type.INT),
            owner,
            low,
            high,
            immutable,
            quasi_immutable,
            True,
        )


@lru_cache(maxsize=4)
def declared_types(declarations: Declarations, word: int) -> DeclaredTypes:
    """What is declared. A trace that is made, optimized and judged has the same declarations all the time."""
    return DeclaredTypes(declarations, word)
