"""The rows of memory as the generator sees them: by what can be done with them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from optimizer.ir.rows.ops import FLOAT, INT, OPS, REF, DescrKind, Kind, Op, Role, Type
from optimizer.ir.rows.row import PLACE
from optimizer.ir.text.string_text import HIGHEST

IS_VALID = OPS["guard_not_invalidated"]


@dataclass(frozen=True, slots=True)
class MemoryRows:
    """Loads by what they read and give, stores and allocations by what their descr is."""

    loads: dict[tuple[DescrKind, Type], tuple[Op, ...]]
    stores: dict[DescrKind, tuple[Op, ...]]
    allocations: dict[DescrKind, tuple[Op, ...]]
    lengths: tuple[Op, ...]
    identities: tuple[Op, ...]  # tests of two references
    copies: tuple[Op, ...]  # of one reference
    addresses: tuple[Op, ...]  # of one object
    objects: tuple[Op, ...]  # at an address
    places: tuple[Op, ...]  # addresses behind one, or in an object
    guards: tuple[Op, ...]  # of references
    facts: tuple[Op, ...]
    marks: tuple[Op, ...]  # facts of a field
    events: tuple[Op, ...]
    calls: tuple[Op, ...]  # events that may have a descr
    strings: dict[str, dict[Kind, Op]]  # by the type of strings that they are about


@cache
def memory_rows() -> MemoryRows:
    """The groups, in the order of the table."""
    known = [row for row in OPS.values() if row.memory is not None and row.memory.on is None]
    strings = {
        name: {row.kind: row for row in OPS.values() if row.memory and row.memory.on == name} for name in HIGHEST
    }
    of = {kind: [row for row in known if row.kind is kind] for kind in Kind}
    kinds = {row: row.memory.descr for row in known if row.memory is not None and row.memory.descr is not None}
    events = [row for row in OPS.values() if row.kind is Kind.EVENT and row.has_meaning and row.result is not FLOAT]
    plain = [row for row in of[Kind.PURE] if row not in kinds]
    return MemoryRows(
        loads={
            (kind, type_): tuple(row for row in of[Kind.LOAD] if kinds[row] is kind and row.result is type_)
            for kind in (DescrKind.FIELD, DescrKind.ITEM, DescrKind.INTERIOR)
            for type_ in (INT, REF, FLOAT)
        },
        stores={kind: tuple(row for row in of[Kind.STORE] if kinds[row] is kind) for kind in DescrKind},
        allocations={kind: tuple(row for row in of[Kind.NEW] if kinds[row] is kind) for kind in DescrKind},
        lengths=tuple(row for row in of[Kind.PURE] if kinds.get(row) is DescrKind.ARRAY),
        identities=tuple(row for row in plain if row.args == (REF, REF)),
        copies=tuple(row for row in plain if row.args == (REF,) and row.result is REF),
        addresses=tuple(row for row in plain if row.args == (REF,) and row.result is INT),
        objects=tuple(row for row in plain if row.args == (INT,)),
        places=tuple(row for row in plain if row.args and row.args[0] is PLACE),
        guards=tuple(row for row in of[Kind.GUARD] if row.args and (row.args[0] is REF or row.same_type)),
        facts=tuple(row for row in of[Kind.FACT] if row not in kinds),
        marks=tuple(row for row in of[Kind.FACT] if kinds.get(row) is DescrKind.FIELD),
        events=tuple(row for row in events if not _is_call(row)),
        calls=tuple(row for row in events if kinds.get(row) is DescrKind.CALL and _is_plain(row)),
        strings=strings,
    )


def _is_call(row: Op) -> bool:
    return row.memory is not None and (row.memory.descr is DescrKind.CALL or row.memory.inert)


def _is_plain(row: Op) -> bool:
    """Is it a call that is an event if nothing else is declared?"""
    return row.memory is not None and row.memory.role is Role.EVENT and row.memory.happens is None
