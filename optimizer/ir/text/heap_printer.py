"""Heaps written as canonical text: what is printed is read back as the same heap, and printed the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from optimizer.ir.rows.domain import wrap
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NO_INDEX, RAW_REF, Datum, Object
from optimizer.ir.text.heap_syntax import UNWRITTEN
from optimizer.ir.text.lexer import NAME
from optimizer.ir.text.string_text import HIGHEST, constant_name, write_text
from optimizer.ir.types.layout import Array, Field, Layout, Struct
from optimizer.ir.types.memory_types import BYTES, RAW

_WORD = re.compile(rf"{NAME}\Z")
_PARTS = re.compile("([0-9]+)")
_LONGEST_TEXT = 256


def format_heap(heap: Heap) -> str:
    """The text of a heap, a line for each object and each further name; empty for an empty heap."""
    objects = {ref: described for ref, described in heap.objects.items() if ref != RAW_REF}
    lines = {ref.name: f"{ref} = {format_object(described, heap.layout)}" for ref, described in objects.items()}
    lines |= {name: f"{name} = {ref}" for name, ref in heap.names.items()}
    told = [lines[name] for name in sorted(lines, key=natural_order)]
    if RAW_REF in heap.objects and heap.objects[RAW_REF].cells:
        told.append(_format_raw(heap.objects[RAW_REF], heap.layout.word))
    return "".join(f"{line}\n" for line in told)


def natural_order(name: str) -> list[str | tuple[int, str]]:
    """A key to sort the names of objects by: p2 stands in front of p10, and constants behind the rest."""
    parts: list[str | tuple[int, str]] = [*_PARTS.split(name)]
    parts[1::2] = [(len(str(part)), str(part)) for part in parts[1::2]]
    return ["" if constant_name(name) is None else "~", (0, ""), *parts]


def _format_raw(raw: Object, word: int) -> str:
    held = {(key, wrap(address, word)): value for (key, address), value in raw.cells.items()}
    fields = [f"{_raw_name(key)}[{address}]={held[key, address]}" for key, address in sorted(held) if key != BYTES.key]
    behind = f"({', '.join(fields)})" if fields else ""
    numbers = {address: value for (key, address), value in held.items() if key == BYTES.key}
    placed = [(address, f"{numbers[address]}") for address in sorted(numbers)]
    told = [text if address - 1 in numbers else f"{address}: {text}" for address, text in placed]
    return f"{RAW}[{', '.join(told)}]{behind}"


def _raw_name(key: str) -> str:
    return _quoted(key.removeprefix(f"{BYTES.key}."))


@dataclass(frozen=True, slots=True)
class _Written:
    """The cells of an object by where they are written."""

    own: list[str]  # fields
    items: dict[int, list[tuple[Field, Datum | str]]]
    others: list[str]  # of undeclared descrs


def format_object(described: Object, layout: Layout) -> str:
    """The description of an object, as it stands behind the `=`."""
    written = _sort(described, layout)
    blank = [] if described.cleared else ["..."]
    name = _quoted(described.type.name)
    if isinstance(described.type, Struct):
        return f"{name}({', '.join([*written.own, *written.others, *blank])})"
    behind = f"({', '.join(written.others)})" if written.others else ""
    text = _text(described)
    items = ", ".join([*_items(described, written), *blank]) if text is None else text
    return f"{name}[{items}]{behind}"


def _text(described: Object) -> str | None:
    """The items of a string as text, None of other objects, of long strings, and where one is not told."""
    kind, length = described.type.name, described.length or 0
    if kind not in HIGHEST or not 0 < length <= _LONGEST_TEXT:
        return None
    items = [described.cells.get((f"{kind}[]", index)) for index in range(length)]
    numbers = [item for item in items if isinstance(item, int)]
    return write_text(kind, numbers) if len(numbers) == length else None


def _items(described: Object, written: _Written) -> Iterator[str]:
    expected = 0
    for index, held in sorted(written.items.items()):
        text = str(held[0][1]) if not held[0][0].name else f"({', '.join(f'{f.name}={v}' for f, v in held)})"
        yield text if index == expected else f"{index}: {text}"
        expected = index + 1
    if described.length != expected:
        yield f"length={described.length}"


def _sort(described: Object, layout: Layout) -> _Written:
    type_ = described.type
    slots = {slot.key: slot for slot in type_.slots}
    order = {key: number for number, key in enumerate(slots)}
    written = _Written([], {}, [])
    for (key, index), value in sorted(described.cells.items(), key=lambda c: (order.get(c[0][0], len(order)), c[0])):
        slot = slots.get(key)
        if slot is None:
            written.others.append(f"{_other_name(key, index, type_, layout)}={value}")
        elif index == NO_INDEX:
            written.own.append(f"{slot.name}={value}")
        else:
            written.items.setdefault(index, []).append((slot, value))
    for key, index in described.unwritten:
        written.items.setdefault(index, []).append((slots[key], UNWRITTEN))
    return written


def _other_name(key: str, index: int, type_: Struct | Array, layout: Layout) -> str:
    """The object's name for memory that is not its class's, so that reading finds it again."""
    if index != NO_INDEX:
        return f"{_quoted(key.removesuffix('[]'))}[{index}]"
    uses = layout.uses
    short = key.removeprefix(f"{type_.name}.")
    names = {field.name for field in type_.fields}
    if short != key and key in uses and short not in names and _WORD.match(short):
        return short
    is_taken = key in names or f"{type_.name}.{key}" in uses
    return key if _WORD.match(key) and not is_taken and (key in uses or not type_.declared) else f'"{key}"'


def _quoted(name: str) -> str:
    return name if _WORD.match(name) else f'"{name}"'
