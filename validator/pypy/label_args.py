"""Arguments of the label of a loop, held against what the recorded loop, or a bridge to it, hands to its start.

The body may use of that what it needs, and list the rest at its guards, which nothing compares. So each value with
which the recorded loop goes round is looked up among what the preamble hands to the label: an argument, or several; a
constant, for which there is none; a new object, in the place of which there is what it holds. It is there, since PyPy
hands on all of it (`make_inputargs` in virtualstate.py). Likewise a bridge: what it hands on where the recorded loop
starts is that argument, that constant, a new object of that kind which holds that.

What else the label takes the preamble has loaded or computed itself. Which values of the recorded loop that is the loop
tells: those that are one in the iteration behind the preamble. Behind a bridge they have to be one, too, but for those
that a guard behind them finds to be one: that does so there as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import immutable
from optimizer.ir.loops import Part
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.trace import ConstFloat, ConstInt, ConstRef, Operation, Trace, Var
from optimizer.ir.types.calls import call_of
from optimizer.ir.types.trace_layout import layout_of
from validator.loops.proofs import BODY, proofs
from validator.loops.shape import Loop, bridge_to, loop_of
from validator.prove.encode import constant_term
from validator.prove.matching import Simplify, knowing_all
from validator.prove.memory.chains import Renewed, Stored, changes
from validator.prove.obligations import Obligation, Pair, Place
from validator.prove.pairing import encode_pair, matched
from validator.pypy.handed import Asking, at_jump, behind_all
from validator.solvers.portfolio import FIRST_EFFORT
from validator.verdict import Options

_DEEP = 4
"""The number of new objects within one another that are looked into."""

Constant = ConstInt | ConstRef | ConstFloat


@immutable
class _Taken:
    """The arguments of the label that a value is."""

    numbers: frozenset[int]


@immutable
class _Virtual:
    """A new object that is none: which one, its type, its length (0: it has none), whether it was cleared, and what has
    been stored to it, by the memory and the index (-1: none)."""

    made: Term
    type_: str
    length: int
    cleared: bool
    held: Mapping[tuple[str, int], _Place]


BY_SIZE = "new objects of one size that hold the same are of one class"

_Place = _Taken | Constant | _Virtual | None
"""Where a value is with which the recorded loop goes round; None: nowhere."""


@immutable
class Doubtful:
    """The arguments of the recorded jump of a bridge that may not be what the optimized one hands to the label in their
    place, the arguments of the label that stand for none of them, and whether new objects were told by their size."""

    wrong: list[int]
    others: frozenset[int]
    goes_by_size: bool = False


def lost_args(before: Trace, after: Trace, options: Options) -> list[int]:
    """The arguments of a recorded loop's jump that the label may not take from the preamble, or not all they hold."""
    try:
        places = _places(loop_of(before, after), options)
    except Unsupported:
        return [0]
    return [number for number, place in enumerate(places) if not _is_whole(place)]


def doubtful_args(loop: tuple[Trace, Trace], before: Trace, after: Trace, options: Options) -> Doubtful:
    """The doubts about what a bridge hands to a label."""
    shape = loop_of(*loop)
    numbers = frozenset(range(len(shape.peeled.body.inputs)))
    try:
        places = _places(shape, options)
        pair = at_jump(before, after, options)
    except Unsupported:
        return Doubtful([0], numbers)
    bridge = _Bridge(pair, knowing_all(pair.before, pair.after), Asking(pair, options))
    wrong = [k for k, place in enumerate(places) if not bridge.has(pair.before.end[k], place)]
    taken = {number for place in places for number in _numbers(place)}
    wrong += [k for k, place in enumerate(places) if not all(map(bridge.keeps_apart, sorted(_numbers(place))))]
    return Doubtful(wrong, numbers - taken, bridge.goes_by_size)


def computed_otherwise(
    loop: tuple[Trace, Trace], before: Trace, after: Trace, numbers: Sequence[int], options: Options
) -> list[int]:
    """The arguments of the label, of these, that may not be what the recorded loop computes behind the bridge where it
    computes, behind the preamble, what that has handed on."""
    try:
        alone, behind = (_Entered(shape, options) for shape in (loop_of(*loop), bridge_to(loop, before, after)))
    except Unsupported:
        return [*numbers]
    simplify = knowing_all(alone.pair.before, alone.pair.after)
    asking, asking_behind = (Asking(one.pair, options) for one in (alone, behind))

    def is_known(number: int) -> bool:
        handed = simplify(alone.handed(number))
        same = [at for at, term in alone.computed() if simplify(term) is handed]
        if handed.kind == "const" or not same:
            # found out by a guard, be it behind what else gives that number; or a quotient, which a call gives there
            same = [at for at in same or alone.quotients() if asking.hold([alone.are_one(number, at)])]
        others = [at for at in same if not asking_behind.hold([behind.are_one(number, at)])]
        return len(others) < len(same) and all(asking.can_fail(alone.are_one(number, at)) for at in others)

    return [number for number in numbers if not is_known(number)]


_Result = tuple[int, bool]
"""The place of an operation in the recorded loop, and whether it is the only character of what that gives."""


class _Entered:
    """A recorded loop behind its first part, and the first part of the optimized side, in front of the body. Raises
    Unsupported."""

    def __init__(self, shape: Loop, options: Options) -> None:
        proof = next(one for one in proofs(shape, options) if one.name == BODY)
        *ops, end = proof.after.ops
        after = proof.after.of([*ops[: len(ops) - len(shape.peeled.body.ops)], end])
        self.pair = encode_pair(proof.before, after, layout_of(proof.before, proof.after), options)
        self._shape, self._ops = shape, proof.before.ops
        self._first = len(self._ops) - 1 - len(shape.recorded.ops)

    def handed(self, number: int) -> Term:
        """The argument of the label that the first part of the optimized side hands over."""
        value = self._shape.first[1].handed_on[number]
        return self.pair.after.values[value.name] if isinstance(value, Var) else constant_term(self.pair.terms, value)

    def computed(self) -> Iterator[tuple[_Result, Term]]:
        """The results of operations of the recorded loop, and of strings of one character that."""
        for at, operation in enumerate(self._ops[self._first : -1]):
            if operation.result is not None:
                term = self.pair.before.values[operation.result.name]
                yield (at, False), term
                if (character := self._character(term)) is not None:
                    yield (at, True), character

    def _character(self, term: Term) -> Term | None:
        """The character of a new string that has but one."""
        if term.kind != "alloc" or term.value.type.name not in HIGHEST or not _is_constant(term.value.length):
            return None
        slot = self.pair.memory.slots.get(f"{term.value.type.name}[]")
        if term.value.length.value != 1 or slot is None:
            return None
        return self.pair.before.heap.read(term, slot, self.pair.terms.const(0))

    def quotients(self) -> Iterator[_Result]:
        """The places in the recorded loop of calls that stand for an operation, as a division."""
        for at, operation in enumerate(self._ops[self._first : -1]):
            site = call_of(operation, self._shape.layout)
            if site is not None and site.meaning is not None:
                yield at, False

    def are_one(self, number: int, result: _Result) -> Obligation:
        """The obligation that the argument is that result, if its operation is come to."""
        ahead, events = self._ops[: self._first + result[0]], 0
        for operation in ahead:
            told = self.pair.before.events
            events += events < len(told) and operation == told[events].operation
        place = Place(sum(one.op.is_guard for one in ahead), len(self._shape.first[1].guards), events)
        computed = dict(self.computed())[result]
        return Obligation("argument", place, self.pair.terms.equal(computed, self.handed(number)))


def _is_whole(place: _Place) -> bool:
    return place is not None and (not isinstance(place, _Virtual) or all(map(_is_whole, place.held.values())))


def _numbers(place: _Place) -> Iterator[int]:
    if isinstance(place, _Taken):
        yield from place.numbers
    elif isinstance(place, _Virtual):
        for inside in place.held.values():
            yield from _numbers(inside)


def _places(shape: Loop, options: Options) -> Sequence[_Place]:
    """The places of all with which the recorded loop goes round, behind the preamble. Raises Unsupported."""
    one, other = (_ended(shape, part) for part in (shape.recorded, shape.peeled.preamble))
    pair = matched(encode_pair(one, other, layout_of(one, other), options))
    simplify = knowing_all(pair.before, pair.after)
    taken: dict[Term, set[int]] = {}
    for number, term in enumerate(pair.after.end):
        taken.setdefault(simplify(term), set()).add(number)
    args = [arg for trace in (one, other) for op in trace.ops for arg in op.args]
    constants: dict[Term, Constant] = {
        constant_term(pair.terms, arg): arg for arg in args if isinstance(arg, ConstInt | ConstRef | ConstFloat)
    }
    constants[pair.terms.null] = ConstRef("NULL")
    in_turn = Asking(pair, options, FIRST_EFFORT), Asking(pair, options)  # most that are one are soon found to be so

    def constant(term: Term) -> Constant | None:
        return ConstInt(term.value) if term.kind == "const" else constants.get(term)

    def found_out(term: Term) -> frozenset[int]:
        equal = [Obligation("argument", behind_all(pair), pair.terms.equal(term, handed)) for handed in pair.after.end]
        return next(filter(None, (frozenset(asking.holding(equal)) for asking in in_turn)), frozenset())

    def place_of(term: Term, depth: int) -> _Place:
        term = simplify(term)
        if term in taken:
            return _Taken(frozenset(taken[term]))
        known = constant(term)
        made = _made(pair, term) if known is None and depth else None
        if made is None:  # it may be a quotient, which a call gives there
            found = found_out(term) if known is None else frozenset()
            return _Taken(found) if found else known
        length, contents = made
        held = {at: place_of(content, depth - 1) for at, content in contents.items()}
        return _Virtual(term, term.value.type.name, length, term.value.cleared, held)

    return [place_of(term, _DEEP) for term in pair.before.end]


def _ended(shape: Loop, part: Part) -> Trace:
    ops = (*part.ops, Operation(OPS["finish"], part.handed_on))
    return Trace(part.inputs, ops, shape.word, shape.lasting)


def _made(pair: Pair, term: Term) -> tuple[int, Mapping[tuple[str, int], Term]] | None:
    """The length of a new object of the recorded trace, and what has been stored to it; None if it is none, or if that
    is not known for certain: if it has been copied to, or given away, or stored to at an index that is not known."""
    heap = pair.before.heap
    if term.kind != "alloc" or heap.is_seen(term):
        return None
    length = term.value.length
    contents: dict[tuple[str, int], Term] = {}
    for slot in pair.memory.slots.values():
        for link in changes(heap.chain(slot)):
            if isinstance(link, Renewed) or pair.terms.same(link.object, term) is pair.terms.false:
                continue
            if not isinstance(link, Stored) or not _is_constant(link.index):
                return None
            at = -1 if link.index is None else link.index.value
            contents.setdefault((slot.key, at), heap.read(term, slot, link.index))
    return (0 if length is None else length.value, contents) if _is_constant(length) else None


def _is_constant(index: Term | None) -> bool:
    return index is None or index.kind == "const"


def _may_be_one(one: str, other: str) -> bool:
    """May these be names of one type? Of a class of which nothing tells the name a log tells how large its objects
    are."""
    sizes = [name.partition(" $")[0] if name.startswith("<SizeDescr") else "" for name in (one, other)]
    return one == other or sizes[0] == sizes[1] != "" or (sizes[0] == "") is not (sizes[1] == "")


@dataclass(slots=True)
class _Bridge:
    """A recorded bridge in front of its jump, and the objects that it has in the place of those of the loop, as far as
    they have been found: each is one object there, too. `goes_by_size`: one is of another type by its name."""

    pair: Pair
    simplify: Simplify
    asking: Asking
    found: dict[Term, Term] = field(default_factory=dict)
    goes_by_size: bool = False

    def has(self, term: Term, place: _Place) -> bool:
        """Is what the bridge hands on in that place?"""
        match place:
            case None:  # who knows what the body takes for it
                return False
            case _Taken(numbers):
                ends = self.pair.after.end
                return self._are([self.pair.terms.equal(term, ends[number]) for number in sorted(numbers)])
            case _Virtual():
                return self._has_made(self.simplify(term), place)
            case constant:
                return self._are([self.pair.terms.equal(term, constant_term(self.pair.terms, constant))])

    def _has_made(self, term: Term, place: _Virtual) -> bool:
        made = _made(self.pair, term)
        if made is None or not _may_be_one(term.value.type.name, place.type_):
            return False
        self.goes_by_size |= term.value.type.name != place.type_
        is_other = term in self.found.values() and self.found.get(place.made) is not term
        if is_other or self.found.setdefault(place.made, term) is not term:
            return False
        own, contents = made
        if (own, term.value.cleared, contents.keys()) != (place.length, place.cleared, place.held.keys()):
            return False
        return all(self.has(contents[at], inside) for at, inside in place.held.items())

    def keeps_apart(self, number: int) -> bool:
        """Is that argument of the label none of the objects that the label does not take as such?"""
        terms, end = self.pair.terms, self.pair.after.end[number]
        return not self.found or self._are([terms.not_(terms.equal(end, term)) for term in self.found.values()])

    def _are(self, claims: Iterable[Term]) -> bool:
        place = behind_all(self.pair)
        return self.asking.hold([Obligation("argument", place, claim) for claim in claims])
