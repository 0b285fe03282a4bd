"""Arrays of frames: the variables and the stack of each.

Arrays of references are printed alike, whatever they belong to. That of a frame is made with it, and no list, tuple or
other object has it (`PyFrame.__init__` in pyframe.py, where it is never resized). So what is loaded from that field, or
stored there, is another array than all that come from elsewhere, and what is done to the items of the one kind nothing
that the others see: the items of frames are a memory of their own. They are, where each array that the recorded trace
accesses is known to be of one kind; the parent of a bridge tells of which its inputs are.

Arrays, lists and tables of dicts are told apart by the names that a trace has for them, and an optimized one may have
two names for one object. So the recorded trace says of which kind each is that it accesses, and the optimized one has
to prove it, but of tables and lists that it finds behind a test of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import count

from optimizer.ir.immutable import replace
from validator.pypy.printed.calls.copies import is_copy
from validator.pypy.printed.calls.functions import keeps_off
from validator.pypy.printed.kinds.lists import array_of, of_number, of_tested_strategies, of_type_numbers
from validator.pypy.printed.kinds.tables import tested
from validator.pypy.printed.lines import NULL, Line, Printed
from validator.pypy.printed.parents import Path
from validator.pypy.printed.straight import Sides

OF_NOBODY_ELSE = "the array of a frame's variables is that of no other object"

ITEMS, OF_FRAMES = "<ArrayP 8>", "<FrameP 8>"
"""Items of arrays as they are printed, and those of frames."""

_FIELD = re.compile(r"<FieldP pypy\.interpreter\.pyframe\.PyFrame\.inst_locals_cells_stack_w [0-9]+>")
_BYTES = ("gc_load", "gc_store")
_FORCES_NOTHING = re.compile(r"<Call.* EF=[25]\b.*")


def with_variables(sides: Sides, path: Path | None) -> tuple[Sides, tuple[str, ...]]:
    """The pair in which the items of frames are a memory of their own, and what is assumed for that. The way to a
    bridge tells of which kind its inputs are."""
    if any(line.name.startswith(_BYTES) for line in sides.lines):
        return sides, ()
    target = sides.target
    loop = target and replace(target, before=_told(target.before, None), after=_told(target.after, None))
    told = Sides(_told(sides.before, path), _told(sides.after, path), loop, sides.prologue)
    is_known = _is_known(sides.before, path) and (target is None or _is_known(target.before, None))
    is_known &= all(_gives_frames_their_own(one.after.lines) for one in (sides, target) if one is not None)
    return (told, (OF_NOBODY_ELSE,)) if is_known and told != sides else (sides, ())


def sharing(lines: tuple[Line, ...]) -> set[str]:
    """The memories in which the trace puts the array of a frame, too."""
    arrays = _arrays_of_frames(lines)
    stores = (found for line in lines if (found := line.access) and found.is_store)
    return {found.memory for found in stores if found.value in arrays and not _FIELD.fullmatch(found.memory)}


def is_of_frames(memory: str, lines: Iterable[Line]) -> bool:
    """Does that field hold arrays of frames, which the lines tell apart?"""
    return _FIELD.fullmatch(memory) is not None and any(line.descr == OF_FRAMES for line in lines)


def named(memories: frozenset[str] | None) -> frozenset[str] | None:
    """These memories, with the name of items of frames where they may be such."""
    return memories | {OF_FRAMES} if memories and ITEMS in memories else memories


def forces_no_frame(function: str) -> bool:
    """Does the class of its effects say that the function forces no frame, though it may change objects?"""
    return _FORCES_NOTHING.fullmatch(function) is not None


def _arrays_of_frames(lines: tuple[Line, ...]) -> Set[str]:
    """The arrays that are those of frames."""
    return {found.value for line in lines if (found := line.access) and _FIELD.fullmatch(found.memory)}


def _of_frames(printed: Printed, path: Path | None) -> Set[str]:
    """The same, where those that come from the way to a bridge are its inputs."""
    arrays = _arrays_of_frames(path.lines) if path else frozenset()
    handed = zip(printed.inputs, path.handed if path else (), strict=False)
    return _arrays_of_frames(printed.lines) | {value for value, text in handed if text in arrays}


def _is_known(recorded: Printed, path: Path | None) -> bool:
    """Is it known of each array that is accessed whether it is that of a frame? Nothing that copies items, or is taken
    to touch none of a frame, is given one."""
    of_frames = _of_frames(recorded, path)
    results = {line.result for line in path.lines if not _is_copied(line)} if path else set()
    handed = dict(zip(recorded.inputs, path.handed if path else (), strict=False))
    unknown = {value for value in recorded.inputs if handed.get(value) not in results}
    unknown = (unknown | {line.result or "" for line in recorded.lines if _is_copied(line)}) - of_frames
    return not any(
        _array(line) in unknown
        if line.descr == ITEMS
        else _leaves_frames(line) and not of_frames.isdisjoint(line.called_with)
        for line in recorded.lines
        if line.descr == ITEMS or line.is_call
    )


def _leaves_frames(line: Line) -> bool:
    """Is it a call that copies items, or is taken to touch none of a frame?"""
    return is_copy(line) or keeps_off(line.function) or forces_no_frame(line.function)


def _gives_frames_their_own(optimized: tuple[Line, ...]) -> bool:
    """Has each array that the trace stores to a frame the name by which it is new, or was loaded from one? By another
    name it would be that of something else."""
    own = {line.result for line in optimized if line.name.startswith("new_array")} | {NULL}
    accesses = [found for line in optimized if (found := line.access) and _FIELD.fullmatch(found.memory)]
    own |= {found.value for found in accesses if not found.is_store}
    return all(found.value in own for found in accesses)


def _is_copied(line: Line) -> bool:
    """Is its result another name of a value?"""
    return line.name.startswith("same_as")


def _array(line: Line) -> str | None:
    """The array of an operation on items."""
    return line.result if line.name.startswith("new_array") else line.args[0]


def _told(printed: Printed, path: Path | None) -> Printed:
    """The trace that says which items are those of frames."""
    of_frames = _of_frames(printed, path)
    told = (
        replace(line, descr=OF_FRAMES) if line.descr == ITEMS and _array(line) in of_frames else line
        for line in printed.lines
    )
    return printed.with_lines(tuple(told)) if of_frames else printed


KIND_OF = "kind_of_memory"
"""A function that gives the kind of an object, which is called in no log."""

_KIND_OF, _KIND = (f"ConstClass({KIND_OF})", "<Calli 8 r EF=0>"), "i_kind"
"""The function and its descr, as lines have them; the beginning of the names of what it gives."""

_KINDS = re.compile(r"<Field[SP] (list|dicttable)\.\w+ [0-9]+ of (.+)>")


def with_kinds(sides: Sides, lists: Mapping[str, str]) -> tuple[Sides, tuple[str, ...]]:
    """The pair, with the loop that it jumps to, which says of which kinds those are that a log prints alike; but not of
    lists of optimized traces that have found their numbers, as those of `lists` with such arrays, which is assumed."""
    kinds, numbers = _numbered({line.descr for line in sides.lines}), count()
    shown = [one.before.lines for one in (sides, sides.target) if one is not None]
    made = "new_" if len({kind for lines in shown for kind in _of_new_lists(lines)}) > 1 else "new"

    assumed: set[str] = set()

    def stated(sides: Sides) -> Sides:
        before = sides.before.with_lines(tuple(_stated(sides.before.lines, kinds, made, set(), numbers)))
        own: set[str | None] = {*tested(sides.after.lines), *of_tested_strategies(sides.after.lines, shown)}
        numbered = of_type_numbers(sides.after.lines, lists)
        assumed.update(of_number(number, lists[number]) for name, number in numbered.items() if name not in own)
        own |= numbered.keys()
        after = sides.after.with_lines(tuple(_stated(sides.after.lines, kinds, made, own, numbers)))
        return replace(sides, before=before, after=after, target=sides.target and stated(sides.target))

    return stated(sides) if kinds else sides, tuple(sorted(assumed))


def _of_new_lists(lines: tuple[Line, ...]) -> Iterator[str]:
    """The kinds of the lists that a trace makes."""
    made = {line.result for line in lines if line.name == "new"}
    return (array_of(line.descr) for line in lines if array_of(line.descr) and line.args[0] in made)


def without_kinds(sides: Sides) -> Sides:
    """The pair without what it says of kinds."""
    before, after = (
        one.with_lines(tuple(line for line in one.lines if not says_kind(line))) for one in (sides.before, sides.after)
    )
    return replace(sides, before=before, after=after, target=sides.target and without_kinds(sides.target))


def says_kind(line: Line) -> bool:
    """Is it an operation of such a statement, which stands in no log?"""
    return any(text is not None and text.startswith(_KIND) for text in (line.result, *line.args))


def _numbered(descrs: Set[str]) -> Mapping[str, int]:
    """The numbers of the kinds of objects that are told apart, by the descrs of their memory; none where all of a
    struct, or all arrays, are of one kind."""
    kinds = {descr: (found[1], found[2]) for descr in descrs if (found := _KINDS.fullmatch(descr))}
    kinds |= {descr: ("array", descr) for descr in descrs & {ITEMS, OF_FRAMES}}
    structs = Counter(struct for struct, _ in {*kinds.values()})
    numbers = {kind: number for number, kind in enumerate(sorted({*kinds.values()}))}
    return {descr: numbers[kind] for descr, kind in kinds.items() if structs[kind[0]] > 1}


def _stated(
    lines: tuple[Line, ...], kinds: Mapping[str, int], made: str, known: set[str | None], numbers: Iterator[int]
) -> Iterator[Line]:
    """The lines, with a statement on each object whose memory is told apart in front of its first access, if it is
    neither `known` nor made by an operation whose name begins so."""
    for line in lines:
        if line.name.startswith(made):
            known.add(line.result)
        elif line.descr in kinds and line.args[0] not in known:
            known.add(line.args[0])
            kind = f"{_KIND}{next(numbers)}"
            yield Line(kind, "call_i", (_KIND_OF[0], line.args[0]), _KIND_OF[1])
            yield Line(None, "record_exact_value_i", (kind, str(kinds[line.descr])))
        yield line
