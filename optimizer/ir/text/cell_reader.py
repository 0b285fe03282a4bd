"""What texts of heaps put into cells: of the type of its memory, in its range, and once."""

from __future__ import annotations

from collections.abc import Callable

from optimizer.ir.faults import InputError
from optimizer.ir.rows.row import Type
from optimizer.ir.run.objects import Cell, Datum, type_of
from optimizer.ir.text.lexer import Token, describe
from optimizer.ir.types.layout import Field

_EXPECTED = {Type.REF: "a reference", Type.INT: "a machine int", Type.FLOAT: "a float"}


class CellReader:
    """The cells of one object. `value` reads what stands in a cell, `fault` makes an error of a message and where."""

    def __init__(self, value: Callable[[Token], Datum], fault: Callable[[str, Token], InputError]) -> None:
        self.cells: dict[Cell, Datum] = {}
        self._value = value
        self._fault = fault

    def read(self, slot: Field, cell: Cell, token: Token, name: str) -> None:
        """What the token says stands in that cell of the memory. Raises InputError, which calls it by the name."""
        value = self._value(token)
        if type_of(value) is not slot.type:
            raise self._fault(f"{name} is {_EXPECTED[slot.type]}, got {describe(token)}", token)
        low, high = slot.low, slot.high
        if isinstance(value, int) and low is not None and high is not None and not low <= value <= high:
            raise self._fault(f"{name} is from {low} to {high}, got {value}", token)
        self.put(cell, value, token, name)

    def put(self, cell: Cell, value: Datum, token: Token, name: str) -> None:
        """Raises InputError where something is there already."""
        if cell in self.cells:
            raise self._fault(f"{name} is given twice", token)
        self.cells[cell] = value
