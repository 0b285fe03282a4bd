"""Results of functions on strings are taken from what is known of their arguments, and are not computed twice.

    [p0, i1, i2]                                      [p0, i1, i2]
    p3 = call_r(f, p0, 2, i1, descr=strslice)         i6 = int_sub(i1, 2)
    i4 = strlen(p3)                                   i8 = int_add(i2, 2)
    i5 = strgetitem(p3, i2)                       =>  i5 = strgetitem(p0, i8)
    i6 = call_i(g, "ab", "ac", descr=strequal)        jump(i6, i5, 0)
    jump(i4, i5, i6)

The same comparison, or hash, is made once. All of that holds until one of the strings is changed. A call that copies no
items of an array goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from optimizer.facts.aliasing import apart, distinct
from optimizer.facts.conditions import NULL, Length
from optimizer.facts.conditions import meant as computed
from optimizer.facts.facts import Facts
from optimizer.ir.rows.ops import OPS, Kind, Op, Type
from optimizer.ir.rows.row import COPY, EVENT, INT, LOAD, NEW, PURE, REF, SCAN, STORE
from optimizer.ir.text.string_text import HIGHEST, is_text, read_text
from optimizer.ir.trace import ConstInt, ConstRef, Operation, Value, Var
from optimizer.ir.types.calls import EVENT_ROLES, call_of
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Field
from optimizer.ir.types.memory_cells import takes_object
from optimizer.riders import Answer, Becomes, Equal, Needless, Pass, Through

_ZERO, _ONE = ConstInt(0), ConstInt(1)
Said = tuple[Op, tuple[Value, ...]]
"""A string made, a comparison or a hash, by its row and its arguments."""


@dataclass(slots=True)
class _Asked:
    """One question: how it is answered, over the facts and its arguments."""

    facts: Facts
    slot: Field
    why: str

    def items(self, value: Value) -> tuple[int, ...] | None:
        """The items of a constant."""
        text = value.text if isinstance(value, ConstRef) else ""
        return read_text(text)[1] if is_text(text) else None

    def length(self, value: Value) -> Value | None:
        """The length of a string that is not NULL, if it is known."""
        found = self.facts.references.about(value).length
        return None if found is None else self.facts.find(found)

    def is_there(self, value: Value) -> bool:
        return self.facts.references.about(value).nonnull

    def no(self) -> Answer:
        return Equal(_ZERO, self.why)

    def item(self, string: Value, index: Value, char: Value) -> Answer:
        """Is that the item, which is there?"""
        return self._behind(LOAD, (string, index), "int_eq", char)

    def is_empty(self, string: Value) -> Answer:
        known = self.length(string)
        if known is not None:
            return Becomes(OPS["int_is_zero"], (known,), self.why)
        return self._behind(PURE, (string,), "int_is_zero")

    def _behind(self, kind: Kind, args: tuple[Value, ...], test: str, *others: Value) -> Answer:
        """The test of that name of what an operation of strings gives, which is put out ahead."""
        owner, result = self.slot.owner, self.facts.fresh(INT)
        row = next(one for one in OPS.values() if one.kind is kind and one.memory and one.memory.on == owner)
        return Through(Operation(row, args, result), Becomes(OPS[test], (result, *others), self.why))


def _equal(asked: _Asked, p: Value, q: Value) -> Answer | None:
    if p == q:
        return Equal(_ONE, asked.why)
    if NULL in (p, q):
        return asked.no() if asked.is_there(q if p == NULL else p) else None
    mine, theirs = asked.items(p), asked.items(q)
    if mine is not None and theirs is not None:
        return Equal(ConstInt(int(mine == theirs)), asked.why)
    lengths = asked.length(p), asked.length(q)
    if lengths[0] is not None and lengths[1] is not None and apart(asked.facts, lengths[0], lengths[1]):
        return asked.no()
    items, other = (mine, q) if mine is not None else (theirs, p)
    if items is None or not asked.is_there(other):
        return None
    if not items:
        return asked.is_empty(other)
    if len(items) == 1 and asked.length(other) == _ONE:
        return asked.item(other, _ZERO, ConstInt(items[0]))
    return None


def _equal_slice(asked: _Asked, p: Value, i: Value, n: Value, q: Value) -> Answer | None:
    if q == NULL:
        return asked.no()
    mine, theirs, length = asked.items(p), asked.items(q), asked.length(q)
    if length is not None and apart(asked.facts, n, length):
        return asked.no()
    if theirs == ():
        return Becomes(OPS["int_is_zero"], (n,), asked.why)
    if mine is not None and theirs is not None and isinstance(i, ConstInt) and isinstance(n, ConstInt):
        return Equal(ConstInt(int(mine[i.value : i.value + n.value] == theirs)), asked.why)
    return asked.item(p, i, ConstInt(theirs[0])) if theirs is not None and len(theirs) == 1 and n == _ONE else None


def _equal_slice_char(asked: _Asked, p: Value, i: Value, n: Value, c: Value) -> Answer | None:
    if apart(asked.facts, n, _ONE):
        return asked.no()
    return asked.item(p, i, c) if n == _ONE else None


def _equal_char(asked: _Asked, p: Value, c: Value) -> Answer | None:
    length = asked.length(p)
    if p == NULL or (length is not None and apart(asked.facts, length, _ONE)):
        return asked.no()
    return asked.item(p, _ZERO, c) if length == _ONE else None


_BY_ARGUMENTS: dict[tuple[Type, ...], Callable[..., Answer | None]] = {
    (REF, REF): _equal,
    (REF, INT, INT, REF): _equal_slice,
    (REF, INT, INT, INT): _equal_slice_char,
    (REF, INT): _equal_char,
}
"""Comparisons by what they take: in which case one is undefined does not matter here."""


class Strings(Pass):
    name = "strings"
    kinds = frozenset({EVENT, SCAN, COPY, PURE, LOAD})
    learned = frozenset({STORE, Kind.RAW_STORE, COPY, EVENT, SCAN})

    @staticmethod
    def knows(row: Op) -> bool:
        return (row.kind is not PURE and row.kind is not LOAD) or (row.memory is not None and row.memory.on is not None)

    def __init__(self) -> None:
        self._made: dict[Value, Said] = {}  # new strings
        self._told: dict[Said, Var] = {}  # comparisons and hashes

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        kind = operation.op.kind
        if kind is LOAD or kind is PURE:
            made = self._made.get(operation.args[0]) if self._made and operation.args else None
            if made is None or operation.op.memory is None or operation.op.memory.on is None:
                return None
            return _length_of(made, operation, facts) if kind is PURE else _item_of(made, operation, facts)
        known = meant(operation, facts.layout)
        if known.op.kind is COPY and known.args[-1] == _ZERO:
            return Needless("empty_copy")
        return self._scan(known, facts) if known.op.kind is SCAN else None

    def _scan(self, known: Operation, facts: Facts) -> Answer | None:
        told = self._told.get(_said(known))
        if told is not None:
            return Equal(facts.find(told), "same_comparison")
        slot = facts.layout.descr_of(known)
        assert isinstance(slot, Field)
        answer = _BY_ARGUMENTS.get(known.op.args or ())
        return None if answer is None else answer(_Asked(facts, slot, "known_comparison"), *known.args)

    # Learning.

    def learn(self, operation: Operation, facts: Facts) -> None:
        kind = operation.op.kind
        if kind is not EVENT and kind is not SCAN:
            if (self._made or self._told) and _may_change_string(operation, facts):
                self._changed(operation.args[kind is COPY], facts)
            return
        known = meant(operation, facts.layout)
        if known.op.kind is EVENT:
            self._happened(operation, facts)
        elif known.op.kind is SCAN and known.result is not None:
            self._told[_said(known)] = known.result
        elif known.op.kind is NEW and known.result is not None:
            self._made[known.result] = known.op, known.args

    def _changed(self, string: Value, facts: Facts) -> None:
        """Forgets all that depends on the items of a string that may be this one."""

        def stays(values: Sequence[Value]) -> bool:
            return all(value.type is not REF or distinct(facts, value, string) for value in values)

        self._made = {made: said for made, said in self._made.items() if stays((made, *said[1]))}
        self._told = {said: told for said, told in self._told.items() if stays(said[1])}

    def _happened(self, event: Operation, facts: Facts) -> None:
        call = call_of(event, facts.layout)
        if call is None or call.role not in EVENT_ROLES or not (self._made or self._told):
            return

        def stays(row: Op) -> bool:
            slot = facts.layout.descr_of(Operation(row, ()))
            return isinstance(slot, Field) and not call.effects.may_write(slot)

        self._made = {made: said for made, said in self._made.items() if stays(said[0])}
        self._told = {said: told for said, told in self._told.items() if stays(said[0])}


def _may_change_string(operation: Operation, facts: Facts) -> bool:
    """May a store, or a copy, change a string? A store by bytes may change any object."""
    if operation.op.kind is Kind.RAW_STORE:
        return takes_object(operation)
    return operation.op.kind is COPY or facts.cell(operation).slot.owner in HIGHEST


def _said(known: Operation) -> Said:
    """The key of an operation, the same for both orders of the arguments where the order does not matter."""
    row, args = known.op, known.args
    return row, tuple(sorted(args, key=str)) if row.args == (REF, REF) else args


def _length_of(made: Said, operation: Operation, facts: Facts) -> Answer | None:
    if not isinstance(computed(operation), Length):
        return None
    match made[1]:
        case (_, start, stop):
            return Becomes(OPS["int_sub"], (facts.find(stop), facts.find(start)), "known_string_length")
        case (left, right):
            lengths = [facts.references.about(one).length for one in (left, right)]
            if lengths[0] is not None and lengths[1] is not None:
                args = facts.find(lengths[0]), facts.find(lengths[1])
                return Becomes(OPS["int_add"], args, "known_string_length")
    return None


def _item_of(made: Said, load: Operation, facts: Facts) -> Answer | None:
    """The item of a slice or of a concatenation is that of what it was made of."""
    why, index = "item_of_parts", load.args[1]
    match made[1]:
        case (source, start, _):
            shift, source = facts.find(start), facts.find(source)
            if _ZERO in (index, shift):
                return Becomes(load.op, (source, index if shift == _ZERO else shift), why)
            at = facts.fresh(INT)
            return Through(Operation(OPS["int_add"], (index, shift), at), Becomes(load.op, (source, at), why))
        case (left, right):
            length = facts.references.about(left).length
            length = None if length is None else facts.find(length)
            if not isinstance(length, ConstInt) or not isinstance(index, ConstInt):
                return None
            if index.value < length.value:
                return Becomes(load.op, (facts.find(left), index), why)
            return Becomes(load.op, (facts.find(right), ConstInt(index.value - length.value)), why)
    return None
