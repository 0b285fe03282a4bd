"""Values of a pair that a log leaves open, and differences that rest on them.

PyPy's optimizer knows what a log does not hold: what constant objects are and hold, what calls on them give, what the
parent of a bridge had in hand. A value is open if it may depend on that: constant objects, floats, addresses, and what
only one of both traces loads or calls for. Values that an operation or a guard relates to an open one are open, too,
and what one trace alone loads from one.

So a difference is surely one if it is between values that are not open: numbers that both traces compute from the same
inputs, loads and results of calls.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from optimizer.ir.dialects.pypy_pairs import Kind
from optimizer.ir.run.interpreter import GuardFailed
from optimizer.ir.run.runs import Stopped
from validator.pypy.inferred.sameness import Node, Sameness
from validator.pypy.printed.kinds.variables import says_kind, without_kinds
from validator.pypy.printed.lines import NULL, Line, is_float, is_pointer, is_variable
from validator.pypy.printed.rows import Rows, rows_of
from validator.pypy.printed.straight import AFTER, BEFORE, TOKEN, Sides
from validator.search.counterexample import Counterexample

_ADDRESS = 1 << 40
"""A number that is as large may be an address."""

_OPERATION = re.compile(r"\bop (?P<number>[0-9]+):")
_DIFFERENCE = re.compile(
    r"(?P<where>end|guard|event|op) ?(?P<number>\d*): (?P<what>argument(?!s)|condition|left|heap|defined) ?(?P<of>.*)"
)
_ASKS_CLASS = ("guard_class", "guard_nonnull_class", "guard_subclass", "guard_gc_type", "guard_is_object")
_ENDS = ("jump", "finish")
_KINDS = "of which kind lists, tables of dicts or arrays are"
_CLASSES = "the classes of objects"
_CONSTANTS = "what constant objects are, and what is in them"


class _Computed(Sameness):
    """Classes of values that are computed alike. That they stand at the same place of both traces makes only constants
    the same."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows, lambda function, memory: True)

    def meet(self, recorded: str, optimized: str) -> None:
        if is_pointer(recorded) and is_pointer(optimized):
            super().meet(recorded, optimized)


class Open:
    """The open values of a pair, each with the reasons."""

    def __init__(self, sides: Sides, kind: Kind) -> None:
        self._judged = [line for row in rows_of(sides).pairs for line in row.after.lines]
        rows = rows_of(without_kinds(sides))
        self._is_loop = sides.is_peeled
        is_one_each = not any(line.name == "guard_value" and is_float(line.args[1]) for line in self._judged)
        self._is_numbered = is_one_each and not sides.is_peeled and sides.target is None
        self._lines = {
            BEFORE: tuple(line for row in rows.pairs for line in row.before.lines),
            AFTER: tuple(line for row in rows.pairs for line in row.after.lines),
        }
        inputs = {
            BEFORE: [text for row in rows.pairs for text in row.before.inputs],
            AFTER: [text for row in rows.pairs for text in row.after.inputs],
        }
        self._is_bridge = kind is Kind.BRIDGE
        self._sameness = _Computed(rows)
        for one, other in zip(self._lines[BEFORE], self._lines[BEFORE][1:], strict=False):
            if one.name == "int_eq" and (other.name, other.args) == ("record_exact_value_i", (one.result, "1")):
                self._sameness.join(BEFORE, *one.args)  # a fact of the parent
        self._parents: dict[Node, Node] = {}
        self._reasons: dict[Node, dict[str, None]] = {}
        there = {
            trace: {self._sameness.of(trace, text) for text in (*inputs[trace], TOKEN, *_results(lines))}
            for trace, lines in self._lines.items()
        }
        self._recorded = {
            self._sameness.of(BEFORE, arg) for line in self._lines[BEFORE] for arg in line.args if is_pointer(arg)
        }
        self._in_both = there[BEFORE] & there[AFTER]
        recorded, left = (Counter(_of_constants(self._lines[trace])) for trace in (BEFORE, AFTER))
        self._unpaired = {*(recorded - left)}
        for trace, lines in self._lines.items():
            stored: dict[str, set[Node]] = {}
            for line in lines:
                self._relate(trace, line)
                self._open(trace, line)
                self._open_constant(trace, line, stored)

    def rests_on(self, run: Counterexample) -> tuple[str, ...]:
        """Knowledge that the log does not hold, of the values between which this run makes a difference."""
        obligation = run.obligation
        if obligation.endswith(": heap class"):
            return (_CLASSES,)
        if (operation := _OPERATION.search(obligation)) and self._says_kind(operation):
            return (_KINDS,)
        found = _DIFFERENCE.fullmatch(obligation)
        texts = None if found is None or self._is_loop else self._differing(found, run)
        if texts is None:
            return tuple(dict.fromkeys(reason for reasons in self._reasons.values() for reason in reasons))
        reasons: dict[str, None] = {}
        for trace, text in texts:
            if trace == AFTER and is_pointer(text) and self._sameness.of(trace, text) not in self._recorded:
                reasons[f"the optimized trace has an object that the recorded one does not name, {text}"] = None
            reasons.update(dict.fromkeys(_own(text)))
            reasons.update(self._reasons.get(self._top(self._sameness.of(trace, text)), {}))
        return tuple(reasons)

    def _relate(self, trace: str, line: Line) -> None:
        """Makes one class of what the operation relates. Loads, stores, events and allocations relate nothing."""
        if line.access or line.name.startswith("new") or line.may_write or line.name in (*_ENDS, *_ASKS_CLASS):
            return
        if line.is_call and self._is_shared(trace, line):
            return
        texts = [text for text in (*line.args, line.result) if text and (is_variable(text) or is_pointer(text))]
        for text in texts[1:]:
            self._join(*(self._top(self._sameness.of(trace, related)) for related in (texts[0], text)))
        for text in line.args:
            for reason in () if (line.is_call and text.startswith("ConstClass")) or not texts else _own(text):
                self._because(trace, texts[0], reason)

    def _open(self, trace: str, line: Line) -> None:
        """Notes why what an operation gives is open."""
        if line.result is None or self._is_shared(trace, line):
            return
        if line.is_call:
            self._because(trace, line.result, f"what {line.function} gives, which one of both traces calls")
        elif (found := line.access) and self._may_be_known(trace, line):
            self._because(trace, line.result, f"the value of {found.memory}, which one of both traces loads")

    def _open_constant(self, trace: str, line: Line, stored: dict[str, set[Node]]) -> None:
        """Notes that a load from a constant gives what was `stored` to another one, if both are one object; and that
        nothing tells which constants correspond where fewer such loads are left."""
        if (found := line.access) and is_pointer(found.place[0]):
            others = stored.setdefault(found.memory, set())
            node = self._sameness.of(trace, found.place[0])
            if found.is_store:
                others.add(node)
            elif others - {node} or found.memory in self._unpaired:
                self._because(trace, found.value, _CONSTANTS)

    def _is_shared(self, trace: str, line: Line) -> bool:
        return line.result is not None and self._sameness.of(trace, line.result) in self._in_both

    def _may_be_known(self, trace: str, load: Line) -> bool:
        """May the optimizer have had the value from elsewhere, or loaded it from elsewhere? Surely where the place is
        open. Else not if the recorded trace has made the object, or, in a loop, loads such memory for the first
        time."""
        found = load.access
        assert found is not None
        base = found.place[0]
        if any(self._top(self._sameness.of(trace, text)) in self._reasons for text in found.place):
            return True
        if trace == AFTER:
            return is_pointer(base) or self._sameness.of(AFTER, base) not in self._in_both
        lines = self._lines[BEFORE]
        if any(line.result == base and line.name.startswith("new") for line in lines):
            return False
        first = next(line for line in lines if line.access and line.access.memory == found.memory)
        return self._is_bridge or is_pointer(base) or first is not load

    def _because(self, trace: str, text: str, reason: str) -> None:
        self._reasons.setdefault(self._top(self._sameness.of(trace, text)), {})[reason] = None

    def _top(self, node: Node) -> Node:
        while node in self._parents:
            node = self._parents[node]
        return node

    def _join(self, one: Node, other: Node) -> None:
        if one != other:
            self._parents[other] = one
            if reasons := self._reasons.pop(other, None):
                self._reasons.setdefault(one, {}).update(reasons)

    def _says_kind(self, operation: re.Match[str]) -> bool:
        """May it be one that says of which kind an object is?"""
        line = self._line(operation)
        return any(map(says_kind, self._judged if line is None else [line]))

    def _line(self, found: re.Match[str]) -> Line | None:
        """The line of the operation of that number: in front stands the statement on the token. None in a loop, where
        each proof numbers them, and where a line is several operations, as a guard for a float is."""
        return self._judged[int(found["number"]) - 1] if self._is_numbered else None

    def _differing(self, found: re.Match[str], run: Counterexample) -> list[tuple[str, str]] | None:
        """The values between which a difference is; None where that may be any."""
        where, what = found["where"], found["what"]
        if what == "heap":
            return self._stored(found["of"].removesuffix("[]"))
        if where == "op":
            line = self._line(found)
            left = run.before.outcome
            asked = self._asked(BEFORE, left.guard) if isinstance(left, GuardFailed) else []
            is_open = self._is_bridge or isinstance(left, Stopped)  # PyPy knows of some calls that they return
            if is_open or asked is None or line is None:
                return None
            return [*asked, *((AFTER, arg) for arg in line.args)]
        if where == "end":
            return [(trace, lines[-1].args[int(found["of"])]) for trace, lines in self._lines.items()]
        if where == "event":
            return [
                (trace, arg) for trace, lines in self._lines.items() for line in lines if line.may_write
                for arg in line.args if is_variable(arg) or is_pointer(arg) or is_float(arg)
            ]  # fmt: skip
        number = int(found["number"])
        if what == "left":
            return self._asked(BEFORE, number)
        origin = run.origins[number] if number < len(run.origins) else None
        asked = self._asked(AFTER, number)
        recorded = None if origin is None else self._asked(BEFORE, origin)
        return None if asked is None or recorded is None else [*asked, *recorded]

    def _asked(self, trace: str, number: int) -> list[tuple[str, str]] | None:
        """The values that the guard of that number asks about."""
        lines = self._lines[trace]
        at = [place for place, line in enumerate(lines) if line.is_guard][number]
        guard = lines[at]
        if guard.name in ("guard_overflow", "guard_no_overflow"):
            guard = next(line for line in reversed(lines[:at]) if line.name.endswith("_ovf"))
        return [(trace, arg) for arg in guard.args] or None

    def _stored(self, memory: str) -> list[tuple[str, str]] | None:
        """The values that are stored into a memory, and where; None if the parent of a bridge may have known that they
        are there already."""
        stores = {
            trace: [found for line in lines if (found := line.access) and found.is_store and found.memory == memory]
            for trace, lines in self._lines.items()
        }
        if not any(stores.values()) or (self._is_bridge and len(stores[AFTER]) < len(stores[BEFORE])):
            return None
        return [(trace, text) for trace in stores for found in stores[trace] for text in (*found.place, found.value)]


def _of_constants(lines: tuple[Line, ...]) -> Iterator[str]:
    """The memories that are loaded from constants, each as often as that is done."""
    for line in lines:
        if (found := line.access) and not found.is_store and is_pointer(found.place[0]):
            yield found.memory


def _results(lines: tuple[Line, ...]) -> Iterator[str]:
    return (line.result for line in lines if line.result is not None)


def _own(text: str) -> Iterator[str]:
    """Reasons for which a text itself is open."""
    if is_pointer(text):
        yield _CONSTANTS
    elif is_float(text):
        yield "the digits of floats"
    elif text != NULL and text.lstrip("-").isdigit() and abs(int(text)) >= _ADDRESS:
        yield "what numbers are addresses"
    elif text.startswith("ConstClass"):
        yield _CLASSES
