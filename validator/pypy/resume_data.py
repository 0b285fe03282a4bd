"""The stores of resume data, as exit blocks of the optimized trace of a pair.

PyPy puts off a store over a guard only where it stores a virtual object, which it has not made yet; resume data makes
the object, and does the store.

    stores up to the recorded guard - stores up to the optimized one -> pending stores -> exit block
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count, takewhile

from optimizer.ir.check import inner_label
from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.ops import OPS, Kind, Op
from optimizer.ir.rows.row import NEW, REF, STORE
from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.trace import (
    ConstClass,
    ConstFloat,
    ConstInt,
    ConstRef,
    Exit,
    Operation,
    Trace,
    Value,
    Var,
    all_operations,
    exit_of,
)
from optimizer.ir.types.byte_access import slot_of
from optimizer.ir.types.declaration_rules import ITEMS
from optimizer.ir.types.known_calls import STRING_CALLS, meant
from optimizer.ir.types.layout import Field
from optimizer.ir.types.memory_cells import written_name
from optimizer.ir.types.memory_types import MemoryKind
from optimizer.ir.types.trace_layout import layout_of
from validator.loops.proofs import BODY, proofs
from validator.loops.shape import bridge_to, loop_of
from validator.prove.align import Alignment, given_origins
from validator.prove.encode import constant_term
from validator.prove.encoding import Encoding
from validator.prove.facts.bounded_facts import BoundedFacts
from validator.prove.known_places import KnownPlaces
from validator.prove.matching import Simplify
from validator.prove.memory.chains import Renewed, Stored, links
from validator.prove.obligations import Pair, Place
from validator.prove.pairing import encode_pair, matched
from validator.pypy.printed.kinds.variables import KIND_OF
from validator.verdict import Options

Loop = tuple[Trace, Trace] | None

_LAZY = _FIELD, _ITEM = "setfield_gc", "setarrayitem_gc"
"""The stores that PyPy puts off."""

_WRITES = STORE, Kind.COPY, Kind.RAW_STORE

_SLICES = [STRING_CALLS[f"{kind}slice"] for kind in HIGHEST]
"""The functions whose results PyPy puts off, too: resume data has the string, where the range begins, its length."""


def without_lists(trace: Trace) -> Trace:
    """The trace whose guards do not tell what they hand over."""
    return _with_exits(trace, (replace(exit_of(guard), failargs=None) for guard in trace.guards))


def with_origins(trace: Trace, origins: Iterable[int | None]) -> Trace:
    """The trace whose guards tell these origins. One of the iteration before has no name in a trace."""
    left = iter([None if origin is None or origin < 0 else origin for origin in origins])
    return _with_exits(trace, (replace(exit_of(guard), origin=next(left, None)) for guard in trace.guards))


def _with_exits(trace: Trace, exits: Iterable[Exit]) -> Trace:
    left = iter(exits)
    return replace(
        trace, ops=tuple(op if op.exit is None else replace(op, exit=next(left, op.exit)) for op in trace.ops)
    )


@immutable
class Resumed:
    """An optimized trace, and the loop that it jumps to, in whose exit blocks resume data stores to these memories.
    `is_open`: it has to at some guard, if the pair is right; `is_needed`: it does, and memory differs without that."""

    after: Trace
    loop: Loop
    memories: tuple[str, ...]
    is_open: bool
    is_needed: bool = False


def with_resume_data(before: Trace, after: Trace, loop: Loop, options: Options) -> Resumed:
    """The pair with exit blocks. A guard at which resume data cannot do what it has to comes from another one: that of
    the one in front, whose resume data it may share, or a later one that asks the same."""
    asked = replace(options, effort=0, timeout_s=0.0, notes=True, runs=True, simplify=True)
    return _with_resume_data(before, after, loop, asked)


@lru_cache(maxsize=3)  # up to three texts of a pair are tried, with several efforts
def _with_resume_data(before: Trace, after: Trace, loop: Loop, options: Options) -> Resumed:
    try:
        one, other = straight(before, after, loop, options)
        resume = _ResumeData(one, other, options)
        origins = Alignment(resume.pair.before, resume.pair.after, given_origins(one, other)).best() or []
    except Unsupported:  # though its proofs are not: they begin with other origins, and may stand in for strings
        return Resumed(without_lists(after), loop, (), is_open=True)
    first = 0 if loop is None else len(loop[1].guards) + len(after.guards) - len(other.guards)
    exits = [exit_of(guard) for guard in (*after.guards, *(loop[1].guards[first:] if loop else ()))]
    last: int | None = None
    for j, (own, origin) in enumerate(zip(exits, origins, strict=False)):
        exits[j] = replace(own, failargs=None)
        for choice in () if origin is None else resume.choices(j, last, origin):
            block = resume.block(j, choice, own.failargs or ())
            named = None if own.origin is None else own.origin + choice - (origin or 0)
            if block is not None and (choice == origin or (named is not None and named >= 0)):
                exits[j], origin = Exit(None, named, block), choice
                break
        last = origin
    if loop is not None:
        ahead = map(exit_of, loop[1].guards[:first])
        loop = loop[0], _with_exits(loop[1], (*ahead, *exits[len(after.guards) :]))
    memories, is_needed = tuple(resume.memories), bool(resume.memories) and resume.differs
    return Resumed(_with_exits(after, exits), loop, memories, resume.is_open, is_needed)


def not_computed(before: Trace, after: Trace, options: Options, numbers: Iterable[int]) -> list[int]:
    """The guards of the optimized trace, of these, which name their origins, that may hand over what the recorded trace
    has not computed by then."""
    one, other = straight(before, after, None, options)
    choices = given_origins(one, other)
    try:
        resume = _ResumeData(one, other, options)
    except Unsupported:
        return [*numbers]
    return [number for number in numbers if len(choices[number]) != 1 or not resume.has(number, choices[number][0])]


def straight(before: Trace, after: Trace, loop: Loop, options: Options) -> tuple[Trace, Trace]:
    """The pair; of a loop, what leads to the body, and the body."""
    if loop is None and inner_label(after) is None:
        return before, after
    shape = loop_of(before, after) if loop is None else bridge_to(loop, before, after)
    body = next(proof for proof in proofs(shape, options) if proof.name == BODY)
    return body.before, body.after


def may_share(trace: Trace, number: int) -> bool:
    """Does the guard of that number hand over what the one in front does, with neither store nor call between? Then
    PyPy's optimizer has them share resume data (`emit_guard_operation` in optimizer.py)."""
    at = [place for place, op in enumerate(trace.ops) if op.exit is not None][number - 1 : number + 1]
    between = [op for op in trace.ops[at[0] + 1 : at[1]] if ConstClass(KIND_OF) not in op.args]
    one, other = (exit_of(trace.ops[place]).failargs for place in at)
    return one == other and not any(op.op.kind in _WRITES or op.op.is_call for op in between)


class _ResumeData:
    """The resume data of a pair of straight traces, as far as it stores, to these `memories`; `is_open` as in
    `Resumed`. `differs`: memory does at a side exit without that."""

    def __init__(self, before: Trace, after: Trace, options: Options) -> None:
        self.layout = layout_of(before, after)
        self.pair = pair = matched(encode_pair(before, after, self.layout, options))
        self._known, self._facts = KnownPlaces(pair.before, pair.after, pair.terms), BoundedFacts(pair.terms)
        self.memories: dict[str, None] = {}
        self.is_open = self.differs = False
        self.names = map("resumed{}".format, count())
        self.recorded, self.optimized = _allocations(pair.before), _allocations(pair.after)
        self.stored = list(_stores(pair.before))
        args = [arg for trace in (pair.before.trace, pair.after.trace) for op in trace.ops for arg in op.args]
        constants = [arg for arg in args if isinstance(arg, ConstInt | ConstRef | ConstFloat)]
        self.constants = {constant_term(pair.terms, constant): constant for constant in constants}

    def choices(self, number: int, last: int | None, origin: int) -> Iterator[int]:
        """The recorded guards that the guard of that number may come from, if resume data has to store at this one:
        this itself, that of the `last` one in front, if it may share its resume data, and later ones that ask the same,
        behind as many events, at which it has not to."""
        if not _pending(self.pair, number, origin):
            return
        self.is_open = True
        self.differs = self.differs or self._differs(number, origin)
        guard = self.pair.after.guards[number]
        yield origin
        if last is not None and may_share(self.pair.after.trace, number):
            yield last
        for k, recorded in enumerate(self.pair.before.guards[origin + 1 :], origin + 1):
            is_behind_as_many = recorded.events == guard.events
            if is_behind_as_many and recorded.passes is guard.passes and not _pending(self.pair, number, k):
                yield k

    def _differs(self, number: int, origin: int) -> bool:
        """Does memory differ for sure where the guard of that number fails, if it comes from that one?"""
        for one in self.pair.handed_over(number, origin):
            facts = self._known.at(one.place, one.given)
            if not facts.contradiction and facts.rebuild(one.claim) is self.pair.terms.false:
                return True
        return False

    def simplification(self, number: int, origin: int, given: tuple[Term, ...] = ()) -> Simplify:
        """The simplification of terms where the guard of that number is come to, if it comes from that one, and these
        hold; until another one is asked for."""
        place = Place(origin, number, self.pair.after.guards[number].events)
        self._facts.follow(self._known.at(place, given))
        return self._facts.rebuild

    def has(self, number: int, origin: int) -> bool:
        """Has the recorded trace by that guard computed all that the guard of that number hands over? It may be the
        length of what that has made, a range of a string, say; and what the guard asks about may be what that has
        computed where the guard fails alone."""
        before, guard = self.pair.before, self.pair.after.guards[number]
        ahead = before.trace.ops[: before.guards[origin].number]
        names = [*before.trace.inputs, *(op.result for op in ahead if op.result)]
        lengths = [made.value.length for made in before.guards[origin].heap.allocations if made.value.length]
        computed = *(before.values[var.name] for var in names), *lengths

        def others(terms: Iterable[Term], among: Iterable[Term], *given: Term) -> set[Term]:
            simplify = self.simplification(number, origin, given)
            known = {*map(simplify, among)}
            return {term for term in terms if simplify(term) not in known}

        unknown = others(filter(None, guard.failargs or ()), (*self.constants, *computed))
        asked = {_term(self.pair.after, arg) for arg in guard.operation.args}
        return unknown <= asked and not others(unknown, computed, self.pair.terms.not_(guard.passes))

    def block(self, number: int, origin: int, handed: Sequence[Value | None]) -> tuple[Operation, ...] | None:
        """The exit block of the guard of that number, which hands these values over; None where there can be none."""
        block = _Block(self, number, origin, handed)
        try:
            done = block.done()
        except _CannotBe:
            return None
        self.memories |= {written_name(slot.key): None for slot, _, _ in block.pending}
        return done


def _allocations(encoding: Encoding) -> dict[Term, Operation]:
    operations = all_operations(encoding.trace)
    return {alloc: operations[number] for number, alloc in encoding.made.items()}


@immutable
class _Store:
    """A store, in terms, behind so many guards and events."""

    slot: Field
    object: Term
    index: Term | None
    value: Term
    guards: int
    events: int


def _stores(encoding: Encoding) -> Iterator[_Store]:
    """The stores of the trace to objects."""
    terms, guards, events = encoding.heap.terms, 0, 0
    for op in encoding.trace.ops:
        if op.op.name in _LAZY:
            slot = slot_of(terms.layout.descr_of(op))
            p, *index, value = (_term(encoding, arg) for arg in op.args)
            assert slot is not None
            yield _Store(slot, p, index[0] if index else None, value, guards, events)
        guards += op.exit is not None
        events += events < len(encoding.events) and op == encoding.events[events].operation


def _term(encoding: Encoding, value: Value) -> Term:
    return encoding.values[value.name] if isinstance(value, Var) else constant_term(encoding.heap.terms, value)


_Place = tuple[Field, Term, Term | None]


def _pending(pair: Pair, number: int, origin: int, simplify: Simplify = lambda term: term) -> dict[_Place, Stored]:
    """The last stores to objects that are there of objects that the optimized trace has not made, by their places."""
    wanted, got = pair.before.guards[origin].heap, pair.after.guards[number].heap
    virtual = {*wanted.allocations} - {*got.allocations}
    found: dict[_Place, Stored] = {}
    for slot in pair.memory.slots.values() if virtual else ():
        if slot.type is REF and slot.kind is MemoryKind.OBJECTS and wanted.chain(slot) is not got.chain(slot):
            for link in takewhile(lambda link: not isinstance(link, Renewed), links(wanted.chain(slot))):
                if isinstance(link, Stored):
                    found.setdefault((slot, simplify(link.object), link.index and simplify(link.index)), link)
    return {place: link for place, link in found.items() if simplify(link.value) in virtual and place[1] not in virtual}


class _CannotBe(Exception):
    """Resume data cannot do a store, or it is not known how."""


class _Block:
    """The exit block of the guard of that number, behind which memory is as it is at the origin."""

    def __init__(self, resume: _ResumeData, number: int, origin: int, handed: Sequence[Value | None]) -> None:
        pair, guard, simplify = resume.pair, resume.pair.after.guards[number], resume.simplification(number, origin)
        self._resume, self._origin, self._simplify = resume, origin, simplify
        self._wanted, self._got = pair.before.guards[origin].heap, guard.heap
        self._ops: list[Operation] = []
        self.pending = _pending(pair, number, origin, simplify)
        handed_over = zip(guard.failargs or (), handed, strict=True)
        values = [*((term, value) for term, value in handed_over if term and value), *resume.constants.items()]
        self._known: dict[Term, Value] = {simplify(term): value for term, value in values}

    def done(self) -> tuple[Operation, ...]:
        """The block. Resume data stores to constant indices alone, to one object at a time in each field, and takes no
        store back. An object is virtual, and not another name of one that is made, if all that are made alike are
        recorded ones. Raises _CannotBe."""
        if len({(slot, index) for slot, _, index in self.pending}) < len(self.pending):
            raise _CannotBe
        for (slot, p, index), link in self.pending.items():
            if not self._was_there(slot, p, index, link) or _row(slot, index).name not in _LAZY:
                raise _CannotBe
            self._store(self._value(p), slot, index, self._simplify(link.value))
        made = {_kind(op) for op in self._ops if op.op.kind is NEW}
        strangers = {*self._got.allocations} - {*self._wanted.allocations}
        if any(_kind(self._resume.optimized[one]) in made for one in strangers):
            raise _CannotBe
        return tuple(self._ops)

    def _was_there(self, slot: Field, p: Term, index: Term | None, link: Stored) -> bool:
        """Does the optimized trace have in that place what the recorded one had there in front of the store, be it that
        this has stored to other objects since, which may be the same?"""
        chain = [*takewhile(lambda one: not isinstance(one, Renewed), links(link))]
        since = next((one.event + 1 for one in links(link) if isinstance(one, Renewed)), 0)
        had = [self._wanted.reader.read(slot, one.below, p, index) for one in chain]
        held = self._simplify(self._got.read(p, slot, index))
        return held in map(self._simplify, (*had, *self._stored(slot, p, index, since)))

    def _stored(self, slot: Field, p: Term, index: Term | None, since: int) -> list[Term]:
        """The values of the recorded trace's stores to that place, behind so many events; each as it is there at the
        origin, if this store is the last one to the place by that name."""
        terms, simplify, stored = self._wanted.terms, self._simplify, list[Term]()
        for one in self._resume.stored:
            if one.guards <= self._origin and one.events >= since and one.slot == slot:
                if simplify(one.object) is p and (one.index and simplify(one.index)) is index:
                    stored.append(one.value)
                elif index is None:
                    stored = [terms.choose(terms.same(one.object, p), one.value, value) for value in stored]
        return stored

    def _value(self, term: Term) -> Value:
        if term not in self._known and term in self._resume.recorded and term not in self._got.allocations:
            made = meant(self._resume.recorded[term], self._resume.layout)
            if made.op in _SLICES:
                self._make_slice(term, *made.args[:2])
            else:
                self._make(term)
        if term not in self._known:
            raise _CannotBe
        return self._known[term]

    def _make(self, alloc: Term) -> None:
        heap, length = self._wanted, alloc.value.length
        self._known[alloc] = made = Var(next(self._resume.names), REF)
        size = None if length is None else _number(length)
        self._ops.append(replace(self._resume.recorded[alloc], args=(size,) if size else (), result=made))
        for slot in heap.memory.slots.values():
            if any(not isinstance(one, Renewed) and one.object is alloc for one in links(heap.chain(slot))):
                for index in [None] if size is None else map(heap.terms.const, range(size.value)):
                    if heap.is_set(alloc, slot, index) is heap.terms.true:
                        self._store(made, slot, index, self._simplify(heap.read(alloc, slot, index)))

    def _make_slice(self, alloc: Term, source: Value, start: Value) -> None:
        """Makes a string of a range of another one, as long as the recorded trace has it."""
        kind, encoding = alloc.value.type.name, self._resume.pair.before
        terms = (_term(encoding, source), _term(encoding, start), alloc.value.length)
        p, at, count = (self._value(self._simplify(term)) for term in terms)
        self._known[alloc] = made = Var(next(self._resume.names), REF)
        self._ops.append(Operation(OPS[f"new{kind}"], (count,), made))
        self._ops.append(Operation(OPS[f"copy{kind}content"], (p, made, at, ConstInt(0), count)))

    def _store(self, to: Value, slot: Field, index: Term | None, value: Term) -> None:
        at = () if index is None else (_number(index),)
        self._ops.append(
            Operation(_row(slot, index), (to, *at, self._value(value)), None, None, written_name(slot.key))
        )


def _number(term: Term) -> ConstInt:
    if term.kind != "const":
        raise _CannotBe
    return ConstInt(term.value)


def _row(slot: Field, index: Term | None) -> Op:
    """The operation that stores to that memory."""
    if slot.owner in HIGHEST:
        raise _CannotBe
    return OPS[_FIELD if index is None else _ITEM if slot.key.endswith(ITEMS) else "setinteriorfield_gc"]


def _kind(allocation: Operation) -> tuple[str, str]:
    """The kind of an object, as far as a log tells it."""
    return allocation.op.name, str(allocation.descr).partition(" $")[0]
