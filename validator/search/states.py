"""States to run traces on: samples that tend to show differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

from optimizer.ir.addresses import address_of
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.rows.domain import wrap
from optimizer.ir.rows.ops import Kind
from optimizer.ir.run.interpreter import World
from optimizer.ir.trace import ConstInt, Trace, all_operations
from optimizer.ir.types.layout import Layout, Struct
from validator.search.counterexample import State
from validator.search.heap_plan import Plan, needs_heap, plan_heap
from validator.search.heap_samples import HeapSampler

_SAMPLES = 40
_OFTEN = 8


@cache
def simple_values(word: int) -> tuple[int, ...]:
    """0, 1, -1, then powers of two and their neighbours of both signs, simplest first."""
    domain = concrete(word)
    values = {domain.const(value) for value in range(-2, 9)}
    for power in range(word):
        for near in ((1 << power), (1 << power) - 1, (1 << power) + 1):
            values |= {domain.const(near), domain.const(-near)}
    return tuple(sorted(values, key=lambda value: (abs(value), value < 0)))


def sample_states(before: Trace, after: Trace, examples: Sequence[State], layout: Layout) -> Iterator[State]:
    """The examples, boundary values, values near the traces' constants, and random ones; always the same for a pair.

    `layout` is the one that the pair shares.
    """
    word, arity = before.word, len(before.inputs)
    events = sum(operation.op.kind is Kind.EVENT for operation in before.ops)
    pool = _pool(before, after)
    random = Random(len(pool))

    def draw() -> int:
        if random.random() < 0.8:
            return random.choice(pool)
        return wrap(random.getrandbits(word), word)

    yield from examples
    if needs_heap(before) or needs_heap(after):
        plan = plan_heap(before, after, layout)
        sampler = HeapSampler(before, plan, (*pool, *_vtables(before, plan)), random)
        for count in range(_SAMPLES):
            is_changed = bool(examples) and count % 2 == 1
            yield sampler.changed(random.choice(examples)) if is_changed else sampler.state(tame=count % 4 == 0)
        return
    for value in simple_values(word)[:3]:
        yield State((value,) * arity, World((value,) * events))
    for count in range(_SAMPLES):
        if examples and count % 2:
            example = random.choice(examples)
            inputs = list(example.inputs)
            if inputs:
                inputs[random.randrange(arity)] = draw()
            yield State(tuple(inputs), example.world)
        else:
            yield State(tuple(draw() for _ in range(arity)), World(tuple(draw() for _ in range(events))))


def _vtables(before: Trace, plan: Plan) -> list[int]:
    """The addresses of vtables, as often as they are worth trying: where the trace restores an exception, it takes that
    of its class along."""
    if not any(operation.op.kind is Kind.EXCEPTION and operation.args for operation in before.ops):
        return []
    names = [type_.vtable for type_ in plan.types.values() if isinstance(type_, Struct)] or ["object"]
    return _OFTEN * [address_of(name, before.word) for name in names]


def _pool(before: Trace, after: Trace) -> tuple[int, ...]:
    constants = {
        arg.value
        for trace in (before, after)
        for operation in all_operations(trace)
        for arg in operation.args
        if isinstance(arg, ConstInt)
    }
    near = {wrap(value + delta, before.word) for value in constants for delta in (-1, 0, 1)}
    limits = {wrap((1 << (before.word - 1)) + delta, before.word) for delta in (-2, -1, 0, 1)}
    return tuple(sorted(near | limits | set(range(-3, 4)), key=lambda v: (abs(v), v)))
