"""Traces from files: what campaigns begin with, and what mutation starts from.

A trace that is mutated needs an example on which it runs to its end: the state that it brings, one that a solver finds,
or the one of some samples that gets furthest. Where that does not get to the end, the trace is repaired for it: what is
mutated need not be what was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import islice
from pathlib import Path
from random import Random

from fuzz.cases.recorded import is_log, recorded_text, sections_of
from fuzz.cases.store import case_names, read_case
from fuzz.draw.generator import GeneratedTrace
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from fuzz.mutate.settle import settle
from fuzz.mutate.sketch import sketch_of
from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Kind, Op
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Program, Undefined
from optimizer.ir.run.objects import blank
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.trace_layout import layout_of
from validator.command.files import decoded, file_name, read_bytes
from validator.search.counterexample import State
from validator.search.examples import find_example
from validator.search.states import sample_states
from validator.tell.stored_state import StoredState, restored_state

_SUFFIX = ".trace"
_CASE = "case.toml"
_SAMPLES = 20


@dataclass(eq=False)
class PoolTrace:
    """A trace from a file, with the state that it brings, if it does."""

    name: str
    trace: Trace
    layout: Layout
    stored: State | None

    def without(self, excluded: frozenset[Op]) -> PoolTrace:
        """The trace without those of the excluded operations that only mark a place."""
        marks = [op for op in self.trace.ops if op.op in excluded and op.op.kind is Kind.POSITION and op.op.raw]
        if not marks:
            return self
        trace = replace(self.trace, ops=tuple(op for op in self.trace.ops if op not in marks))
        return PoolTrace(self.name, trace, layout_of(trace), self.stored)

    @property
    def as_it_is(self) -> GeneratedTrace:
        """The trace, and a state that it need not run to its end on."""
        inputs = tuple(blank(var.type) for var in self.trace.inputs)
        return GeneratedTrace(self.trace, self.stored or State(inputs), {})

    @cached_property
    def example(self) -> GeneratedTrace | None:
        """The trace, repaired where it must be, with an example; None where none was found."""
        try:
            return self._example()
        except Unsupported:
            return None

    def _example(self) -> GeneratedTrace | None:
        program = Program(self.trace, self.layout)
        best: tuple[int, State] | None = None
        for state in self._states():
            best = _further(best, state, self.trace, program)
            if best[0] == len(self.trace.ops):
                break
        assert best is not None
        state = replace(best[1], world=replace(best[1].world, stops_at=None))
        random = Random(self.name.rpartition("/")[2])
        return settle(sketch_of(GeneratedTrace(self.trace, state, {})), random)

    def _states(self) -> Iterator[State]:
        if self.stored is not None:
            yield self.stored
        found = find_example(self.trace, self.layout)
        if found is not None:
            yield found
        yield from islice(sample_states(self.trace, self.trace, (), self.layout), _SAMPLES)


@dataclass(frozen=True, slots=True)
class Pool:
    """`left_out` names the texts that are no traces, with the reason; `foreign` counts the traces that do not keep to
    a vocabulary, by what each has that is not in it."""

    traces: tuple[PoolTrace, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    foreign: tuple[tuple[str, ...], ...] = ()

    def within(self, vocabulary: Vocabulary) -> Pool:
        """The traces that keep to the vocabulary, some of them without operations that have no meaning."""
        kept = [one.without(vocabulary.excluded) for one in self.traces]
        beyond = [vocabulary.foreign(one.trace) for one in kept]
        traces = tuple(one for one, names in zip(kept, beyond, strict=True) if not names)
        return Pool(traces, self.left_out, tuple(filter(None, beyond)))


@cache
def load_pool(paths: tuple[str, ...], vocabulary: Vocabulary = EVERYTHING) -> Pool:
    """The traces in files, in logs of PyPy, in folders of these, and in corpora, whose cases may bring their states, as
    far as they keep to the vocabulary.

    Files are read once. Raises InputError for a path where there is nothing of that kind.
    """
    if not vocabulary.is_all:
        return load_pool(paths).within(vocabulary)
    traces: list[PoolTrace] = []
    left_out: list[tuple[str, str]] = []
    for name, read in (found for path in paths for found in _sources(path)):
        try:
            text, stored = read()
            trace = parse(text, file=name)
            layout = layout_of(trace)
            traces.append(PoolTrace(name, trace, layout, restored_state(stored, trace, layout, name)))
        except InputError as error:
            left_out.append((name, str(error)))
    return Pool(tuple(traces), tuple(left_out))


# Files.


_Source = tuple[str, Callable[[], tuple[str, StoredState]]]
"""The name of a trace, and what gives its text and the state that it brings, or raises InputError."""


def _sources(text: str) -> Iterator[_Source]:
    path = Path(text)
    if not path.is_dir():
        yield from _recorded(text) if is_log(text) else [(text, partial(_written, read_bytes(text), text))]
        return
    if (path / _CASE).exists():
        yield str(path), partial(_case, path)
        return
    cases = [path / name for name in case_names(path) if (path / name / _CASE).exists()]
    files = sorted(file for file in path.iterdir() if file.suffix == _SUFFIX or is_log(file.name))
    if not cases and not files:
        raise InputError(f"{text}: there are neither cases, nor logs, nor files *{_SUFFIX} in this folder")
    yield from ((str(case), partial(_case, case)) for case in cases)
    for file in files:
        yield from _sources(str(file))


def _recorded(log: str) -> Iterator[_Source]:
    """The traces of a log that are whole."""
    for number, section in enumerate(sections_of(log), start=1):
        if not section.loss:
            yield f"{log}, trace {number}", partial(_of_log, section, log, number)


def _written(data: bytes, path: str) -> tuple[str, StoredState]:
    return decoded(data, file_name(path)), StoredState()


def _of_log(section: Section, log: str, number: int) -> tuple[str, StoredState]:
    return recorded_text(section, log, number), StoredState()


def _case(folder: Path) -> tuple[str, StoredState]:
    case = read_case(folder.parent, folder.name)
    return case.before, case.state


# Examples.


def _further(best: tuple[int, State] | None, state: State, trace: Trace, program: Program) -> tuple[int, State]:
    """The farther of two states: the distance that it gets, in guards and operations, and the state. The newer one is
    better if both get as far."""
    run = program.run(state.inputs, state.world, heap=state.heap)
    match run.outcome:
        case Finished() | Jumped():
            reached = len(trace.ops)
        case GuardFailed(guard):
            reached = [index for index, operation in enumerate(trace.ops) if operation.op.is_guard][guard]
        case Undefined():
            reached = len(run.values) - len(trace.inputs)
        case _:
            reached = 0
    return (reached, state) if best is None or reached >= best[0] else best
