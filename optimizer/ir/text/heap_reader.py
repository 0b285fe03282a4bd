"""The meaning of a heap's text: from lines to objects."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer.ir.faults import InputError
from optimizer.ir.operands import constant_text
from optimizer.ir.rows.row import DescrKind, Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NO_INDEX, NULL, Cell, Datum, Object, Ref, type_of
from optimizer.ir.text.heap_syntax import UNWRITTEN, Entry, Line, read_line
from optimizer.ir.text.lexer import Source, Token
from optimizer.ir.text.parser import read_constant
from optimizer.ir.text.reading_faults import describe
from optimizer.ir.text.string_text import HIGHEST, BadConstant, constant_name, is_text, read_text
from optimizer.ir.trace import ConstFloat, ConstInt
from optimizer.ir.types.layout import Array, Field, Layout, Struct, WrongDescr
from optimizer.ir.types.memory_cells import RAW_ARRAY, cell_at
from optimizer.ir.types.memory_names import is_declared, kinds
from optimizer.ir.types.memory_types import BYTES

_EXPECTED = {Type.REF: "a reference", Type.INT: "a machine int", Type.FLOAT: "a float"}


def parse_heap(text: str, layout: Layout, *, file: str = "<heap>") -> Heap:
    """The heap that `text` describes, in the classes of `layout`. Raises InputError."""
    return read_heap([Source(file, text.split("\n"))], layout)


def read_heap(sources: Sequence[Source], layout: Layout) -> Heap:
    """The heap that several texts describe together. Raises InputError.

    The layout learns of undeclared fields and arrays that the traces do not use.
    """
    numbered = [(source, number) for source in sources for number in range(1, len(source.lines) + 1)]
    lines = [(source, line) for source, number in numbered for line in read_line(source, number)]
    return _Reader(layout, lines).heap()


class _Reader:
    def __init__(self, layout: Layout, lines: list[tuple[Source, Line]]) -> None:
        self._layout = layout
        self._lines = lines
        self._heap = Heap(layout)
        self._described: dict[str, Object] = {}

    def heap(self) -> Heap:
        defined: dict[str, Line] = {}
        for source, line in self._lines:
            before = defined.setdefault(line.name.text, line)
            if before is not line:
                raise source.fault(f"{line.name.text} is given twice", line.name.line, line.name.column)
        self._names = {name: self._target(name, defined) for name in defined}
        for text in (text for _, line in self._lines for text in line.texts()):
            if text not in self._names:
                self._names[text] = self._heap.constant(text)
        for source, line in self._lines:
            if line.other is None:
                self._heap.add(line.name.text, _ObjectReader(source, self._layout, self._names, line).described())
        self._heap.names = {
            line.name.text: self._names[line.name.text] for _, line in self._lines if line.other is not None
        }
        for source, line in self._lines:
            self._check_constant(source, line)
        return self._heap

    def _target(self, name: str, defined: dict[str, Line]) -> Ref:
        """The object that the name stands for, through aliases."""
        seen = [name]
        while (other := defined[seen[-1]].other) is not None and other.text != NULL.name:
            source, line = next(pair for pair in self._lines if pair[1].name.text == seen[-1])
            if is_text(other.text):
                return Ref(other.text)
            if other.text not in defined:
                raise source.fault(self._not_described(other.text), line.name.line, other.column)
            if other.text in seen:
                raise source.fault(f"{other.text} only stands for itself", line.name.line, other.column)
            seen.append(other.text)
        return NULL if other is not None else Ref(seen[-1])

    def _not_described(self, name: str) -> str:
        if self._layout.struct(name).declared:
            return f"{name} is a struct, not an object; {name}() is one whose fields are 0 or NULL"
        if self._layout.array(name).declared:
            return f"{name} is an array, not an object; {name}[] is one without items"
        return f"{name} is not described"

    def _check_constant(self, source: Source, line: Line) -> None:
        text = line.name.text
        name = constant_name(text)
        if name is None:
            return
        problem = self._problem(name, self._names[text])
        if problem is not None:
            raise source.fault(f"{text} {problem}", line.name.line, line.name.column)

    def _problem(self, name: str, ref: Ref) -> str | None:
        """The reason for which a constant cannot be that object, or None."""
        if ref == NULL:
            return "is an object, not NULL"
        others = {other: its for other in self._names if (its := constant_name(other)) is not None}
        for other, its in others.items():
            differ = self._layout.different_constants(name, its)
            if differ is not None and differ == (self._names[other] == ref):
                return f"and {other} are declared to be {'different objects' if differ else 'one object'}"
        if is_text(name) and ref.name != name:
            return "is an object of its own"
        known, found = self._layout.constant(name), self._heap.objects[ref]
        if known is None:
            return None
        type_ = known.struct or known.array
        if type_ is not None and not self._layout.is_subclass(found.type.name, type_.name):
            return f"is declared as {type_.name}, not as {found.type.name}"
        if known.length is not None and known.length != found.length:
            return f"is declared with the length {known.length}, not {found.length}"
        for index, item in enumerate(known.items or ()):
            assert known.array is not None
            if found.value((f"{known.array.name}[]", index), item) != item:
                return "is another string"
        for slot, value in known.fields:
            wanted = self._known_ref(value) if isinstance(value, str) else value
            if wanted is not None and found.value((slot.key, NO_INDEX), wanted) != wanted:
                return f"is declared with {slot.name} = {value}"
        return None

    def _known_ref(self, name: str) -> Ref | None:
        return NULL if name == NULL.name else self._heap.named(constant_text(name))


class _ObjectReader:
    """Reads the description of one object."""

    def __init__(self, source: Source, layout: Layout, names: dict[str, Ref], line: Line) -> None:
        self._source = source
        self._layout = layout
        self._names = names
        self._line = line
        self._number = line.name.line
        self._cells: dict[Cell, Datum] = {}
        self._unwritten: list[Cell] = []

    def described(self) -> Object:
        line = self._line
        assert line.type is not None
        if line.name.text == RAW_ARRAY.name:
            return Object(RAW_ARRAY, cells=self._raw_cells(line))
        if line.items is None:
            struct = self._layout.struct(line.type.text)
            if self._layout.array(line.type.text).declared:
                raise self._fault(f"{line.type.text} is an array: its items stand in brackets", line.type)
            for entry in line.entries:
                self._entry(entry, struct, struct.fields)
            return Object(struct, None, self._cells, not line.is_blank)
        array = self._layout.array(line.type.text)
        if self._layout.struct(line.type.text).declared:
            raise self._fault(f"{line.type.text} is a struct: its fields stand in parentheses", line.type)
        highest = self._items(array)
        length = highest + 1 if line.length is None else self._count(line.length, "a length")
        if length <= highest:
            raise self._fault(f"the length is {length}, but there is an item {highest}", line.length or line.type)
        for entry in line.entries:
            self._entry(entry, array, ())
        unwritten = frozenset() if line.is_blank else frozenset(self._unwritten)
        return Object(array, length, self._cells, not line.is_blank, unwritten=unwritten)

    def _items(self, array: Array) -> int:
        """Reads the items; gives the highest index."""
        highest = index = -1
        for item in self._line.items or ():
            index = index + 1 if item.index is None else self._count(item.index, "an index")
            if item.value is not None and item.value.kind == "string" and array.name in HIGHEST:
                index = highest = self._string(array, index, item.value)
                continue
            highest = max(highest, index)
            if item.value is not None:
                if array.item is None:
                    raise self._fault(f"the items of {array.name} are structs, such as (x=1)", item.value)
                if item.value.kind == UNWRITTEN:
                    self._unwritten.append((array.item.key, index))
                else:
                    self._put(array.item, index, item.value, f"item {index}")
                continue
            for entry in item.entries:
                slot = next((field for field in array.fields if field.name == entry.name.text), None)
                if slot is None or entry.index is not None:
                    raise self._unknown(entry.name, f"the structs of {array.name}; their", array.fields)
                self._put(slot, index, entry.value, slot.name)
        return highest

    def _string(self, array: Array, first: int, token: Token) -> int:
        """Reads the items that a text stands for, from `first` on; gives the highest index."""
        kind, items = read_text(token.text)
        if array.name != kind:
            raise self._fault(f"{token.text} stands for items of {kind}, not of {array.name}", token)
        for index, value in enumerate(items, start=first):
            self._keep((f"{kind}[]", index), value, token, f"item {index}")
        return first + len(items) - 1

    def _entry(self, entry: Entry, type_: Struct | Array, fields: tuple[Field, ...]) -> None:
        name = entry.name.text
        if entry.index is not None:
            index = self._count(entry.index, "an index")
            kind = DescrKind.INTERIOR if DescrKind.INTERIOR in kinds(self._layout, name) else DescrKind.ITEM
            self._put(self._undeclared(entry, kind), index, entry.value, name)
            return
        slot = None
        if entry.name.kind == "name":
            uses = self._layout.uses
            slot = next((field for field in fields if field.name == name), None)
            if slot is None and f"{type_.name}.{name}" in uses:
                slot = self._layout.field(f"{type_.name}.{name}")
            elif slot is None and type_.declared and name not in uses:
                raise self._unknown(entry.name, f"{type_.name}; its", fields)
        self._put(slot or self._undeclared(entry, DescrKind.FIELD), NO_INDEX, entry.value, name)

    def _raw_cells(self, line: Line) -> dict[Cell, Datum]:
        """The cells of raw memory on the line: bytes by their addresses, and fields of raw structs by the addresses of
        the structs."""
        address = -1
        for item in line.items or ():
            assert item.value is not None
            address = address + 1 if item.index is None else self._integer(item.index, "an address")
            self._put(BYTES, address, item.value, "a byte")
        for entry in line.entries:
            assert entry.index is not None
            name = entry.name.text
            if not is_declared(self._layout, name):
                self._learn_use(entry, DescrKind.RAW_FIELD)
            self._put(self._layout.raw_field(name), self._integer(entry.index, "an address"), entry.value, name)
        return self._cells

    def _learn_use(self, entry: Entry, kind: DescrKind) -> None:
        try:
            self._layout.learn_use(entry.name.text, kind, type_of(self._value(entry.value)), "the heap")
        except WrongDescr as problem:
            raise self._fault(str(problem), entry.name) from None

    def _undeclared(self, entry: Entry, kind: DescrKind) -> Field:
        text = entry.name.text
        if is_declared(self._layout, text):
            raise self._fault(f"{text} is not memory of this object", entry.name)
        self._learn_use(entry, kind)
        slot = self._layout.resolve(kind, text)
        assert isinstance(slot, Field)
        return slot

    def _unknown(self, name: Token, where: str, fields: tuple[Field, ...]) -> InputError:
        known = f"fields are {', '.join(field.name for field in fields)}" if fields else "class has none"
        return self._fault(f"there is no field {name.text} in {where} {known}", name)

    def _put(self, slot: Field, index: int, token: Token, name: str) -> None:
        """Puts the token's value there, if it is of the memory's type and in its range."""
        value = self._value(token)
        if type_of(value) is not slot.type:
            raise self._fault(f"{name} is {_EXPECTED[slot.type]}, got {describe(token)}", token)
        if isinstance(value, int) and not slot.has_room_for(value):
            raise self._fault(f"{name} is from {slot.low} to {slot.high}, got {value}", token)
        self._keep(cell_at(slot.kind, slot.key, index, self._layout.word), value, token, name)

    def _keep(self, cell: Cell, value: Datum, token: Token, name: str) -> None:
        if cell in self._cells:
            raise self._fault(f"{name} is given twice", token)
        self._cells[cell] = value

    def _value(self, token: Token) -> Datum:
        if token.text in self._names:
            return self._names[token.text]
        if token.text == NULL.name:
            return NULL
        try:
            constant = read_constant(token, self._layout.word)
        except BadConstant as problem:
            raise self._fault(str(problem), token) from None
        if isinstance(constant, ConstInt | ConstFloat):
            return constant.value
        if token.kind == "number":
            raise self._fault(f"expected a number, NULL or an object, got {describe(token)}", token)
        raise self._fault(f"{describe(token)} is not described", token)

    def _count(self, token: Token, what: str) -> int:
        return self._integer(token, f"{what}, 0 or more", least=0)

    def _integer(self, token: Token, what: str, least: int | None = None) -> int:
        value = self._value(token)
        if not isinstance(value, int) or (least is not None and value < least):
            raise self._fault(f"expected {what}, got {describe(token)}", token)
        return value

    def _fault(self, message: str, token: Token) -> InputError:
        return self._source.fault(message, self._number, token.column)
