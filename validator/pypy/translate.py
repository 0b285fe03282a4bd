"""A pair of a log in the trace language: two texts, declarations, and what is assumed beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from optimizer.ir.dialects.pypy_trace import declarations_of, declared_call
from optimizer.ir.immutable import replace
from optimizer.ir.text.declaration_writer import format_declarations
from optimizer.ir.types.declared import Call, Declarations
from optimizer.ir.types.memory_types import RAW
from validator.pypy.copies import Copies, copies_of
from validator.pypy.effects import CODE, Effect, leaves
from validator.pypy.fields import Fields
from validator.pypy.lines import NULL, Line, Printed, is_float, is_pointer
from validator.pypy.origins import origins_of
from validator.pypy.sameness import AFTER, BEFORE, Node, Sameness
from validator.pypy.straight import TOKEN, VIRTUAL_REF, Sides

ALLOCATIONS = ("new", "new_with_vtable")
_KINDS = {"<FieldS": "i", "<FieldU": "i", "<FieldP": "p", "<FieldF": "f"}
_CLASS_TESTS = ("guard_class", "guard_nonnull_class", "record_exact_class")


@dataclass(frozen=True, slots=True)
class Translated:
    """The texts of both traces, their declarations as TOML, and the assumptions, each by its name. `origins` are, of
    each guard, the number of the recorded one that it may come from, in several ways. It rests on the optimized traces
    of the pairs of these numbers being right."""

    before: str
    after: str
    types: str
    assumes: tuple[str, ...]
    origins: tuple[tuple[int | None, ...], ...]
    rests_on: tuple[int, ...] = ()


def translate(
    sides: Sides, sameness: Sameness, effects: frozenset[Effect], fields: Fields, *, generous: bool = False
) -> Translated:
    """The pair, where calls are taken not to have these effects, or, if that is to be `generous`, none at all."""
    copies = copies_of(sides)
    names = _Names(sides, sameness, copies)
    floats = sorted(
        {arg for side in (sides.before, sides.after) for line in side.lines for arg in line.args if is_float(arg)}
    )
    extra = (TOKEN, *map(_float_name, floats))
    before, after = (
        "\n".join(_text(trace, printed, extra, names, fields))
        for trace, printed in ((BEFORE, sides.before), (AFTER, sides.after))
    )
    lines = (*sides.before.lines, *sides.after.lines)
    possible = frozenset(_possible(lines, copies))
    used = possible if generous else possible & effects
    return Translated(
        f"{before}\n",
        f"{after}\n",
        format_declarations(_with_copies(_declarations(lines, used, fields), copies, lines)),
        tuple(_assumed(lines, used, fields)),
        origins_of(sides, sameness),
    )


SAME_CONSTANTS = "constant objects at corresponding places of both traces are the same"


def _assumed(lines: tuple[Line, ...], effects: frozenset[Effect], fields: Fields) -> Iterator[str]:
    yield from map(str, sorted(effects))
    memories = {found.memory for line in lines if (found := line.access)}
    yield from (f"{memory} never changes" for memory in sorted(memories) if fields.never_changes(memory))
    if any(is_pointer(arg) for line in lines for arg in line.args):
        yield SAME_CONSTANTS


def _text(trace: str, printed: Printed, extra: tuple[str, ...], names: _Names, fields: Fields) -> Iterator[str]:
    yield f"[{', '.join((*printed.inputs, *extra))}]"
    yield f"assert_not_none({TOKEN})"
    settled = {} if trace == AFTER else _settled(printed.lines, fields)
    for at, line in enumerate(printed.lines):
        args = tuple(names.argument(trace, line, place) for place in range(len(line.args)))
        yield str(Line(line.result, line.name, args, names.descr(trace, line)))
        if at in settled:
            yield str(settled[at])


def _settled(lines: tuple[Line, ...], fields: Fields) -> dict[int, Line]:
    """Loads behind the last stores to immutable fields of new objects, by the places of these: what has been read of an
    immutable field does not change, also where the object is given away."""
    fresh = {line.result for line in lines if line.name in ALLOCATIONS}
    last: dict[tuple[str, tuple[str, ...]], int] = {}
    for at, line in enumerate(lines):
        found = line.access
        if found and found.is_store and fields.never_changes(found.memory):
            if found.place[0] in fresh:
                last[found.memory, found.place] = at
            else:  # it may be one of them
                last = {key: place for key, place in last.items() if key[0] != found.memory}
    return {
        at: Line(f"{kind}_settled{at}", f"getfield_gc_{kind if kind != 'p' else 'r'}", place, memory)
        for (memory, place), at in last.items()
        if any(line.may_write for line in lines[at:])
        for kind in [_KINDS[memory.partition(" ")[0]]]
    }


@dataclass(slots=True)
class _Names:
    """Names of constants and classes: alike where they are the same."""

    sides: Sides
    sameness: Sameness
    copies: Copies
    objects: dict[Node, str] = field(default_factory=dict)
    classes: dict[Node, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for line in self.sides.before.lines:
            if line.name == "guard_class":
                self.classes.setdefault(self.sameness.of(BEFORE, line.args[0]), _class_name(line.args[1]))

    def argument(self, trace: str, line: Line, place: int) -> str:
        text = line.args[place]
        if text == NULL:
            return "NULL"
        if is_pointer(text):
            node = self.sameness.of(trace, text)
            return f"ConstPtr({self.objects.setdefault(node, f'k{len(self.objects)}')})"
        if is_float(text):
            return _float_name(text)
        if line.name in _CLASS_TESTS and place == 1:
            return f"ConstClass({_class_name(text)})"
        return text

    def descr(self, trace: str, line: Line) -> str:
        if line.is_call:
            return self.copies.function(line)
        if line.is_guard or line.name in ("jump", "finish"):
            return ""
        if line.name in ALLOCATIONS and line.result and line.descr != VIRTUAL_REF:
            node = self.sameness.of(trace, line.result)
            return self.classes.setdefault(node, f"{line.descr.rstrip('>')} ${len(self.classes)}>")
        return line.descr


def _class_name(text: str) -> str:
    return text.removeprefix("ConstClass(").removesuffix(")")


def _float_name(text: str) -> str:
    return "f_" + "".join({"-": "m", "+": "p", ".": "d"}.get(char, char) for char in text)


def _possible(lines: tuple[Line, ...], copies: Copies) -> Iterator[Effect]:
    memories = {found.memory for line in lines if (found := line.access)}
    for function in {line.function for line in lines if line.may_write and line.args not in copies.arrays}:
        yield Effect(function, "invalidates", CODE)
        for memory in memories:
            yield Effect(function, "reads", memory)
            yield Effect(function, "writes", memory)


def _declarations(lines: tuple[Line, ...], effects: frozenset[Effect], fields: Fields) -> Declarations:
    named = sorted({found.memory for line in lines if (found := line.access)})
    memories = [memory for memory in named if not fields.never_changes(memory)]
    has_bytes = any(line.name.startswith(("gc_load", "gc_store")) for line in lines)
    calls: dict[str, Call] = {}
    for line in lines:
        function = line.function if line.is_call else ""
        call = declared_call(line.descr, function) if function and function not in calls else None
        if call is None:
            continue
        if call.loop_invariant:  # in a straight line it is a function, and does nothing
            call = replace(call, loop_invariant=False, elidable=True, oopspec=None, can_invalidate=False)
        written = tuple(memory for memory in memories if not leaves(function, memory, effects, fields))
        read = tuple(memory for memory in named if Effect(function, "reads", memory) not in effects)
        if len(written) < len(memories) and not has_bytes:
            call = replace(call, writes=(*written, RAW))
        if len(read) < len(named) and not has_bytes:
            call = replace(call, reads=(*read, RAW))
        if Effect(function, "invalidates", CODE) in effects:
            call = replace(call, can_invalidate=False)
        calls[function] = call
    return replace(declarations_of(named), fields=fields.declared(named), calls=tuple(calls.values()))


def _with_copies(certain: Declarations, copies: Copies, lines: tuple[Line, ...]) -> Declarations:
    arrays, calls = copies.declared(lines)
    return replace(certain, arrays=(*certain.arrays, *arrays), calls=(*certain.calls, *calls))
