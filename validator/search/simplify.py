"""A simpler state for a counterexample: few objects, few aliases, few writes, small values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.run.objects import NULL, Object, Ref
from optimizer.ir.run.runs import Given, Scripted, Seen, World
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Struct
from validator.search.counterexample import State
from validator.search.sites import (
    Site,
    fits_at,
    given_memory,
    is_given,
    is_input,
    named_by_inputs,
    objects_of,
    plain,
    references_to,
    shortened,
    sites,
    value_at,
    with_objects,
    with_value,
    with_writes,
    written_to,
)
from validator.search.states import simple_values

_RUNS = 4000
_OPERATIONS = 4_000_000
"""The number of runs that simplifying a state takes, at most, and that of their operations together."""


_SMALL = 15
"""The number of simple values that are tried for each number, the first ones."""


def simplify_state(state: State, trace: Trace, still: Callable[[State], bool]) -> State:
    """A simpler state for `trace` of which `still` holds as it does of `state`, and a world that goes on if it can."""
    search = _Search(state, trace, still)
    if state.world.stops_at is not None:
        search.attempt(replace(state, world=replace(state.world, stops_at=None)))
    search.run()
    return search.state


class _Search:
    """The simplest state so far. Each step makes it simpler in one way, where `still` allows it."""

    def __init__(self, state: State, trace: Trace, still: Callable[[State], bool]) -> None:
        self.state = state
        self._trace = trace
        self._still = still
        self._budget = min(_RUNS, _OPERATIONS // len(trace.ops))

    def attempt(self, candidate: State) -> bool:
        is_wanted = self._budget > 0 and self._still(candidate)
        self._budget -= 1
        if is_wanted:
            self.state = candidate
        return is_wanted

    def run(self) -> None:
        steps: list[Callable[[], bool]] = [self._numbers]
        if self.state.heap is not None or self.state.world != World(self.state.world.results):
            steps = [self._world, self._references, self._garbage, self._contents, self._classes, self._aliases]
            steps.append(self._numbers)
        while self._budget > 0 and max([step() for step in steps]):
            pass
        if self.state.heap is not None:
            self._name()

    # The world.

    def _world(self) -> bool:
        done = False
        for change in _CALMER:
            world = change(self.state.world)
            if world != self.state.world:
                done |= self.attempt(replace(self.state, world=world))
        for event, writes in enumerate(self.state.world.writes):
            for position in reversed(range(len(writes))):  # so that those in front keep their positions
                left = list(self.state.world.writes[event])
                del left[position]
                done |= self.attempt(with_writes(self.state, event, left))
        return done

    # References.

    def _references(self) -> bool:
        """NULL for references, those of whole objects first."""
        done = False
        for ref, held in self._objects():
            if any(isinstance(value, Ref) and value != NULL for value in held.cells.values()):
                done |= self._replace(ref, _without(held, Ref))
        for site in sites(self.state):
            value = self._at(site)
            if isinstance(value, Seen | Ref) and value != NULL:
                done |= self.attempt(with_value(self.state, site, NULL))
        return done

    def _aliases(self) -> bool:
        """An object of its own for each reference, where that does as well."""
        done = False
        for ref, users in references_to(self.state).items():
            held = self._held(ref)
            if held is None:
                continue
            for user in users[1:]:
                is_named = isinstance(user, str) or is_input(user)
                done |= self._part(user, _without(held, Ref)) or (is_named and self._part(user, held))
        return done

    def _part(self, user: Site | str, copy: Object) -> bool:
        """Has `user` refer to `copy` instead."""
        if isinstance(user, str):
            return self.attempt(_unnamed(with_objects(self.state, {Ref(user): copy}), user))
        assert self.state.heap is not None
        taken = {*self.state.heap.names, *(ref.name for ref in self.state.heap.objects)}
        name = next(Ref(f"q{number}") for number in count() if f"q{number}" not in taken)
        return self.attempt(with_value(with_objects(self.state, {name: copy}), user, name))

    def _garbage(self) -> bool:
        """Drops what nothing refers to, and names of constants."""
        done = False
        for name in [] if self.state.heap is None else list(self.state.heap.names):
            done |= self.attempt(_unnamed(self.state, name))
        written = written_to(self.state)
        users = references_to(self.state)
        garbage = [
            ref
            for ref in objects_of(self.state)
            if ref not in written and all(isinstance(user, str) and user == ref.name for user in users.get(ref, ()))
        ]
        if len(garbage) > 1 and self.attempt(with_objects(self.state, dict.fromkeys(garbage))):
            return True
        return sum(self.attempt(with_objects(self.state, {ref: None})) for ref in garbage) > 0 or done

    # Contents.

    def _contents(self) -> bool:
        """Blank objects, and shorter arrays."""
        done = False
        for ref, held in self._objects():
            simpler = replace(plain(held), cleared=True)
            if simpler != held:
                done |= self._replace(ref, simpler)
            if any(isinstance(value, int | Float) for value in simpler.cells.values()):
                done |= self._replace(ref, _without(_without(simpler, int), Float))
            for length in () if is_given(ref, self.state) else _shorter(held.length or 0):
                if self._replace(ref, shortened(self._held(ref) or held, length)):
                    done = True
                    break
        return done

    def _classes(self) -> bool:
        """The parent's class, where an object of a subclass is not needed."""
        done = False
        for ref in list(objects_of(self.state)):
            held = None if is_given(ref, self.state) else self._held(ref)
            while held is not None and isinstance(held.type, Struct) and held.type.parent is not None:
                done |= (simpler := self._replace(ref, self._of_parent(held, held.type.parent)))
                held = self._held(ref) if simpler else None
        return done

    def _of_parent(self, held: Object, parent: str) -> Object:
        assert self.state.heap is not None
        assert isinstance(held.type, Struct)
        type_ = self.state.heap.layout.struct(parent)
        lost = {slot.key for slot in held.type.fields} - {slot.key for slot in type_.fields}
        return replace(held, type=type_, cells={cell: v for cell, v in held.cells.items() if cell[0] not in lost})

    def _replace(self, ref: Ref, described: Object) -> bool:
        held = self._held(ref)
        if held is None:
            return False
        given = given_memory(ref, self.state)
        kept = {cell: value for cell, value in held.cells.items() if cell[0] in given}
        described = replace(described, cells={**described.cells, **kept})
        return described != held and self.attempt(with_objects(self.state, {ref: described}))

    def _numbers(self) -> bool:
        done = False
        for site in sites(self.state):
            value = self._at(site)
            for simpler in _simpler(value, self._trace.word) if isinstance(value, int | Float) else ():
                if fits_at(self.state, site, simpler) and self.attempt(with_value(self.state, site, simpler)):
                    done = True
                    break
                if self._budget <= 0:
                    return done
        return done

    # Names.

    def _name(self) -> None:
        """Objects are named as the inputs are that refer to them, others q0, q1 and so on."""
        taken = frozenset(operation.result.name for operation in self._trace.ops if operation.result is not None)
        self._budget = 1
        self.attempt(named_by_inputs(self.state, self._trace, taken))

    def _objects(self) -> Iterator[tuple[Ref, Object]]:
        """The objects that there are now, each as it is when its turn comes, if it is still there."""
        for ref in list(objects_of(self.state)):
            held = self._held(ref)
            if held is not None:
                yield ref, held

    def _held(self, ref: Ref) -> Object | None:
        return objects_of(self.state).get(ref)

    def _at(self, site: Site) -> Scripted | None:
        """The value there, None if the site is gone."""
        try:
            return value_at(self.state, site)
        except LookupError:
            return None


def _unnamed(state: State, name: str) -> State:
    """The state where an object has one name less."""
    assert state.heap is not None
    heap = state.heap.copy()
    heap.names.pop(name, None)
    return replace(state, heap=heap)


_CALMER: tuple[Callable[[World], World], ...] = (
    lambda world: replace(world, writes=()),
    lambda world: replace(world, invalid=frozenset()),
    lambda world: replace(world, gc_types=()),
    lambda world: replace(world, raises=(), functions=tuple(Given(one.result) for one in world.functions)),
    lambda world: replace(world, functions=()),
    lambda world: replace(world, forced=frozenset(), false_conditions=frozenset()),
)
"""Worlds in which less happens."""


def _without(held: Object, kind: type) -> Object:
    """The object with 0 or NULL for what is of that kind."""
    return replace(held, cells={cell: value for cell, value in held.cells.items() if not isinstance(value, kind)})


def _shorter(length: int) -> Iterator[int]:
    yield from range(min(length, 8))
    while length > 16:
        length //= 2
        yield length


def _simpler(value: int | Float, word: int) -> Iterator[int | Float]:
    """Values that are simpler than `value`, simplest first."""
    if isinstance(value, int):
        return _simpler_ints(value, word)
    from validator.search.float_samples import simpler_floats  # here: most traces have no floats

    return simpler_floats(value)


def _simpler_ints(value: int, word: int) -> Iterator[int]:
    """Values that are simpler than `value`, simplest first: small ones, powers of two and those below them, and `value`
    with one bit less. Of the powers, few are tried each time: the next search starts from what was found."""
    size, bits, limit = abs(value), abs(value).bit_length(), 1 << (word - 1)
    exponents = [*range(8, bits - 8, 8), *range(max(3, bits - 8), bits)]
    powers = [power for k in exponents for power in ((1 << k) - 1, 1 << k)]
    signed = powers if value > 0 else [-power for power in powers]
    limits = [limit - 1, -limit] if bits >= word - 1 else []
    for simple in (*simple_values(word)[:_SMALL], *signed, *limits):
        if simple == value:
            return
        yield simple
    for bit in reversed(range(bits)):
        if size >> bit & 1:
            smaller = size & ~(1 << bit)
            yield smaller if value > 0 else -smaller
