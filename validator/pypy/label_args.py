"""Arguments of the label of a loop that a bridge hands over, held against what the recorded bridge hands to its start.

The body may use of that what it needs, and list the rest at its guards, which nothing compares. So each value with
which the recorded loop goes round is looked up among what the preamble hands to the label: an argument, or several; a
constant, for which there is none; a new object, in the place of which there is what it holds. Likewise a bridge: what
it hands on where the recorded loop starts is that argument, that constant, a new object of that kind which holds that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import immutable
from optimizer.ir.loops import Part
from optimizer.ir.rows.ops import OPS
from optimizer.ir.trace import ConstFloat, ConstInt, ConstRef, Operation, Trace
from optimizer.ir.types.layout import Field
from optimizer.ir.types.trace_layout import layout_of
from validator.loops.shape import Loop, loop_of
from validator.prove.encode import constant_term
from validator.prove.matching import Simplify, knowing_all
from validator.prove.memory.chains import Stored, links
from validator.prove.obligations import Obligation, Pair
from validator.prove.pairing import encode_pair
from validator.pypy.handed import at_jump, behind_all, hold, matched
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
    """A new object that is none: its type, its length (None: it has none), and what it holds at these places."""

    type_: str
    length: Constant | None
    held: tuple[tuple[str, int | None, _Place], ...]


_Place = _Taken | Constant | _Virtual | None
"""Where a value is with which the recorded loop goes round; None: nowhere."""


def doubtful_args(
    loop: tuple[Trace, Trace], before: Trace, after: Trace, options: Options
) -> tuple[list[int], frozenset[int]]:
    """The arguments of the recorded jump of a bridge that may not be what the optimized one hands to the label in their
    place, and the arguments of the label that stand for none of them."""
    shape = loop_of(*loop)
    numbers = frozenset(range(len(shape.peeled.body.inputs)))
    try:
        places = _places(shape, options)
        pair = at_jump(before, after, options)
    except Unsupported:
        return [0], numbers
    simplify = knowing_all(pair.before, pair.after)
    wrong = [k for k, place in enumerate(places) if not _is_there(pair, pair.before.end[k], place, options, simplify)]
    return wrong, numbers - {number for place in places for number in _numbers(place)}


def _numbers(place: _Place) -> Iterator[int]:
    if isinstance(place, _Taken):
        yield from place.numbers
    elif isinstance(place, _Virtual):
        for *_, inside in place.held:
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

    def constant(term: Term) -> Constant | None:
        return ConstInt(term.value) if term.kind == "const" else constants.get(term)

    def place_of(term: Term, depth: int) -> _Place:
        term = simplify(term)
        if term in taken:
            return _Taken(frozenset(taken[term]))
        if (known := constant(term)) is not None or term.kind != "alloc" or not depth:
            return known
        length = term.value.length
        held = tuple(
            (
                slot.key,
                None if index is None else index.value,
                place_of(pair.before.heap.read(term, slot, index), depth - 1),
            )
            for slot, index in _written(pair, term)
        )
        return _Virtual(term.value.type.name, None if length is None else constant(simplify(length)), held)

    return [place_of(term, _DEEP) for term in pair.before.end]


def _ended(shape: Loop, part: Part) -> Trace:
    ops = (*part.ops, Operation(OPS["finish"], part.handed_on))
    return Trace(part.inputs, ops, shape.word, shape.lasting)


def _written(pair: Pair, alloc: Term) -> Iterator[tuple[Field, Term | None]]:
    """The places of a new object to which the recorded trace stores, as far as their indices are constant."""
    for slot in pair.memory.slots.values():
        stores = (link for link in links(pair.before.heap.chain(slot)) if isinstance(link, Stored))
        indices = {link.index for link in stores if link.object is alloc}
        yield from ((slot, index) for index in indices if index is None or index.kind == "const")


def _may_be_one(one: str, other: str) -> bool:
    """May these be names of one type? Of a class of which nothing tells the name a log tells how large its objects
    are."""
    sizes = [name.partition(" $")[0] if name.startswith("<SizeDescr") else "" for name in (one, other)]
    return one == other or sizes[0] == sizes[1] != "" or (sizes[0] == "") is not (sizes[1] == "")


def _is_there(pair: Pair, term: Term, place: _Place, options: Options, simplify: Simplify) -> bool:
    """Is what the recorded bridge hands on in that place?"""
    terms = pair.terms
    match place:
        case None:  # who knows what the body takes for it
            return False
        case _Taken(numbers):
            claims = [terms.equal(term, pair.after.end[number]) for number in sorted(numbers)]
        case _Virtual(type_, length, held):
            found = simplify(term)
            written = {(slot.key, None if at is None else at.value) for slot, at in _written(pair, found)}
            if found.kind != "alloc" or not _may_be_one(found.value.type.name, type_):
                return False
            if written != {(key, index) for key, index, _ in held}:
                return False
            claims = [] if length is None else [terms.equal(found.value.length, constant_term(terms, length))]
            for key, index, inside in held:
                at = None if index is None else terms.const(index)
                content = pair.before.heap.read(found, pair.memory.slots[key], at)
                if not _is_there(pair, content, inside, options, simplify):
                    return False
        case constant:
            claims = [terms.equal(term, constant_term(terms, constant))]
    return hold(pair, [Obligation("argument", behind_all(pair), claim) for claim in claims], options)
