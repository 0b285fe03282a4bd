"""The classes of constant objects, which PyPy's optimizer looks up and no log prints.

The optimizer takes objects of two classes to be two objects (`_optimize_oois_ooisnot` in rewrite.py): where it knows
the class of a value that is compared with a constant of another class, the comparison is gone. So it is assumed of
a class that constants with which its objects are compared by identity are of other classes, if two pairs say so, and
nothing says that there is one of that class: no comparison that finds such an object to be the constant, and no other
that stays though the class is known. In the same way it is assumed of a bytecode, whatever the class, behind the same
other comparisons: it is the interpreter that compares there, with constants of its own. Where something contradicts
both, it is assumed of the comparisons at one place of the program, which have one constant there: at the same position,
behind the same other comparisons, of objects of one class or, where nothing contradicts that, of any. Where the object
has been compared before its class was known, a comparison may be gone since it is with the same constant, and has the
same answer. So that says something of such ones alone, of that class and at that place. With which constants a program
compares, other processes do not tell, so all this is said of one log, but for what bytecodes compare with: that
constants of the interpreter are, and is the same in all. What contradicts it holds for all, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, takewhile

from optimizer.ir.immutable import replace
from validator.pypy.inferred.executed import PASSES
from validator.pypy.inferred.numbering import IDENTITY
from validator.pypy.inferred.sameness import Node, Sameness, sameness_in, sameness_unless_found
from validator.pypy.inferred.witnesses import SEEN_ELSEWHERE, Row, Witness, from_kept, kept, told
from validator.pypy.inferred.written import ALLOCATIONS
from validator.pypy.printed.kinds.tables import CLASS_TESTS, class_name
from validator.pypy.printed.lines import Line, Printed, is_one_place, is_pointer, is_variable
from validator.pypy.printed.straight import AFTER, BEFORE, Sides

_OF_BYTECODE = re.compile(r"\w+'[ \w]*")
"""The subjects of statements that mean the same in all processes: bytecodes with answers."""

_NAMED = re.compile(rf"ConstClass\([A-Za-z_][\w.]*\)|{_OF_BYTECODE.pattern}")
"""The subjects of what contradicts statements in all processes: these, and classes."""

_BYTECODE = re.compile(r"~#[0-9]+ ((?!IS_OP|COMPARE_OP|CONTAINS_OP|JUMP_IF_NOT_EXC_MATCH|CALL_)(\w+)'.*)")
"""The bytecode at a place of the program, with the answers of comparisons there; but for `x is y` and what asks that on
its way (`x == y`, `x in y`, `except x`, `isinstance`), which compare with constants of the program."""


_BY_IDENTITY = ("instance_ptr_eq", "instance_ptr_ne")
"""The comparisons of instances."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """A comparison of a value with a constant, in the recorded trace: the place of the operation, that in the program
    ("": not known), which value it is, the class that it is known to be of there ("": none), whether it was found
    to be the constant, and whether the place is known and it has been compared before its class was."""

    at: int
    point: str
    value: str
    class_: str
    is_same: bool
    is_again: bool

    @property
    def names(self) -> dict[str, str]:
        """The subjects of statements on it, each with words for where that is: the class, the bytecode, this place of
        the program, and the class there."""
        names = {self.class_: ""}
        if found := _BYTECODE.search(self.point):
            names[found[1]] = f" in {found[2]}"
        if is_one_place(self.point):
            names |= dict.fromkeys((self.point, f"{self.class_} at {self.point}"), " at one place")
        return names

    @property
    def again(self) -> str:
        """The subject of statements on such comparisons where they come behind others of the same object."""
        return f"{self.class_} at {self.point} again"


@dataclass(slots=True)
class Apart:
    """Statements of pairs on constants with which objects are compared, by what they are about (`_Compared.names`): the
    pairs in which such a comparison is gone, and those of which there may be such a constant of the class of the
    object."""

    gone: dict[str, set[Witness]] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)

    def add(self, pair: Witness, sides: Sides, sameness: Sameness) -> None:
        """Takes in a pair; of a loop that was peeled, the preamble: what its body leaves out it may know from that.
        Where the optimized trace does not have the value, it may know the object; where it is compared in front of its
        class, the answer."""
        lines, of = sides.before.lines, partial(sameness.of, BEFORE)
        left = tuple(takewhile(lambda line: line.name != "label", sides.after.lines))
        classes = {of(line.args[0]): line.args[1] for line in lines if line.name in CLASS_TESTS}
        known = {
            of(line.result if line.name in ALLOCATIONS and line.result else line.args[0])
            for line in lines
            if line.name in (*ALLOCATIONS, "guard_value")
        }
        kept = Counter(sameness.of(AFTER, value) for _, value, _ in _comparisons(left))
        kept -= Counter(sameness.of(AFTER, one.value) for one in _compared(left) if one.is_same)
        compared = [(one, of(one.value)) for one in _compared(lines, of)]
        of_its_name = {one.at for one in _compared(lines) if one.class_}
        unknown = Counter(node for one, node in compared if not one.class_)
        here = _Values(sides.before.inputs, lines, sameness, BEFORE)
        there = _Values(sides.after.inputs, left, sameness, AFTER)
        lost, new = here.tested_beside(there), there.tested_beside(here)
        is_plain = kept.keys() <= {node for _, node in compared}
        self._deny(lines, sameness, kept)
        self.denied |= {class_ for _, _, class_ in _comparisons(left)}
        for one, node in compared:
            one = replace(one, class_=classes.get(node, "")) if one.is_same else one
            if one.is_same or kept[node] > unknown[node]:
                self.denied |= {*one.names, one.again}
                continue
            is_there = node in there.nodes or new[one.class_] >= lost[one.class_]
            if one.at in of_its_name and is_plain and is_there and node not in known:
                for name in one.names if not unknown[node] else (one.again,) * one.is_again:
                    self.gone.setdefault(name, set()).add(pair)

    def _deny(self, lines: tuple[Line, ...], sameness: Sameness, kept: Mapping[Node, int]) -> None:
        """Takes in that objects are constants of their classes, or are `kept` to be compared with such, by whatever
        names."""
        of = partial(sameness.of, BEFORE)
        classes = {of(line.args[0]): line.args[1] for line in lines if line.name in CLASS_TESTS}
        same = chain.from_iterable(_found_same(lines, sameness))
        asked = [one for one in _compared_with_constants(lines, sameness) if kept.get(of(one.value))]
        self.denied |= {classes[node] for node in same if node in classes} | {one.class_ for one in asked}

    def contradict(self, sides: Sides) -> None:
        """Takes in what each trace contradicts by itself: the recorded one, where it finds an object to be the
        constant, and the optimized one, where it compares one whose class it knows."""
        sameness = sameness_in(sides.before)
        self._deny(sides.before.lines, sameness, {})
        classes = {line.args[0]: line.args[1] for line in sides.before.lines if line.name in CLASS_TESTS}
        same = [one for one in _compared(sides.before.lines) if one.is_same]
        found = [replace(one, class_=classes.get(one.value, "")) for one in same]
        for one in (*found, *[one for one in _compared(sides.after.lines) if one.class_]):
            self.denied |= {*one.names, one.again}

    def assumed(self, log: int) -> dict[str, str]:
        """The subjects of statements that in the log of that number no object is compared with a constant of its own
        class, each with what a verdict adds that rests on it: `SEEN_ELSEWHERE`, or nothing."""
        ends = dict.fromkeys(told(self.gone, log, _is_of_bytecode), SEEN_ELSEWHERE)
        ends |= dict.fromkeys(told(self.gone, log, _is_of_bytecode, is_own=True), "")
        return {name: end for name, end in ends.items() if name not in self.denied}

    def kept(self) -> Iterator[Row]:
        """The statements on bytecodes, which mean the same in all processes, and what contradicts such and those on
        classes, as rows."""
        yield from (("gone", name, *place) for name, place in kept(self.gone, _is_of_bytecode))
        yield from (("denied", name) for name in self.denied if _NAMED.fullmatch(name))

    def take(self, row: Row, log: int) -> None:
        """Takes in a row that is kept of other logs, whichever that is. Raises ValueError."""
        match row:
            case "gone", name, *place if len(place) < 2:
                self.gone.setdefault(name, set()).update(from_kept(log, place))
            case "denied", name:
                self.denied.add(name)
            case _:
                raise ValueError


def _is_of_bytecode(name: str) -> bool:
    return _OF_BYTECODE.fullmatch(name) is not None


def with_classes(sides: Sides, numbered: Sides, apart: Mapping[str, str]) -> tuple[Sides, tuple[str, ...]]:
    """The pair whose recorded trace, with that of the loop that it jumps to, says how it compares objects of the
    classes that are `apart` (see `Apart.assumed`) with constants; and what is assumed for that. The `numbered` pair has
    fewer statements: it tells which names stand for one value, whatever calls do."""
    before, assumes = _with_comparisons(sides.before, numbered.before, apart)
    target = sides.target
    if target is not None and numbered.target is not None:
        loop, more = _with_comparisons(target.before, numbered.target.before, apart)
        target, assumes = replace(target, before=loop), assumes | more
    return replace(sides, before=before, target=target), tuple(sorted(assumes))


def _with_comparisons(recorded: Printed, numbered: Printed, apart: Mapping[str, str]) -> tuple[Printed, set[str]]:
    """The recorded trace that says how it compares objects of the classes that are `apart` from constants."""
    lines, assumes = list(recorded.lines), set[str]()
    if not apart or not any(line.name in _BY_IDENTITY for line in lines):
        return recorded, assumes
    sameness = sameness_unless_found(numbered)
    by_name = _compared(recorded.lines, partial(sameness.of, BEFORE))
    compared = [*by_name, *_compared_with_constants(recorded.lines, sameness)]
    for one in sorted(compared, key=lambda one: one.at, reverse=True):
        where = {name: words for name, words in one.names.items() if name in apart}
        if one.is_again and one.again in apart:
            where[one.again] = " at one place behind others"
        if where and one.class_ and not one.is_same:
            test = lines[one.at]
            is_same = str(int(test.name.endswith("_ne")))
            lines.insert(one.at + 1, Line(None, "record_exact_value_i", (test.result or "", is_same)))
            name, words = next(iter(where.items()))
            assumes.add(f"{are_apart(one.class_, words)}{apart[name]}")
    return recorded.with_lines(tuple(lines)), assumes


def are_apart(class_: str, where: str = "") -> str:
    """The words for what is assumed of objects of a class, `where` that is not everywhere."""
    name = class_name(class_)
    return f"constants that objects of {name} are compared with{where} are of other classes"


class _Values:
    """The values of a trace, which are no constants, by their classes: all, and those that are found to be instances of
    a class, with that."""

    def __init__(self, inputs: tuple[str, ...], lines: tuple[Line, ...], sameness: Sameness, trace: str) -> None:
        of = partial(sameness.of, trace)
        texts = (text for line in lines for text in (*line.args, *line.handed, *filter(None, (line.result,))))
        self.nodes = {of(text) for text in (*inputs, *texts) if is_variable(text)}
        self._tested = {(of(line.args[0]), line.args[1]) for line in lines if line.name in CLASS_TESTS}

    def tested_beside(self, other: _Values) -> Counter[str]:
        """The number of values of each class that the other trace does not have, as far as is known."""
        return Counter(class_ for node, class_ in self._tested if node not in other.nodes)


_Named = Callable[[str], object]
"""The value that a name stands for."""


def _compared(
    lines: tuple[Line, ...], of: _Named = str, is_constant: Callable[[str], bool] = is_pointer
) -> Iterator[_Compared]:
    """The comparisons that a guard of the recorded trace follows, of values `of` these names."""
    tests = {lines[at].result: (at, value, class_) for at, value, class_ in _comparisons(lines, of, is_constant)}
    point = passed = ""
    unknown: set[object] = set()
    for line in lines:
        if line.name in PASSES and line.args[0] in tests:
            at, value, class_ = tests[line.args[0]]
            unknown |= set() if class_ else {of(value)}
            passed = passed if line.point == point else line.point
            point = line.point
            is_same = PASSES[line.name] == lines[at].name.endswith("_eq")
            yield _Compared(at, passed, value, class_, is_same, is_one_place(passed) and of(value) in unknown)
            passed += f" {is_same}" if passed else ""


def _compared_with_constants(lines: tuple[Line, ...], sameness: Sameness) -> Iterator[_Compared]:
    """The same with constants that have other names there, which places do not tell apart."""
    of = partial(sameness.of, BEFORE)
    by_name = {at for at, _, _ in _comparisons(lines)}
    for one in _compared(lines, of, lambda text: of(text) in sameness.constant):
        if one.at not in by_name:
            yield replace(one, point="", is_again=False)


def _found_same(lines: tuple[Line, ...], sameness: Sameness) -> Iterator[tuple[Node, ...]]:
    """The objects that may have been found to be one and a constant: where no guard has asked right for that."""
    differ = {(line.args[0], PASSES[line.name]) for line in lines if line.name in PASSES}
    for line in lines:
        if line.name in IDENTITY and (line.result, line.name.endswith("_ne")) not in differ:
            nodes = tuple(sameness.of(BEFORE, text) for text in line.args)
            if not sameness.constant.isdisjoint(nodes):
                yield nodes


def _comparisons(
    lines: tuple[Line, ...], of: _Named = str, is_constant: Callable[[str], bool] = is_pointer
) -> Iterator[tuple[int, str, str]]:
    """The comparisons of instances with constants, each with its place, the value and its class."""
    classes: dict[object, str] = {}
    for at, line in enumerate(lines):
        if line.name in CLASS_TESTS:
            classes[of(line.args[0])] = line.args[1]
        elif line.name in _BY_IDENTITY:
            values = [text for text in line.args if is_variable(text) and not is_constant(text)]
            if len(values) == 1 and any(map(is_constant, line.args)):
                yield at, values[0], classes.get(of(values[0]), "")
