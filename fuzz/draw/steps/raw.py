"""Steps of traces over raw memory, or over objects by their bytes: accesses that overlap more often than not.

An access is drawn by its row alone: its arguments, until what the row makes of them is where it is wanted.
"""

from __future__ import annotations

from collections.abc import Callable

from fuzz.draw.aimed_draft import AimedDraft
from fuzz.draw.choices import NotDrawable
from fuzz.draw.steps.object_accesses import in_object
from fuzz.draw.steps.pointers import guard_something, heap_event
from fuzz.draw.steps.raw_access import Access, do
from fuzz.draw.steps.raw_addresses import at_address
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import INT, REF, Kind
from optimizer.ir.trace import ConstInt, Var

_TRIES = 6

_MOST_ACCESSES = 14
"""A trace with more accesses begins no further step of them."""


def _drawn(draft: AimedDraft, kind: Kind, near: Access | None = None) -> Access | None:
    """A load or store; one that overlaps with another, if that is easy."""
    found: Access | None = None
    is_of_object = draft.choices.chance(draft.byte_share) if near is None else near.is_of_object
    for _ in range(_TRIES):
        found = in_object(draft, kind, near) if is_of_object else at_address(draft, kind, near)
        if near is None or (found is not None and found.meets(near, draft.shape.word)):
            return found
    return found


def _begun(draft: AimedDraft, kind: Kind) -> Access:
    """A load or store, done. Raises NotDrawable."""
    first = _drawn(draft, kind)
    if first is None:
        raise NotDrawable
    do(draft, first)
    return first


# Steps.


def _limited(step: Callable[[AimedDraft], None]) -> Callable[[AimedDraft], None]:
    """The step, where words have room for it and there are not too many accesses already."""

    def taken(draft: AimedDraft) -> None:
        if draft.shape.word >= 16 and draft.raw_accesses < _MOST_ACCESSES:
            step(draft)

    return taken


@_limited
def access_raw(draft: AimedDraft) -> None:
    do(draft, _drawn(draft, draft.choices.pick((Kind.RAW_LOAD, Kind.RAW_STORE))))


@_limited
def overlap_raw(draft: AimedDraft) -> None:
    """A store, others near it, and a load from there, narrower or wider."""
    first = _begun(draft, Kind.RAW_STORE)
    draft.choices.repeat(0, 2, lambda: _between(draft, first))
    loaded = do(draft, _drawn(draft, Kind.RAW_LOAD, first))
    if loaded is None:
        return
    if loaded.type is INT and draft.choices.chance(40):
        mask = ConstInt(draft.choices.pick((255, 0x7FFF, 127, -256)))
        draft.compute(draft.choices.pick(draft.rows.masks), (loaded, mask))
    if loaded.type is REF:
        _compare(draft, first, loaded)


def _compare(draft: AimedDraft, store: Access, loaded: Var) -> None:
    """Is what has been loaded what was stored?"""
    stored = store.operation.args[_stored_at(store)]
    if stored.type is REF:
        draft.attempt(draft.choices.pick(draft.memory.identities), (loaded, stored))


def _stored_at(store: Access) -> int:
    memory = store.operation.op.memory
    assert memory is not None
    assert memory.stores is not None
    return memory.stores


def _between(draft: AimedDraft, access: Access) -> None:
    match draft.choices.integer(0, 6):
        case 0 | 1 | 2:
            do(draft, _drawn(draft, Kind.RAW_STORE, access))
        case 3:
            do(draft, _drawn(draft, Kind.RAW_LOAD, access))
        case 4:
            heap_event(draft)
        case _:
            guard_something(draft)


@_limited
def overwrite_raw(draft: AimedDraft) -> None:
    """Two stores to nearly the same bytes, with something between them."""
    first = _begun(draft, Kind.RAW_STORE)
    draft.choices.repeat(0, 1, lambda: _between(draft, first))
    same = draft.choices.chance(50)
    do(draft, _with_value(draft, first) if same else _drawn(draft, Kind.RAW_STORE, first))


def _with_value(draft: AimedDraft, access: Access) -> Access:
    """The same store of something else."""
    args, place = list(access.operation.args), _stored_at(access)
    if args[place].type is INT:
        args[place] = draft.operand()
    return replace(access, operation=replace(access.operation, args=tuple(args)))


@_limited
def reread_raw(draft: AimedDraft) -> None:
    """Two loads from nearly the same bytes, with something between them."""
    first = _begun(draft, Kind.RAW_LOAD)
    draft.choices.repeat(0, 1, lambda: _between(draft, first))
    do(draft, first if draft.choices.chance(40) else _drawn(draft, Kind.RAW_LOAD, first))
