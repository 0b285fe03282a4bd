"""Raw memory that a trace allocates: the calls with the oopspecs of `malloc` and `free` of bytes.

Nobody else knows such memory until the trace gives its address away. A buffer whose address never leaves the trace,
which accesses it at constant offsets inside it, and frees it, is nothing that anybody sees: what is loaded from it is
what was stored there, as far as the item holds it. Of any other one nobody sees when it was allocated, as long as
nothing is done with it. So it is allocated, and filled, where it is first needed, in both traces.

There is memory for what is allocated, here as elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from validator.pypy.printed.calls.functions import allocates_raw, frees_raw
from validator.pypy.printed.lines import Line

_ITEM = re.compile(r"<Array(?P<kind>[SUF]) (?P<size>[1248])>")
_INDEXED = ("getarrayitem_raw", "setarrayitem_raw")
_LOADS = ("getarrayitem_raw_i", "getarrayitem_raw_f", "raw_load_i", "raw_load_f")
_STORES = ("setarrayitem_raw", "raw_store")
_WORD = 8
_ZERO = "_ll_1_raw_malloc_varsize_zero_"
_ENDS = ("label", "jump", "finish")


@dataclass(frozen=True, slots=True)
class _Item:
    """An item in a buffer: its kind as printed, its offset, and its size in bytes."""

    kind: str
    offset: int
    size: int

    def meets(self, other: _Item) -> bool:
        return self.offset < other.offset + other.size and other.offset < self.offset + self.size

    def loaded(self, result: str | None, stored: str) -> Line:
        """The operation that gives what a load of the item does, behind a store."""
        if self.size == _WORD:
            return Line(result, "same_as_f" if self.kind == "F" else "same_as_i", (stored,))
        if self.kind == "S":
            return Line(result, "int_signext", (stored, str(self.size)))
        return Line(result, "int_and", (stored, str((1 << 8 * self.size) - 1)))


def with_buffers(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """The lines without the buffers that only they see, and with each other buffer allocated where it is needed."""
    for malloc in [line for line in lines if _is_allocation(line)]:
        own = _without(lines, malloc)
        lines = tuple(_put_off(lines, malloc)) if own is None else own
    return lines


def _is_allocation(line: Line) -> bool:
    """Does it allocate a constant number of bytes? PyPy's optimizer moves no other."""
    return line.result is not None and allocates_raw(line.function) and line.args[1].isdigit()


def _without(lines: tuple[Line, ...], malloc: Line) -> tuple[Line, ...] | None:
    """The lines without that buffer; None where others may see it, or what is in it is not known."""
    own = _Own(malloc)
    kept: list[Line] = []
    for line in lines:
        if line is malloc or not own.uses(line):
            kept += [line] if line is not malloc else []
        elif (instead := own.done(line)) is None:
            return None
        else:
            kept += instead
    return tuple(kept) if own.is_freed else None


@dataclass(slots=True)
class _Own:
    """A buffer that a trace keeps to itself: the offsets of the addresses in it, and what is stored there."""

    malloc: Line
    offsets: dict[str, int] = field(default_factory=dict)
    stored: dict[_Item, str] = field(default_factory=dict)
    is_freed: bool = False

    def __post_init__(self) -> None:
        assert self.malloc.result is not None
        self.offsets[self.malloc.result] = 0

    @property
    def is_zero(self) -> bool:
        """Is it filled with zeros?"""
        return _ZERO in self.malloc.function

    def uses(self, line: Line) -> bool:
        return any(text in self.offsets for text in (*line.args, *line.handed))

    def done(self, line: Line) -> list[Line] | None:
        """The lines that do the same without the buffer; None where there are none."""
        if not self.is_freed and frees_raw(line.function) and line.args[1] == self.malloc.result:
            self.is_freed = True
            return []
        if self.is_freed or any(text in self.offsets for text in line.args[1:]):
            return None
        offset = _constant(line.args[1]) if line.name == "int_add" else None
        if offset is not None and line.result is not None:
            self.offsets[line.result] = self.offsets[line.args[0]] + offset
            return []
        return self._accessed(line)

    def _accessed(self, line: Line) -> list[Line] | None:
        item = self._item(line)
        if item is None or any(item.meets(other) for other in self.stored if other != item):
            return None
        if line.name in _STORES:
            self.stored[item] = line.args[2]
            return []
        if self.is_zero and item.kind != "F":
            self.stored.setdefault(item, "0")
        stored = self.stored.get(item)
        return None if stored is None else [item.loaded(line.result, stored)]

    def _item(self, line: Line) -> _Item | None:
        """The item inside the buffer that the operation accesses."""
        printed = _ITEM.fullmatch(line.descr)
        index = _constant(line.args[1]) if line.name in (*_LOADS, *_STORES) else None
        if printed is None or index is None:
            return None
        size = int(printed["size"])
        offset = self.offsets[line.args[0]] + (index * size if line.name.startswith(_INDEXED) else index)
        is_inside = 0 <= offset <= int(self.malloc.args[1]) - size
        return _Item(printed["kind"], offset, size) if is_inside and (size == _WORD or printed["kind"] != "F") else None


def _put_off(lines: tuple[Line, ...], malloc: Line) -> Iterator[Line]:
    """The lines with the buffer allocated, and filled at constant offsets, in front of the first other use of it."""
    held: list[Line] = []
    addresses = {malloc.result}
    for line in lines:
        if line is malloc or (held and _fills(line, addresses)):
            held.append(line)
            addresses |= {line.result} - {None}
            continue
        if held and (line.name in _ENDS or not addresses.isdisjoint((*line.args, *line.handed))):
            yield from held
            held = []
        yield line
    yield from held


def _fills(line: Line, addresses: set[str | None]) -> bool:
    """Does it compute an address in the buffer, or store to one?"""
    if line.name != "int_add" and line.name not in _STORES:
        return False
    return line.args[0] in addresses and _constant(line.args[1]) is not None


def _constant(text: str) -> int | None:
    return int(text) if text.lstrip("-").isdigit() else None
