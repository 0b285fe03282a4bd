"""Raw memory as a line of a heap's text, without a name in front: what it prints is read back as the same.

    raw[4096: 1, 2, 3, 8192: 255](Node.value[4096]=7)

Bytes by their addresses, which are told as machine ints are; those in a row need no addresses of their own. Behind them
are the fields of raw structs, by the addresses of these. What is not mentioned holds 0 or NULL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from optimizer.ir.faults import InputError
from optimizer.ir.rows.domain import wrap
from optimizer.ir.rows.row import DescrKind
from optimizer.ir.run.objects import Cell, Datum, type_of
from optimizer.ir.text.cell_reader import CellReader
from optimizer.ir.text.heap_syntax import Entry, Line
from optimizer.ir.text.lexer import NAME, Token, describe
from optimizer.ir.types.layout import Field, Layout, WrongDescr
from optimizer.ir.types.memory_types import BYTES, RAW

_WORD = re.compile(rf"{NAME}\Z")


def format_raw(cells: Mapping[Cell, Any], word: int) -> str:
    """The line."""
    held = {(key, wrap(address, word)): value for (key, address), value in cells.items()}
    fields = [f"{_name(key)}[{address}]={held[key, address]}" for key, address in sorted(held) if key != BYTES.key]
    behind = f"({', '.join(fields)})" if fields else ""
    numbers = {address: value for (key, address), value in held.items() if key == BYTES.key}
    return f"{RAW}[{', '.join(_bytes(numbers))}]{behind}"


def _bytes(held: dict[int, int]) -> Iterator[str]:
    for address in sorted(held):
        yield str(held[address]) if address - 1 in held else f"{address}: {held[address]}"


def _name(key: str) -> str:
    name = key.removeprefix(f"{BYTES.key}.")
    return name if _WORD.match(name) else f'"{name}"'


class RawReader:
    """Gives a line its meaning. `value` reads what stands in a cell, `fault` makes an error of a message and where."""

    def __init__(
        self, layout: Layout, value: Callable[[Token], Datum], fault: Callable[[str, Token], InputError]
    ) -> None:
        self._layout = layout
        self._value = value
        self._fault = fault
        self._cells = CellReader(value, fault)

    def cells(self, line: Line) -> dict[Cell, Datum]:
        """What the line says. Raises InputError."""
        address = -1
        for item in line.items or ():
            assert item.value is not None
            address = address + 1 if item.index is None else self._int(item.index, "an address")
            self._put(BYTES, address, item.value, "a byte")
        for entry in line.entries:
            self._field(entry)
        return self._cells.cells

    def _field(self, entry: Entry) -> None:
        assert entry.index is not None
        value = self._value(entry.value)
        layout, name = self._layout, entry.name.text
        try:
            if not layout.is_declared(name):
                layout.learn_use(name, DescrKind.RAW_FIELD, type_of(value), "the heap")
        except WrongDescr as problem:
            raise self._fault(str(problem), entry.name) from None
        self._put(layout.raw_field(name), self._int(entry.index, "an address"), entry.value, name)

    def _put(self, slot: Field, address: int, token: Token, name: str) -> None:
        self._cells.read(slot, slot.kind.cell(slot.key, address, self._layout.word), token, name)

    def _int(self, token: Token, what: str) -> int:
        value = self._value(token)
        if not isinstance(value, int):
            raise self._fault(f"expected {what}, got {describe(token)}", token)
        return value
