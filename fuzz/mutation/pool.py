"""Traces from files, with examples on which they run to their end: what mutation starts from.

Where a trace brings no such example, samples are tried, and those that get furthest are changed at random. If that does
not find one either, the trace is repaired for the state that gets furthest: what is mutated need not be what was
recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from pathlib import Path
from random import Random

from fuzz.choices import RandomChoices, constant
from fuzz.generate import GeneratedTrace
from fuzz.mutation.settle import settle
from fuzz.mutation.sketch import sketch_of
from fuzz.store import case_names, read_case
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.interpreter import Finished, GuardFailed, Jumped, Program, Undefined
from optimizer.ir.layout import Layout, layout_of
from optimizer.ir.runs import World
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator.counterexample import State
from validator.files import read_text
from validator.states import sample_states
from validator.stored_state import StoredState, restored_state

_SUFFIX = ".trace"
_CASE = "case.toml"
_MOST_CHANGES = 150


@dataclass(frozen=True, slots=True)
class Pool:
    """`repaired` names the traces that had to be changed for an example, `left_out` those that cannot be used, with the
    reason."""

    traces: tuple[GeneratedTrace, ...]
    repaired: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


@cache
def load_pool(paths: tuple[str, ...]) -> Pool:
    """The traces in files, in folders of `.trace` files, and in corpora, whose cases may bring their states.

    Files are read once. Raises InputError for a path where there is nothing of that kind.
    """
    traces: list[GeneratedTrace] = []
    repaired: list[str] = []
    left_out: list[tuple[str, str]] = []
    for source in (found for path in paths for found in _sources(path)):
        try:
            trace = parse(source.text, file=source.name)
            example = _example(source, trace, layout_of(trace))
        except InputError as error:
            left_out.append((source.name, str(error)))
            continue
        except Unsupported as limit:
            left_out.append((source.name, f"not modelled: {limit}"))
            continue
        if example is None:
            left_out.append((source.name, "no example was found"))
            continue
        traces.append(example)
        if [op.op for op in example.trace.ops] != [op.op for op in trace.ops]:
            repaired.append(source.name)
    return Pool(tuple(traces), tuple(repaired), tuple(left_out))


# Files.


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    text: str
    stored: StoredState


def _sources(text: str) -> Iterator[_Source]:
    path = Path(text)
    if not path.is_dir():
        yield _Source(text, read_text(text), StoredState())
        return
    if (path / _CASE).exists():
        yield _case(path)
        return
    cases = [path / name for name in case_names(path) if (path / name / _CASE).exists()]
    files = sorted(path.glob(f"*{_SUFFIX}"))
    if not cases and not files:
        raise InputError(f"{text}: there are neither cases nor files *{_SUFFIX} in this folder")
    yield from map(_case, cases)
    for file in files:
        yield _Source(str(file), read_text(str(file)), StoredState())


def _case(folder: Path) -> _Source:
    case = read_case(folder.parent, folder.name)
    return _Source(str(folder), case.before, case.state)


# Examples.


def _example(source: _Source, trace: Trace, layout: Layout) -> GeneratedTrace | None:
    random = Random(source.name.rpartition("/")[2])
    program = Program(trace, layout)
    stored = restored_state(source.stored, trace, layout, source.name)
    sampled = islice(sample_states(trace, trace, (), layout), _MOST_CHANGES)
    best: tuple[int, State] | None = None
    for state in chain([] if stored is None else [stored], sampled):
        best = _further(best, state, trace, program)
        if best[0] == len(trace.ops):
            break
    if best is None:
        return None
    for _ in range(_MOST_CHANGES):
        if best[0] == len(trace.ops):
            break
        best = _further(best, _changed(best[1], trace.word, random), trace, program)
    state = replace(best[1], world=replace(best[1].world, stops_at=None))
    return settle(sketch_of(GeneratedTrace(trace, state, {})), random)


def _further(best: tuple[int, State] | None, state: State, trace: Trace, program: Program) -> tuple[int, State]:
    """How far the better one of two states gets, in guards and operations, and the state. The newer one is better if
    both get as far."""
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


def _changed(state: State, word: int, random: Random) -> State:
    """The state with another number for one of its inputs or results."""
    choices = RandomChoices(random)
    inputs, results = list(state.inputs), list(state.world.results)
    places = [(inputs, index) for index, value in enumerate(inputs) if isinstance(value, int)]
    numbers = [index for index, value in enumerate(results) if isinstance(value, int)]
    if places and (not numbers or random.random() < 0.7):
        values, index = random.choice(places)
        values[index] = _number(values[index], choices, word, random)
    elif numbers:
        index = random.choice(numbers)
        results[index] = constant(choices, word)
    world: World = replace(state.world, results=tuple(results))
    return State(tuple(inputs), world, state.heap)


def _number(known: object, choices: RandomChoices, word: int, random: Random) -> int:
    half = 1 << (word - 1)
    if isinstance(known, int) and random.random() < 0.4:
        return max(-half, min(half - 1, known + random.choice((-8, -2, -1, 1, 2, 8))))
    return constant(choices, word)
