"""Changes to declarations: what nothing needs goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from functools import partial
from itertools import chain
from typing import Any

from fuzz.edits.edit import Declare
from fuzz.edits.walk import each
from fuzz.reduce.candidate import Candidate, with_told_state
from fuzz.reduce.structure import Change
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Operation
from optimizer.ir.types.declaration_rules import find_problems
from optimizer.ir.types.declared import Declarations, Descr
from optimizer.ir.types.memory_types import Field

Rewrite = Callable[[Any], Any]
"""A rewriting of all declarations, or of an entry: a struct, a constant, a call."""


def drop_declarations(candidate: Candidate) -> Iterator[Change]:
    """Changes that leave out all of them, a section, another name for something, an entry, what an entry need not say,
    or one thing of several that it says."""
    yield partial(_declared, rewrite=lambda _: Declarations())
    yield partial(_declared, rewrite=lambda declared: replace(declared, cleared=True))
    for section in _SECTIONS:
        yield partial(_declared, rewrite=partial(replace, **{section: ()}))
    yield from (partial(_spelled_out, descr=descr) for descr in candidate.before.declarations.descrs)
    entries = [(section, one) for section in _SECTIONS for one in getattr(candidate.before.declarations, section)]
    for section, entry in entries:
        yield partial(_declared, rewrite=partial(_of_entry, section=section, name=entry.name, rewrite=lambda _: None))
    for section, entry in entries:
        for rewrite in _plainer(entry):
            yield partial(_declared, rewrite=partial(_of_entry, section=section, name=entry.name, rewrite=rewrite))


_SORT = ("struct", "array", "item", "declared")
"""The attributes that say which sort of thing an entry is."""

_SECTIONS = ("consts", "descrs", "calls", "arrays", "structs")


def _plainer(entry: Any) -> Iterator[Rewrite]:
    """Ways to say less of it: nothing that need not be said, each of these things not, of several all but one, and no
    more of a field than its type."""
    plain = {one.name: one.default for one in fields(entry) if one.default is not MISSING}
    plain = {name: default for name, default in plain.items() if name not in _SORT}
    yield partial(replace, **plain)
    yield from (partial(replace, **{name: plain[name]}) for name in plain if not isinstance(plain[name], tuple))
    several = [getattr(entry, name) for name in plain if isinstance(plain[name], tuple)]
    yield from (partial(_without, one=one) for one in dict.fromkeys(chain(*several)))
    fields_ = [one for one in chain(*several) if isinstance(one, Field) and one != _plain_field(one)]
    yield from (partial(_with_plain, field=one) for one in fields_)


def _without(entry: Any, one: object) -> Any:
    """The entry without one of several things that it says, wherever it does."""
    several = {field.name: getattr(entry, field.name) for field in fields(entry) if isinstance(field.default, tuple)}
    return replace(entry, **{name: tuple(each for each in held if each != one) for name, held in several.items()})


def _plain_field(field: Field) -> Field:
    return replace(field, immutable=False, quasi_immutable=False)


def _with_plain(entry: Any, field: Field) -> Any:
    """The struct or array with that field of its own as one that may change."""
    return replace(entry, fields=tuple(_plain_field(one) if one == field else one for one in entry.fields))


def _spelled_out(candidate: Candidate, descr: Descr) -> Candidate | None:
    """The candidate in which nothing has that other name."""

    def spelled(op: Operation) -> Operation:
        return replace(op, descr=descr.target) if op.descr == descr.name else op

    renamed = candidate.with_traces([each(trace, spelled) for trace in candidate.traces])
    without = partial(_of_entry, section="descrs", name=descr.name, rewrite=lambda _: None)
    return _declared(renamed, without)


def _of_entry(declared: Any, section: str, name: str, rewrite: Rewrite) -> Any:
    """The declarations with that entry rewritten, or without it where that gives None."""
    entries = (rewrite(one) if one.name == name else one for one in getattr(declared, section))
    return replace(declared, **{section: tuple(one for one in entries if one is not None)})


def _declared(candidate: Candidate, rewrite: Rewrite) -> Candidate | None:
    """The candidate with other declarations, if they make sense and the state can be told with them."""
    declared = candidate.before.declarations
    changed = rewrite(declared)
    if changed == declared or next(find_problems(changed), None) is not None:
        return None
    edited = candidate.edited(Declare(declared, changed))
    return with_told_state(edited) if edited is not None and edited.cost < candidate.cost else None
