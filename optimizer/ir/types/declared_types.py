"""The types, calls and constants that declarations name, with all that they inherit, for words of one width."""

from __future__ import annotations

from functools import lru_cache, reduce

from optimizer.ir.immutable import replace
from optimizer.ir.rows.row import ARRAY, CALL, FIELD, INTERIOR, ITEM, STRUCT, DescrKind
from optimizer.ir.text.string_text import HIGHEST, is_text
from optimizer.ir.types.declaration_rules import lineage
from optimizer.ir.types.declared import Call, Declarations, KnownObject
from optimizer.ir.types.memory_types import SUBCLASS, Array, Content, Field, Known, Struct, string_type, text_object


class DeclaredTypes:
    """Structs and arrays by name, those that are built in included; `by_vtable` are the structs by another name,
    `by_gc_type` the arrays by the numbers that only they have.

    `fields` are those of structs and of arrays of structs, `lone` those of no struct in particular, `constants` what is
    declared of opaque constants, `calls` the declarations of calls; `aliases` say for which names others stand. Nobody
    changes them: all layouts of these declarations share them.
    """

    def __init__(self, declarations: Declarations, word: int) -> None:
        self.declarations, self.word = declarations, word
        own = {struct.name: struct for struct in declarations.structs}
        self.structs = {name: self._struct(struct, own) for name, struct in own.items()}
        self.arrays = {name: string_type(name, word) for name in HIGHEST}
        self.arrays |= {array.name: self._array(array) for array in declarations.arrays}
        self.by_vtable = {struct.vtable: struct for struct in self.structs.values()}
        whole: dict[str, Struct | Array] = {**self.structs, **self.arrays}
        self.by_gc_type = {array.gc_type: array for array in self.arrays.values() if array.gc_type is not None}
        self.fields = {
            f"{name}.{field.name}": field if field.owner == name else replace(field, owner=name)
            for name, type_ in whole.items()
            for field in type_.fields
        }
        self.lone = {field.name: self._fitting(field) for field in declarations.fields}
        self.calls = {call.name: call for call in declarations.calls}
        self.aliases: dict[str | None, str] = {descr.name: descr.target for descr in declarations.descrs}
        self.constants = self._constants()

    def _struct(self, struct: Struct, own: dict[str, Struct]) -> Struct:
        fields = tuple(self._fitting(field) for owner in lineage(struct, own) for field in owner.fields)
        return replace(struct, fields=fields, declared=True)

    def _array(self, array: Array) -> Array:
        item = None if array.item is None else self._fitting(array.item, array.immutable)
        fields = tuple(self._fitting(field, array.immutable) for field in array.fields)
        return replace(array, item=item, fields=fields, declared=True)

    def _fitting(self, field: Field, immutable: bool = False) -> Field:
        """The field for words of that width: what is as wide as a word, or wider, is not narrow."""
        low, high = field.low, field.high
        if low is not None and high is not None and self.word >= 16 and high - low >= (1 << self.word) - 1:
            low = high = None
        return replace(field, low=low, high=high, immutable=immutable or field.immutable)

    def _constants(self) -> dict[str, Known]:
        """The declaration of each opaque constant, whatever it is called there."""
        groups: dict[str, tuple[str, ...]] = {}
        for const in self.declarations.consts:
            both = (groups.get(name, (name,)) for name in (const.name, const.same_as or const.name))
            joined = tuple({name: None for names in both for name in names})
            groups.update(dict.fromkeys(joined, joined))
        entries = {const.name: const for const in self.declarations.consts}
        known = {names: self._known(names, entries) for names in set(groups.values())}
        return {name: known[names] for name, names in groups.items()}

    def _known(self, names: tuple[str, ...], declared: dict[str, KnownObject]) -> Known:
        entries = [declared[name] for name in names if name in declared]
        structs = [self.structs[entry.struct] for entry in entries if entry.struct is not None]
        arrays = [self.arrays[entry.array] for entry in entries if entry.array is not None]
        length = next((entry.length for entry in entries if entry.length is not None), None)
        fields: dict[str, tuple[Field, Content]] = {}
        for entry in entries:
            for name, value in entry.fields:
                field = self.fields[f"{entry.struct}.{name}"]
                fields[field.key] = field, value
        struct = reduce(self._lower, structs) if structs else None
        return Known(names, struct, arrays[0] if arrays else None, length, tuple(fields.values()))

    def _lower(self, one: Struct, other: Struct) -> Struct:
        return other if self.is_subclass(other.name, one.name) else one

    # Names.

    def canonical(self, text: str | None) -> str | None:
        """The name for which the alias stands; any other text as it is."""
        return self.aliases.get(text, text)

    def declared_as(self, target: str) -> tuple[DescrKind, ...] | None:
        """The kinds of descr that the name can be, None for an undeclared name."""
        if target in self.structs:
            return (STRUCT,)
        if target in self.calls:
            return (CALL,)
        if target in self.arrays:
            return (ARRAY,) if self.arrays[target].item is None else (ITEM, ARRAY)
        if target not in self.fields:
            return None
        return (INTERIOR if self.fields[target].owner in self.arrays else FIELD,)

    def call(self, text: str) -> Call | None:
        """The declared call of that name or alias."""
        return self.calls.get(self.aliases.get(text, text))

    def struct(self, text: str) -> Struct:
        """The struct of that name or alias, declared or not."""
        name = self.aliases.get(text, text)
        if name.endswith(SUBCLASS) and name.removesuffix(SUBCLASS) in self.structs:
            return self.subclass_of(name.removesuffix(SUBCLASS))
        return self.structs.get(name) or Struct(name, name, cleared=self.declarations.cleared)

    def subclass_of(self, name: str) -> Struct:
        """A subclass of a declared struct that is not declared itself: there may always be one."""
        return replace(self.structs[name], name=name + SUBCLASS, vtable=name + SUBCLASS, parent=name)

    def struct_of_vtable(self, vtable: str) -> Struct:
        """The struct whose vtable has that name, declared or not."""
        return self.by_vtable.get(vtable) or Struct(vtable, vtable)

    # Classes and constants.

    def is_subclass(self, name: str, other: str) -> bool:
        """Is every object of the struct `name` one of the struct `other`? False where it is not known to be."""
        here: str | None = name
        while here is not None and here != other:
            above = here.removesuffix(SUBCLASS) if here.endswith(SUBCLASS) else None
            here = self.structs[here].parent if here in self.structs else above
        return here is not None

    def unrelated(self, name: str, other: str) -> bool:
        """Can no object be of both classes, structs or arrays? Only declared ones are known to be unrelated."""
        are_declared = all(one in self.structs or one in self.arrays for one in (name, other))
        return are_declared and not self.is_subclass(name, other) and not self.is_subclass(other, name)

    def constant(self, name: str) -> Known | None:
        """The declaration of the constant of that name; None where nothing is declared of it."""
        return self.constants.get(name) or (text_object(name, self.word) if is_text(name) else None)

    def different_constants(self, name: str, other: str) -> bool | None:
        """Are two opaque constants different objects? None where either is not declared."""
        if name == other:
            return False
        one, two = self.constant(name), self.constant(other)
        return None if one is None or two is None else one is not two


@lru_cache(maxsize=4)
def declared_types(declarations: Declarations, word: int) -> DeclaredTypes:
    """The declared types at that width of a word, in bits. A trace that is made, optimized and judged has the same
    declarations all the time."""
    return DeclaredTypes(declarations, word)
