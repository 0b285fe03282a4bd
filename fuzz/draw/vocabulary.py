"""The operations that a tested optimizer understands, and the traces that keep to them.

They are chosen by kinds, which follow from the rows of the table, and by names and patterns of names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache

from fuzz.draw.memory_rows import IS_VALID
from optimizer.ir.faults import InputError
from optimizer.ir.loops import goes_back
from optimizer.ir.rows.ops import FLOAT, INT, OPS, REF, DescrKind, Kind, Op, Type
from optimizer.ir.rows.row import PLACE
from optimizer.ir.trace import Trace, all_operations

WORDS = (8, 16, 32, 64)
"""The widths of words that can be asked for."""


@dataclass(frozen=True, slots=True)
class OpKind:
    """A kind of operations: `covers` says of a row that it cannot be understood without."""

    name: str
    about: str
    covers: Callable[[Op], bool]


def _descr(row: Op) -> DescrKind | None:
    return None if row.memory is None else row.memory.descr


def _types(row: Op) -> set[Type]:
    return {*(row.args or ()), row.result}


def _is_of_strings(row: Op) -> bool:
    return row.memory is not None and row.memory.on is not None


def _is_of_arrays(row: Op) -> bool:
    return not _is_of_strings(row) and _descr(row) in (DescrKind.ITEM, DescrKind.INTERIOR, DescrKind.ARRAY)


def _is_of_objects(row: Op) -> bool:
    """Fields, classes, and what is said of them: facts, and the guard that they still hold."""
    memory = row.memory
    if memory is None or row.is_call:
        return False
    is_fact = row.kind is Kind.FACT and memory.descr is None
    is_field = memory.descr in (DescrKind.FIELD, DescrKind.STRUCT)
    return is_field or memory.class_arg is not None or row is IS_VALID or is_fact


def _is_raw(row: Op) -> bool:
    is_cast = row.kind is Kind.PURE and len(row.args or ()) == 1 and _types(row) == {INT, REF} and _descr(row) is None
    return row.kind in (Kind.RAW_LOAD, Kind.RAW_STORE) or PLACE in _types(row) or is_cast


def _is_of_calls(row: Op) -> bool:
    """Calls, what is pending behind them, and what the world decides at one."""
    memory = row.memory
    if memory is None:
        return False
    is_decided = row.is_guard and row.args == () and row is not IS_VALID
    return row.is_call or memory.pending or memory.inert or is_decided


KINDS = (
    OpKind("integers", "arithmetic, comparisons and overflow checks", lambda row: row.is_pure or row.reads_flag),
    OpKind("floats", "operations that take or give floats", lambda row: FLOAT in _types(row)),
    OpKind("objects", "fields, allocations and classes", _is_of_objects),
    OpKind("arrays", "items and lengths", _is_of_arrays),
    OpKind("strings", "strings of bytes and of code points", _is_of_strings),
    OpKind("raw", "raw memory, addresses, objects by their bytes", _is_raw),
    OpKind("calls", "calls and exceptions", _is_of_calls),
    OpKind("escapes", "events that are no calls", lambda row: row.kind is Kind.EVENT and not _is_of_calls(row)),
    OpKind("positions", "marks and labels", lambda row: row.kind is Kind.POSITION),
)
"""All kinds. Ends, and guards on integers, belong to none: each choice of kinds has them."""

_HOLDING_REFERENCES = frozenset({"objects", "arrays", "strings"})


@cache
def _needs(row: Op) -> tuple[frozenset[str], ...]:
    """Sets of kinds, of each of which the row needs one."""
    needed = [frozenset({kind.name}) for kind in KINDS if kind.covers(row)]
    if REF in _types(row) and not any(need <= _HOLDING_REFERENCES for need in needed):
        needed.append(_HOLDING_REFERENCES)
    return tuple(needed)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Rows of these `kinds` whose names match one of the patterns `ops`, and none of `without`; where there are no
    kinds or no `ops`, all are. `word` is the width of words, None is any. With `loops` each trace goes back to its
    start."""

    kinds: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    word: int | None = None
    loops: bool = False

    @property
    def is_all(self) -> bool:
        """Are all operations chosen, with words of any width?"""
        return self == EVERYTHING

    @property
    def rows(self) -> frozenset[Op]:
        return _rows(self)

    @property
    def excluded(self) -> frozenset[Op]:
        """The rows of the table that are not chosen."""
        return _excluded(self)

    @property
    def types(self) -> frozenset[Type]:
        """The types of the values that the rows take and give; integers are always there."""
        return _types_in(self)

    def has(self, kind: str) -> bool:
        """Is there a row of that kind?"""
        return kind in _kinds_in(self)

    def foreign(self, trace: Trace) -> tuple[str, ...]:
        """The parts of the trace that are not in the vocabulary, in words; none if the trace keeps to it."""
        return () if self.is_all else tuple(dict.fromkeys(self._foreign(trace)))

    def _foreign(self, trace: Trace) -> Iterator[str]:
        if self.word not in (None, trace.word):
            yield f"words of {trace.word} bits"
        if self.loops and not goes_back(trace):
            yield "an end that does not go back to the start"
        known, types = self.rows, self.types
        values = [*trace.inputs]
        for operation in all_operations(trace):
            if operation.op not in known:
                yield operation.op.name
            values += [] if operation.op.raw else operation.args  # type: ignore[arg-type]  # any value has a type
            if operation.exit is not None:
                values += [value for value in operation.exit.failargs or () if value is not None]  # type: ignore[misc]  # so has it
        for type_ in {value.type for value in values} - types:
            yield f"values of type {type_.value}"

    def words(self) -> list[str]:
        """The words of a command line that choose it."""
        lists = {"--kinds": self.kinds, "--ops": self.ops, "--without": self.without}
        words = [word for option, names in lists.items() if names for word in (option, ",".join(names))]
        words += [] if self.word is None else ["--word", str(self.word)]
        return [*words, "--loops"] if self.loops else words

    @property
    def text(self) -> str:
        """The vocabulary in a few words; empty where all is chosen."""
        told = [f"the kinds {', '.join(self.kinds)}"] * bool(self.kinds)
        told += [f"the operations {', '.join(self.ops)}"] * bool(self.ops)
        told += [f"none of {', '.join(self.without)}"] * bool(self.without)
        told += [f"words of {self.word} bits"] * (self.word is not None)
        told += ["loops"] * self.loops
        return "; ".join(told)

    def narrowed(self, other: Vocabulary) -> Vocabulary:
        """The vocabulary of what is in both, this being what an optimizer announces. Raises InputError where they name
        words of different widths, or have nothing in common that traces can be made of."""
        if EVERYTHING in (self, other):
            return other if self.is_all else self
        if None not in (self.word, other.word) and self.word != other.word:
            raise InputError(f"--word {other.word}: the optimizer announces words of {self.word} bits")
        both = self.rows & other.rows
        names = tuple(name for name, row in OPS.items() if row in both)
        if not names:
            raise InputError("--kinds, --ops, --without: the optimizer announces none of the operations that are left")
        word = self.word if other.word is None else other.word
        narrower = Vocabulary(ops=names, word=word, loops=self.loops or other.loops)
        narrower.check_loops("the optimizer does not announce")
        return narrower

    def check_loops(self, why: str) -> None:
        """Raises InputError where loops are wanted and no operation is left that goes back."""
        if self.loops and not any(row.jumps for row in self.rows):
            raise InputError(f"--loops: a loop ends with jump, which {why}")


EVERYTHING = Vocabulary()


@cache
def _rows(vocabulary: Vocabulary) -> frozenset[Op]:
    def is_chosen(row: Op) -> bool:
        kinds, word = vocabulary.kinds, vocabulary.word
        if kinds and not (row.has_meaning or row.is_entry or row.kind in (Kind.POSITION, Kind.END, Kind.GUARD)):
            return False
        return (
            all(not need.isdisjoint(kinds) for need in _needs(row) if kinds)
            and (not vocabulary.ops or _matches(row.name, vocabulary.ops))
            and not _matches(row.name, vocabulary.without)
            and (word is None or row.min_word <= word)
        )

    return frozenset(filter(is_chosen, OPS.values()))


@cache
def _excluded(vocabulary: Vocabulary) -> frozenset[Op]:
    return frozenset(OPS.values()) - vocabulary.rows


@cache
def _types_in(vocabulary: Vocabulary) -> frozenset[Type]:
    return frozenset({INT}.union(*map(_types, vocabulary.rows)))


@cache
def _kinds_in(vocabulary: Vocabulary) -> frozenset[str]:
    needs = [need for row in vocabulary.rows for need in _needs(row) if len(need) == 1]
    return frozenset().union(*needs)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def stands_for_some(pattern: str) -> bool:
    """Does the pattern stand for an operation of the table?"""
    return any(fnmatchcase(name, pattern) for name in OPS)


def check_names(vocabulary: Vocabulary, where: Callable[[str], str]) -> None:
    """Raises InputError for a kind or a pattern that stands for nothing; `where` names what `kinds`, `ops` and
    `without` come from."""
    known = [kind.name for kind in KINDS]
    for name in vocabulary.kinds:
        if name not in known:
            raise InputError(f"{where('kinds')}: there is no kind {name!r}; the kinds are {', '.join(known)}")
        if not Vocabulary((name,), word=vocabulary.word).has(name):
            raise InputError(f"{where('kinds')}: with words of {vocabulary.word} bits there are no {name}")
    for field, patterns in (("ops", vocabulary.ops), ("without", vocabulary.without)):
        for pattern in patterns:
            if not stands_for_some(pattern):
                near = get_close_matches(pattern, OPS, 1)
                hint = f"; is it {near[0]}?" if near else ""
                raise InputError(f"{where(field)}: no operation is called {pattern!r}{hint}")
    vocabulary.check_loops("was not chosen")
    if not any(row.kind is Kind.END for row in vocabulary.rows):
        ends = " and ".join(row.name for row in OPS.values() if row.kind is Kind.END)
        option = where("ops" if vocabulary.ops else "without")
        raise InputError(f"{option}: no operation is left that ends a trace; these are {ends}")
