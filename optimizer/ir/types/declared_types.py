"""The structs and arrays of declarations, with all that they inherit, and constants, for words of one width."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.types.declaration_rules import lineage
from optimizer.ir.types.declared import Declarations, KnownObject
from optimizer.ir.types.memory_types import SUBCLASS, Array, Field, Known, Struct, string_type


class DeclaredTypes:
    """Structs and arrays by name, those that are built in included; `by_vtable` are the structs by another name.

    `lone` are the fields of no struct in particular, `constants` what is declared of opaque constants, `calls` the
    declarations of calls; `aliases` say for which names others stand. Nobody changes them: all layouts of these
    declarations share them.
    """

    def __init__(self, declarations: Declarations, word: int) -> None:
        self._word = word
        self._declared = {struct.name: struct for struct in declarations.structs}
        self.structs = {name: self._struct(struct) for name, struct in self._declared.items()}
        self.arrays = {name: string_type(name, word) for name in HIGHEST}
        self.arrays |= {array.name: self._array(array) for array in declarations.arrays}
        self.by_vtable = {struct.vtable: struct for struct in self.structs.values()}
        self._fields: dict[str, Field] = {}
        self.lone = {field.name: self._fitting(field) for field in declarations.fields}
        self.calls = {call.name: call for call in declarations.calls}
        self.aliases = {descr.name: descr.target for descr in declarations.descrs}
        self.constants = {name: known for known in self._merged(declarations.consts) for name in known.names}

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

    def is_subclass(self, name: str, other: str) -> bool:
        """Is every object of the struct `name` one of the struct `other`? False where it is not known to be."""
        here: str | None = name
        while here is not None and here != other:
            here = self.structs[here].parent if here in self.structs else _above(here)
        return here is not None

    def _struct(self, struct: Struct) -> Struct:
        fields = [self._fitting(field) for owner in lineage(struct, self._declared) for field in owner.fields]
        return replace(struct, fields=tuple(fields), declared=True)

    def _array(self, array: Array) -> Array:
        item = None if array.item is None else self._fitting(array.item, array.immutable)
        fields = tuple(self._fitting(field, array.immutable) for field in array.fields)
        return replace(array, item=item, fields=fields, declared=True)

    def _fitting(self, field: Field, immutable: bool = False) -> Field:
        """The field for words of that width: what is as wide as a word, or wider, is not narrow."""
        low, high = field.low, field.high
        if low is not None and high is not None and self._word >= 16 and high - low >= (1 << self._word) - 1:
            low = high = None
        return replace(field, low=low, high=high, immutable=immutable or field.immutable)

    def _merged(self, consts: tuple[KnownObject, ...]) -> Iterable[Known]:
        groups: dict[str, list[str]] = {}
        for const in consts:
            joined = groups.get(const.name, [const.name])
            other = groups.get(const.same_as, [const.same_as]) if const.same_as is not None else joined
            if other is not joined:
                joined = joined + other
            for name in joined:
                groups[name] = joined
        merged = {tuple(names): None for names in groups.values()}
        entries = {const.name: const for const in consts}
        return [self._merge(names, [entries[name] for name in names if name in entries]) for names in merged]

    def _merge(self, names: tuple[str, ...], entries: list[KnownObject]) -> Known:
        struct: Struct | None = None
        for entry in entries:
            if entry.struct is not None and (struct is None or self.is_subclass(entry.struct, struct.name)):
                struct = self.structs[entry.struct]
        array = next((self.arrays[entry.array] for entry in entries if entry.array is not None), None)
        length = next((entry.length for entry in entries if entry.length is not None), None)
        fields: dict[str, tuple[Field, int | Float | str]] = {}
        for entry in entries:
            for name, scalar in entry.fields:
                field = self.field(f"{entry.struct}.{name}")
                assert field is not None
                fields[field.key] = field, scalar.value
        return Known(names, struct, array, length, tuple(fields.values()))


@lru_cache(maxsize=4)
def declared_types(declarations: Declarations, word: int) -> DeclaredTypes:
    """The declared types at that width of a word, in bits. A trace that is made, optimized and judged has the same
    declarations all the time."""
    return DeclaredTypes(declarations, word)


def _above(name: str) -> str | None:
    """The struct of which a class that is not declared is known to be a subclass."""
    return name.removesuffix(SUBCLASS) if name.endswith(SUBCLASS) else None
