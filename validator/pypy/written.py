"""Objects that are written whole as soon as they are allocated.

A recorded trace stores to all fields of what it allocates, one behind the other. Where each trace of a pair does so,
there is no memory that is not written, and nothing depends on what would be in it.
"""

from __future__ import annotations

import re

from validator.pypy.lines import Line, Printed

ALLOCATIONS = ("new", "new_with_vtable")
_SIZE = re.compile(r"<SizeDescr ([0-9]+)>")
_OFFSET = re.compile(r"<Field[A-Z] .* ([0-9]+)(?: pure)?>")
_WORD = 8


def writes_whole_objects(printed: Printed) -> bool:
    """Is each word of each object stored to before anything else is done? Arrays are no objects here. Where there are
    fields within words, that is not known."""
    found = (_OFFSET.fullmatch(line.descr) for line in printed.lines)
    if any(int(field[1]) % _WORD for field in found if field):
        return False
    return all(
        _is_written(line, printed.lines[place + 1 :])
        for place, line in enumerate(printed.lines)
        if line.name in ALLOCATIONS
    )


def _is_written(allocation: Line, behind: tuple[Line, ...]) -> bool:
    size = _SIZE.fullmatch(allocation.descr)
    if size is None:  # a virtual reference, to which `plain` adds its stores
        return True
    left = {*range(_WORD if allocation.name == "new_with_vtable" else 0, int(size[1]), _WORD)}
    for line in behind:
        if not left:
            break
        is_new = line.name in ALLOCATIONS
        if not is_new and (line.name != "setfield_gc" or (found := _OFFSET.fullmatch(line.descr)) is None):
            return False
        if not is_new and line.args[0] == allocation.result:
            assert found is not None
            left.discard(int(found[1]))
    return not left
