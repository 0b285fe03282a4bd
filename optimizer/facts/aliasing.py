"""May two references be one object, may two cells of memory be one cell?

Nothing is told apart by a name that is not declared. What tells objects apart: NULL from objects; a fresh object from
other fresh objects and from all that is older than its escape; different constants; unrelated declared types; lengths,
and contents of an immutable field known at the same time, that cannot be equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimizer.facts.cells import Cell
from optimizer.facts.conditions import NULL, Both, Condition, IsValid, Not, Same
from optimizer.facts.references import About, constant_name
from optimizer.ir.domains.bounds import bounds_domain
from optimizer.ir.domains.ranges import Truth
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import INT
from optimizer.ir.trace import ConstInt, ConstRef, Value

if TYPE_CHECKING:
    from optimizer.facts.facts import Facts

_SUMS = (OPS["int_add"], OPS["int_add_ovf"])


def distinct(facts: Facts, one: Value, other: Value) -> bool:
    """Are these surely two objects, or NULL and an object?"""
    one, other = facts.find(one), facts.find(other)
    if one == other:
        return False
    references = facts.references
    if isinstance(one, ConstRef) or isinstance(other, ConstRef):
        if NULL in (one, other):
            return references.about(other if one == NULL else one).nonnull
        if isinstance(one, ConstRef) and isinstance(other, ConstRef):
            return facts.layout.different_constants(constant_name(one), constant_name(other)) is True
    if references.is_out_of_reach(one, other) or references.is_out_of_reach(other, one):
        return True
    known = references.about(one), references.about(other)
    if not (known[0].nonnull and known[1].nonnull):
        return False
    return _types_differ(facts, *known) or _lengths_differ(facts, *known) or _contents_differ(facts, one, other)


def _types_differ(facts: Facts, one: About, other: About) -> bool:
    if one.isa is None or other.isa is None:
        return False
    if one.vtable is not None and other.vtable is not None:
        return one.isa != other.isa
    below = facts.layout.is_subclass
    exact = (one.vtable is not None and not below(one.isa, other.isa)) or (
        other.vtable is not None and not below(other.isa, one.isa)
    )
    return exact or facts.layout.unrelated(one.isa, other.isa)


def _lengths_differ(facts: Facts, one: About, other: About) -> bool:
    return one.length is not None and other.length is not None and apart(facts, one.length, other.length)


def _contents_differ(facts: Facts, one: Value, other: Value) -> bool:
    common = facts.references.about(one).immutables & facts.references.about(other).immutables
    for key in common:
        content, its = facts.memory.contents_of(key, one), facts.memory.contents_of(key, other)
        if content is not None and its is not None and apart(facts, content, its):
            return True
    return False


def apart(facts: Facts, one: Value, other: Value) -> bool:
    """Can these two machine ints not be equal?"""
    if isinstance(one, ConstInt) and isinstance(other, ConstInt):
        return one.value != other.value
    one, other = facts.find(one), facts.find(other)
    if isinstance(one, ConstInt) and isinstance(other, ConstInt):
        return one.value != other.value
    if one.type is not INT or other.type is not INT or one == other:
        return False
    bounds = facts.bounds.bounds
    if bounds_domain(facts.word).meet(bounds(one), bounds(other)) is None:
        return True
    base, by = sum_of(facts, one)
    its, offset = sum_of(facts, other)
    return base == its and by != offset


def sum_of(facts: Facts, value: Value) -> tuple[Value, int]:
    """The value, and the constant that is added to it, that give this one: itself and 0, if it is no such sum."""
    added = facts.definition(value)
    if added is None or added.op not in _SUMS or not isinstance(added.args[1], ConstInt):
        return value, 0
    return facts.find(added.args[0]), added.args[1].value


def same_cell(facts: Facts, one: Cell, other: Cell) -> Truth:
    """Are these, of one slot, the same cell of memory?"""
    find, has_same_index = facts.find, one.index is other.index
    if one.index is not None and other.index is not None and not has_same_index:
        index, its = find(one.index), find(other.index)
        has_same_index = index == its
        if not has_same_index and apart(facts, index, its):
            return False
    if find(one.object) == find(other.object):
        return has_same_index or None
    return False if distinct(facts, one.object, other.object) else None


def truth(facts: Facts, condition: Condition) -> Truth:
    """Does a condition on references hold here?"""
    if isinstance(condition, Same):
        if facts.find(condition.one) == facts.find(condition.other):
            return True
        return False if distinct(facts, condition.one, condition.other) else None
    if isinstance(condition, Not):
        holds = truth(facts, condition.of)
        return None if holds is None else not holds
    if isinstance(condition, Both):
        both = truth(facts, condition.one), truth(facts, condition.other)
        return False if False in both else None if None in both else True
    if isinstance(condition, IsValid):
        return True if facts.is_valid else None
    return facts.references.truth(condition)
