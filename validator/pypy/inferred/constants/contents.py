"""The characters that constant strings are, which PyPy's optimizer looks up and no log prints.

Where a recorded trace asks whether a string equals a constant, and the constant is one character, the optimizer always
asks for that character instead (`opt_call_stroruni_STR_EQUAL` in vstring.py), or compares that of a string that has
one. So it is assumed of the constant at one place of the program that it is this character, if two pairs say so, and
none says another one or a longer string of that place: the place is a bytecode, with the number of constants that it
has compared with in front. What a constant object holds, in a field that never changes, is a constant as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

from optimizer.ir.text.string_text import write_text
from validator.pypy.inferred.constants.folded import loads_from_constants, with_named
from validator.pypy.inferred.fields import Fields, is_pure
from validator.pypy.inferred.sameness import Node, Sameness
from validator.pypy.inferred.strings import asked
from validator.pypy.inferred.witnesses import Witness, told
from validator.pypy.printed.calls.compared import COMPARES, EQUAL, FOR_CHARACTERS
from validator.pypy.printed.lines import Line, is_named, is_one_place, is_pointer
from validator.pypy.printed.rows import Rows
from validator.pypy.printed.straight import BEFORE, Sides

_ITEM, _EQUAL_ITEM = "strgetitem", "int_eq"
"""The operations that load a character, and compare it."""


@dataclass(frozen=True, slots=True)
class Content:
    """The constant that a string is compared with at a place of the program is this character."""

    place: str
    character: int

    def __str__(self) -> str:
        return f"the constant that a string is compared with at {self.place} is {self.text}"

    @property
    def text(self) -> str:
        return write_text("str", [self.character])


@dataclass(slots=True)
class Contents:
    """Statements of pairs on constants, each with the pairs that say so, and the places with other constants."""

    said: dict[Content, set[Witness]] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)

    def add(self, pair: Witness, sides: Sides, sameness: Sameness) -> None:
        """Takes in a pair, of which this is the last row. Where the optimized trace compares strings less often at any
        bytecode, be it with constants or not, nothing tells which comparisons are left, as where the recorded one asks
        for characters itself."""
        left: dict[str, list[Line]] = {}
        for line in _left(sides):
            left.setdefault(line.point, []).append(line)
        compared: dict[str, list[str]] = {}
        for line, place, _ in comparisons(sides.before.lines, _held(sides, sameness)):
            compared.setdefault(line.point, []).append(place)
        is_whole = {point: len(found) for point, found in left.items()} == {
            point: len(places) for point, places in compared.items()
        }
        asks = any(line.oopspec in FOR_CHARACTERS for line in sides.before.lines)
        for point, places in compared.items():
            if len(places) == len(left.get(point, ())):
                for place, character in zip(places, map(_character, left[point]), strict=True):
                    if character is None:
                        self.denied.add(place)
                    elif place and is_whole and not asks:
                        self.said.setdefault(Content(place, character), set()).add(pair)

    def assumed(self, log: int) -> frozenset[Content]:
        """The constants that are taken to be known in the log of that number."""
        characters: dict[str, set[int]] = {}
        for content in self.said:
            characters.setdefault(content.place, set()).add(content.character)
        plain = {place for place, found in characters.items() if len(found) == 1} - self.denied
        enough = told(self.said, log, lambda content: is_named(content.place))
        return frozenset(content for content in enough if content.place in plain)


def _left(sides: Sides) -> Iterator[Line]:
    """The comparisons of strings in the optimized trace, and of characters with numbers, if the recorded one does not
    look at any."""
    items = {line.result for line in sides.after.lines if line.name == _ITEM}
    if any(line.name == _ITEM for line in sides.before.lines):
        items = set()
    for line in sides.after.lines:
        is_of_item = line.name == _EQUAL_ITEM and line.args[0] in items
        if is_of_item or line.oopspec in COMPARES:
            yield line


def _character(compared: Line) -> int | None:
    """The character with which a string is compared; None where it is none that is known."""
    number = compared.args[-1]
    return int(number) if number.isdecimal() and int(number) < 256 else None


def known_constants(rows: Rows, sameness: Sameness, contents: frozenset[Content]) -> dict[Node, Content]:
    """The constants of recorded traces that are known, but for those that two places tell apart, and those of which a
    trace asks which objects they are."""
    if not contents:
        return {}
    at = {content.place: content for content in contents}
    found: dict[Node, set[Content]] = {}
    for sides in rows.pairs:
        for _, place, constant in comparisons(sides.before.lines, _held(sides, sameness)):
            if place in at:
                found.setdefault(sameness.of(BEFORE, constant), set()).add(at[place])
    which = {node for sides in rows.pairs for node in asked(sides.before.lines, sameness)}
    return {
        node: min(known, key=str)
        for node, known in found.items()
        if len({one.character for one in known}) == 1 and node not in which
    }


def with_held(sides: Sides, sameness: Sameness, known: Mapping[Node, Content], fields: Fields) -> Sides:
    """The pair whose recorded trace says that what it loads from constants, of fields that never change, are constants,
    where these are known."""
    loads = loads_from_constants(sides.before.lines, sameness) if known else ()
    held = (line for line in loads if sameness.of(BEFORE, line.result or "") in known)
    return with_named(sides, {line for line in held if fields.never_changes(line.descr)})


def characters(rows: Rows, sameness: Sameness, known: Mapping[Node, Content]) -> dict[str, int]:
    """The characters that known constants are, by the texts with which recorded traces compare."""
    lines = ((sides.before.lines, _held(sides, sameness)) for sides in rows.pairs if known)
    texts = {constant for each, held in lines for _, _, constant in comparisons(each, held) if constant}
    nodes = ((text, sameness.of(BEFORE, text)) for text in texts)
    return {text: known[node].character for text, node in nodes if node in known}


def _held(sides: Sides, sameness: Sameness) -> frozenset[str]:
    """The results of loads from constants in the recorded trace, of fields that are printed as immutable."""
    loads = loads_from_constants(sides.before.lines, sameness)
    return frozenset(line.result or "" for line in loads if is_pure(line.descr))


def comparisons(lines: tuple[Line, ...], held: Set[str] = frozenset()) -> Iterator[tuple[Line, str, str]]:
    """The comparisons of strings at bytecodes, each with its place and the constant; "" where it is with none. What is
    `held` by constants is constant as well."""
    point, number = "", 0
    for line in lines:
        if line.point not in (point, ""):  # a line that was added has none
            point, number = line.point, 0
        if line.oopspec == EQUAL and is_one_place(point):
            constants = [arg for arg in line.args if is_pointer(arg) or arg in held]
            number += len(constants) == 1
            place = point.rstrip("'") + (f" ({number})" if number > 1 else "")
            yield (line, place, constants[0]) if len(constants) == 1 else (line, "", "")
