"""Operations on bytes, of raw memory or of objects: which bytes they are about, and what is modelled of them."""

from __future__ import annotations

import re

from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.rows.row import FLOAT, INT, RAW_FIELD, RAW_ITEM, RAW_SIZE, REF
from optimizer.ir.trace import ConstInt, Operation
from optimizer.ir.types.memory_types import Field, RawItem, Resolved

RAW_KINDS = (RAW_ITEM, RAW_SIZE, RAW_FIELD)

_PRINTED = re.compile(r"<Array(?P<flag>[A-Z]) (?P<size>[0-9]+)>")


class WrongDescr(Exception):
    """A descr that is not what its operation takes, or bytes that it cannot have; the message says why."""


def raw_item(operation: Operation, name: str, declared: Field | None, word: int) -> RawItem:
    """The number that an operation on bytes reads or writes, by its descr's `name` or by its size. A descr is
    `declared` as an array of such items; else its name tells the size, as PyPy prints it, or it is a word. Raises
    WrongDescr."""
    memory = operation.op.memory
    assert memory is not None
    type_ = operation.op.result if memory.stores is None else operation.args[memory.stores].type
    item = RawItem(8 if type_ is FLOAT else word // 8, True, type_)
    printed = _PRINTED.fullmatch(name)
    if memory.descr is RAW_SIZE:
        last = operation.args[-1]
        size = last.value if isinstance(last, ConstInt) else 0
        item = RawItem(abs(size), size < 0, type_, operation.args[0].type is REF)
        if abs(size) not in (1, 2, 4, 8):
            raise WrongDescr(f"{operation.op.name} takes a size of 1, 2, 4 or 8 bytes (negative: signed), got {last}")
    elif declared is not None:
        low, high = declared.low, declared.high
        if low is not None and high is not None:
            item = replace(item, size=((high - low).bit_length() + 7) // 8, signed=low < 0)
        elif declared.type is FLOAT:
            item = replace(item, size=8)
    elif printed is not None and int(printed["size"]) in (1, 2, 4, 8):
        item = replace(item, size=int(printed["size"]), signed=printed["flag"] == "S")
    if type_ is INT and 8 * item.size > word:
        raise WrongDescr(f"{operation.op.name} takes {item.size} bytes, and a word has {word} bits")
    return item


def slot_of(descr: Resolved | None) -> Field | None:
    """The memory that an operation with that descr names."""
    return descr.slot if isinstance(descr, RawItem) else descr if isinstance(descr, Field) else None


def check_bytes(operation: Operation, item: RawItem, word: int) -> None:
    """Raises Unsupported for bytes, of objects or of raw memory, that are not modelled."""
    name, line = operation.op.name, operation.line
    if item.type is REF and not item.of_object:
        raise Unsupported(f"{name} of a reference in raw memory", line)
    if item.type is REF and 8 * item.size != word:
        raise Unsupported(f"{name} of a reference in {item.size} bytes, with words of {word} bits", line)
    if item.type is FLOAT and (item.size != 8 or word != 64):
        raise Unsupported(f"{name} of a float in {item.size} bytes, with words of {word} bits", line)
