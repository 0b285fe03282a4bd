"""Changes to declarations: what nothing needs goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from fuzz.reduce.candidate import Candidate
from fuzz.reduce.needed import with_told_state
from fuzz.reduce.structure import Change
from optimizer.ir.immutable import replace
from optimizer.ir.types.declaration_rules import find_problems
from optimizer.ir.types.declared import Call, Declarations, KnownObject
from optimizer.ir.types.memory_types import Array, Field, Struct

Rewrite = Callable[[Declarations], Declarations]


def drop_declarations(candidate: Candidate) -> Iterator[Change]:
    told = candidate.before.declarations
    rewrites: list[Rewrite] = [lambda _: Declarations(), lambda told: replace(told, cleared=True)]
    rewrites += [partial(_without_section, section=section) for section in _SECTIONS]
    for section in _SECTIONS:
        rewrites += [partial(_without_item, section=section, name=one.name) for one in getattr(told, section)]
    for struct in told.structs:
        rewrites.append(partial(_with_structs, old=struct.name, change=_plain_struct))
        rewrites.append(partial(_with_structs, old=struct.name, change=_cleared_struct))
        for field in struct.fields:
            rewrites.append(partial(_with_structs, old=struct.name, change=partial(_without_field, name=field.name)))
            rewrites.append(partial(_with_structs, old=struct.name, change=partial(_plain_field, name=field.name)))
    for array in told.arrays:
        for field in array.fields:
            rewrites.append(partial(_with_array, old=array.name, name=field.name))
    for const in told.consts:
        rewrites.append(partial(_with_const, old=const.name, change=_plain_const))
        for name, _ in const.fields:
            rewrites.append(partial(_with_const, old=const.name, change=partial(_without_value, name=name)))
    for call in told.calls:
        rewrites.append(partial(_with_call, old=call.name, change=_plain_call))
        for name in {*call.reads, *call.writes}:
            rewrites.append(partial(_with_call, old=call.name, change=partial(_without_effect, name=name)))
    for rewrite in rewrites:
        yield partial(_declared, rewrite=rewrite)


_SECTIONS = ("consts", "descrs", "calls", "arrays", "structs")


def _declared(candidate: Candidate, rewrite: Rewrite) -> Candidate | None:
    """With other declarations, if they make sense and the state can be told with them."""
    told = candidate.before.declarations
    changed = rewrite(told)
    if changed == told or next(find_problems(changed), None) is not None:
        return None
    before = replace(candidate.before, declarations=changed)
    after = candidate.after
    if after is not None and after.declarations == told:
        after = replace(after, declarations=changed)
    return with_told_state(replace(candidate, before=before, after=after))


def _without_section(told: Declarations, section: str) -> Declarations:
    without: dict[str, Any] = {section: ()}
    return replace(told, **without)


def _without_item(told: Declarations, section: str, name: str) -> Declarations:
    kept: dict[str, Any] = {section: tuple(one for one in getattr(told, section) if one.name != name)}
    return replace(told, **kept)


def _with_structs(told: Declarations, old: str, change: Callable[[Struct], Struct]) -> Declarations:
    return replace(told, structs=tuple(change(one) if one.name == old else one for one in told.structs))


def _without_field(struct: Struct, name: str) -> Struct:
    return replace(struct, fields=tuple(field for field in struct.fields if field.name != name))


def _plain_field(struct: Struct, name: str) -> Struct:
    def plain(field: Field) -> Field:
        return replace(field, immutable=False, quasi_immutable=False) if field.name == name else field

    return replace(struct, fields=tuple(map(plain, struct.fields)))


def _plain_struct(struct: Struct) -> Struct:
    return replace(struct, parent=None)


def _cleared_struct(struct: Struct) -> Struct:
    return replace(struct, cleared=True)


def _with_array(told: Declarations, old: str, name: str) -> Declarations:
    def changed(array: Array) -> Array:
        fields = tuple(field for field in array.fields if field.name != name)
        return replace(array, fields=fields) if fields else array

    return replace(told, arrays=tuple(changed(one) if one.name == old else one for one in told.arrays))


def _with_const(told: Declarations, old: str, change: Callable[[KnownObject], KnownObject]) -> Declarations:
    return replace(told, consts=tuple(change(one) if one.name == old else one for one in told.consts))


def _without_value(const: KnownObject, name: str) -> KnownObject:
    return replace(const, fields=tuple((one, value) for one, value in const.fields if one != name))


def _plain_const(const: KnownObject) -> KnownObject:
    return KnownObject(const.name, const.struct, const.array)


def _with_call(told: Declarations, old: str, change: Callable[[Call], Call]) -> Declarations:
    return replace(told, calls=tuple(change(one) if one.name == old else one for one in told.calls))


def _without_effect(call: Call, name: str) -> Call:
    reads, writes = (tuple(one for one in names if one != name) for names in (call.reads, call.writes))
    return replace(call, reads=reads, writes=writes)


def _plain_call(call: Call) -> Call:
    return Call(call.name, call.result)
