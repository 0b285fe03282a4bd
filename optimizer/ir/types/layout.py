"""The meaning of a trace's descrs, classes and constants: its declarations, and for the rest what their uses say.

A descr that is not declared is a field or array of its own: mutable, word-sized, typed by its first use. It says
nothing about the object that it is used on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from optimizer.ir.faults import InputError, Sentences
from optimizer.ir.rows.ops import DescrKind, Memory, Op, Role, Type
from optimizer.ir.rows.row import ARRAY, CALL, FACT, FIELD, INT, INTERIOR, ITEM, RAW_FIELD, RAW_ITEM, RAW_SIZE, STRUCT
from optimizer.ir.text.string_text import HIGHEST, is_text
from optimizer.ir.trace import ConstRef, Operation, Trace, all_operations
from optimizer.ir.types.byte_access import RAW_KINDS, WrongDescr, check_bytes, raw_item
from optimizer.ir.types.declaration_rules import ITEMS
from optimizer.ir.types.declared import NO_DECLARATIONS, Declarations
from optimizer.ir.types.declared_types import DeclaredTypes, declared_types
from optimizer.ir.types.memory_types import BYTES, RAW, VIEWS, Array, Field, RawItem, Resolved, Struct, raw_field

__all__ = ("Array", "Field", "Layout", "RawItem", "Resolved", "Struct", "WrongDescr")


_WRONG = Sentences("optimizer.ir.types.descr_faults")


class Layout(DeclaredTypes):
    """The names of one set of declarations, for words of `word` bits, and what else the traces of a pair name.

    What an undeclared descr is used as must be learned before it is asked for; without a use it holds machine ints.
    """

    def __init__(self, declarations: Declarations = NO_DECLARATIONS, word: int = 64) -> None:
        vars(self).update(vars(declared_types(declarations, word)))
        self.texts: dict[str, None] = {}  # the constant strings of the traces
        self._resolved: dict[tuple[DescrKind, str], Resolved] = {}  # as far as the uses are known
        self._raw_fields: dict[str, str] = {}  # of the raw structs that are used: the keys of their memory
        self.uses: dict[str, tuple[DescrKind, Type | None]] = {  # of descrs that belong to no declared struct or array
            name: (FIELD, field.type) for name, field in self.lone.items()
        }
        self._learned: set[tuple[Op, str | None, Type | None]] = set()  # there is no more to learn from these
        self._roles: dict[str | None, Role] = {}
        self.known_calls: dict[int, tuple[Operation, Any]] = {}  # by identity: see `calls.call_of`

    def __getstate__(self) -> dict[str, object]:
        """All but what is known by identity: in another process that is another operation's."""
        return vars(self) | {"known_calls": {}}

    # Learning.

    def learn_roles(self, trace: Trace) -> None:
        """Learns the roles of calls with undeclared descrs: the one that all their uses in the recorded trace agree
        on."""
        for operation in [one for one in trace.ops if one.op.is_call]:
            memory = operation.op.memory
            assert memory is not None
            role = self._roles.setdefault(self.canonical(operation.descr), memory.role)
            if role is not memory.role:
                self._roles[self.canonical(operation.descr)] = Role.EVENT

    def learn(self, operation: Operation) -> None:
        """Checks the operation's descr, and learns from its use where it is not declared. Raises WrongDescr."""
        memory = operation.op.memory
        if memory is None or memory.descr is None or memory.on is not None:
            return
        type_ = _shown_type(operation, memory)
        use = operation.op, operation.descr, type_
        if use in self._learned:
            return
        if memory.descr is RAW_ITEM or memory.descr is RAW_SIZE:
            item = self._raw_item(operation)
            if item.of_object:
                self.learn_use(item.slot.key.removesuffix("[]"), ITEM, item.slot.type, operation.op.name)
            return
        if operation.descr is not None:
            self._learn_descr(operation, memory.descr, operation.descr, type_)
        elif memory.descr is not CALL:
            raise _WRONG.no_descr(operation.op.name, memory.descr)
        self._learned.add(use)

    def _learn_descr(self, operation: Operation, kind: DescrKind, text: str, type_: Type | None) -> None:
        target = self.aliases.get(text, text)
        found, user = self.declared_as(target), operation.op.name
        if kind is not CALL and _is_reserved(target, kind):
            raise _WRONG.reserved(target, kind, user)
        if kind is RAW_FIELD and found == (FIELD,):
            found = (kind,)
        if found is not None and kind not in found:
            raise _WRONG.declared_otherwise(text, found, kind, user)
        if kind is CALL:
            call = self.call(text)
            if call is not None and type_ is not None and call.result != type_.value:
                raise _WRONG.other_result(text, call.result, type_, user)
            return
        if found is None and kind is not STRUCT:
            self.learn_use(target, kind, type_, user)
        field = self.resolve(kind, text)
        if isinstance(field, Field) and type_ not in (None, field.type):
            raise _WRONG.other_type(text, field, type_, user)
        if isinstance(field, Field) and field.low is not None and self.word < 16:
            raise _WRONG.narrow(text, self.word)

    def learn_texts(self, operations: Iterable[Operation]) -> None:
        """Their constant strings are constants from now on."""
        used = [one.args if one.exit is None else (*one.args, *(one.exit.failargs or ())) for one in operations]
        texts = {value.text: None for values in used for value in values if isinstance(value, ConstRef)}
        self.texts.update(dict.fromkeys(filter(is_text, texts)))

    def learn_use(self, text: str, kind: DescrKind, type_: Type | None, name: str) -> None:
        used_as = ITEM if kind is ARRAY else kind
        known_as, known = self.uses.get(text, (used_as, None))
        if known_as is not used_as:
            raise _WRONG.used_otherwise(text, known_as, kind, name)
        if text not in self.uses:
            self.uses[text] = used_as, type_
        elif known is None and type_ is not None:
            self.uses[text] = used_as, type_
            self._resolved.clear()

    # Resolving.

    def descr_of(self, operation: Operation) -> Resolved | None:
        """The meaning of the operation's descr, as its row takes it; None where it takes none, or a call's."""
        memory = operation.op.memory
        if memory is None or memory.descr is None or memory.descr is CALL:
            return None
        if memory.descr is RAW_ITEM or memory.descr is RAW_SIZE:
            return self._raw_item(operation)
        name = operation.descr if memory.on is None else memory.on
        assert name is not None
        return self.resolve(memory.descr, name)

    def _raw_item(self, operation: Operation) -> RawItem:
        name = self.canonical(operation.descr) or ""
        declared = next((array.item for array in self.declarations.arrays if array.name == name), None)
        return raw_item(operation, name, declared, self.word)

    def resolve(self, kind: DescrKind, text: str) -> Resolved:
        """The struct, array or field (for items and fields of interiors too) of that name."""
        found = self._resolved.get((kind, text))
        if found is None:
            ways = {STRUCT: self.struct, ARRAY: self.array, ITEM: self._item, RAW_FIELD: self.raw_field}
            found = self._resolved[kind, text] = ways.get(kind, self.field)(text)
        return found

    def _item(self, text: str) -> Any:
        return self.array(text).item

    def array(self, text: str) -> Array:
        """The array of that name or alias, declared or not."""
        name = self.aliases.get(text, text)
        return self.arrays.get(name) or Array(name, self._undeclared(f"{name}[]", "", name))

    def field(self, text: str) -> Field:
        """The field of that name or alias, of a struct or of an array of structs, declared or not."""
        name = self.aliases.get(text, text)
        return self.fields.get(name) or self._undeclared(name, name, name)

    def raw_field(self, text: str) -> Field:
        """The same field as raw memory of its own."""
        field = self.field(text)
        self._raw_fields[field.key] = raw_field(field).key
        return raw_field(field)

    def role(self, text: str | None) -> Role:
        """The role of a call whose descr is not declared."""
        return self._roles.get(self.canonical(text), Role.EVENT)

    def memory_keys(self, names: Iterable[str]) -> frozenset[str] | None:
        """The keys of the memory that declarations name: fields, structs and arrays with all in them; None for "*"."""
        keys: set[str] = set()
        for name in (self.aliases.get(text, text) for text in names):
            if name == "*":
                return None
            if name == RAW:
                keys.update((BYTES.key, *self._raw_fields.values()))
            elif declared := self.arrays.get(name) or self.structs.get(name):
                keys.update(slot.key for slot in declared.slots)
            else:  # not declared: a field, or an array
                items = () if name in self.fields else self.array(name).slots
                keys.update(slot.key for slot in (self.field(name), *items))
        return frozenset(keys.union(self._raw_fields[key] for key in keys if key in self._raw_fields))

    def _undeclared(self, key: str, name: str, text: str) -> Field:
        known = VIEWS.get(key) or self.lone.get(text)
        return known or _undeclared_field(key, name, self.uses.get(text, (None, None))[1] or INT)


_undeclared_field = lru_cache(maxsize=256)(Field)
"""The layouts of all traces share these: traces name what they do not declare alike."""


def _is_reserved(name: str, kind: DescrKind) -> bool:
    """Is other memory called so, or would that name be told apart from none?"""
    is_raw = name.partition(".")[0] == RAW and kind in (ITEM, ARRAY, INTERIOR)
    return f"{name}[]" in VIEWS or name in HIGHEST or is_raw or (ITEMS in name and kind is not STRUCT)


def _shown_type(operation: Operation, memory: Memory) -> Type | None:
    """The type of its descr's memory, or of the call's result, as far as the operation shows it."""
    if memory.stores is not None:
        return operation.args[memory.stores].type
    if operation.op.is_call and operation.op.kind is FACT and operation.args:
        return operation.args[0].type
    return operation.op.result if memory.loads or operation.op.is_call else None


# Layouts of traces.


def learned_of(trace: Trace, declarations: Declarations | None = None) -> Layout:
    """The layout of the recorded trace alone, by its own declarations or by those."""
    layout = Layout(trace.declarations if declarations is None else declarations, trace.word)
    layout.learn_roles(trace)
    _learn_all(layout, all_operations(trace), "before")
    return layout


def pair_layout(*traces: Trace, of_first: Callable[[Trace], Layout] = learned_of) -> Layout:
    """The layout that the traces share, all their operations learned. They have the same width.

    Declarations of one hold for a trace that has none. The first one is told as `before`, others as `after`. Raises
    InputError where the traces have different ones, or use a descr in different ways.
    """
    declarations = NO_DECLARATIONS
    for trace in traces:
        if declarations == NO_DECLARATIONS:
            declarations = trace.declarations
        elif trace.declarations not in (declarations, NO_DECLARATIONS) and not _are_the_same(
            declarations, trace.declarations
        ):
            raise InputError("the traces have different declarations: they must have the same, or one of them none")
    first, *others = traces
    layout = of_first(first) if declarations is first.declarations else learned_of(first, declarations)
    known = set(map(id, all_operations(first))) if others else set()
    for trace in others:
        _learn_all(layout, [one for one in all_operations(trace) if id(one) not in known], "after")
    return layout


def uses_raw(trace: Trace, layout: Layout) -> bool:
    """Does it use raw memory? Raises Unsupported where it uses bytes, of objects too, in a way that is not modelled."""
    found = False
    for operation in all_operations(trace):
        if operation.op.memory is not None and operation.op.memory.descr in RAW_KINDS:
            descr = layout.descr_of(operation)
            if isinstance(descr, RawItem):
                check_bytes(operation, descr, layout.word)
            found |= not (isinstance(descr, RawItem) and descr.of_object)
    return found


def _learn_all(layout: Layout, operations: Sequence[Operation], which: str) -> None:
    layout.learn_texts(operations)
    for operation in [one for one in operations if one.op.memory is not None]:
        try:
            layout.learn(operation)
        except WrongDescr as problem:
            message = f"the traces do not agree: {problem}"
            raise InputError(message, file=which, line=operation.line) from None


def _are_the_same(one: Declarations, other: Declarations) -> bool:
    """Do they say the same, in whatever order?"""
    mine, others = one.sections, other.sections
    return one.flags == other.flags and all(set(mine[section]) == set(others[section]) for section in mine)
