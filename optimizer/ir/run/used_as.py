"""The uses of objects in a run: one is used by its bytes, or otherwise, not both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optimizer.ir.faults import Unspecified
from optimizer.ir.rows.row import COPY, LOAD, RAW_SIZE, REF, SCAN, STORE, Op
from optimizer.ir.trace import Value

_USING = frozenset({LOAD, STORE, COPY, SCAN})


class UsedAs:
    """The uses of the objects of a run: by their bytes, or otherwise."""

    def __init__(self) -> None:
        self._by_bytes: dict[Any, bool] = {}

    def note(self, row: Op, operands: Sequence[Value], args: Sequence[Any], line: int = 0) -> None:
        """An operation is done, and its operands are these arguments. Raises Unspecified for an object that is used in
        both ways."""
        by_bytes = row.kind not in _USING
        if by_bytes and not (row.memory is not None and row.memory.descr is RAW_SIZE and operands[0].type is REF):
            return
        for arg in args[: 2 if row.kind is COPY else 1]:
            if self._by_bytes.setdefault(arg, by_bytes) is not by_bytes:
                raise Unspecified(f"{row.name} of an object that is used by its bytes and otherwise", line)

    def by_bytes(self, arg: Any) -> bool | None:
        """Is that object used by its bytes? None if it has not been used."""
        return self._by_bytes.get(arg)
