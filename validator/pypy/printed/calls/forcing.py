"""Calls that force virtual references which have been finished.

`virtual_ref_finish` tells the object that a virtual reference stands for. Behind it, to force the reference does
nothing and gives that object (`force_virtual` in virtualref.py): PyPy's optimizer leaves the call out where it still
has the reference in hand, with the guards that follow. So is it here, where the optimizer has left calls out.
"""

from __future__ import annotations

from collections.abc import Iterator

from validator.pypy.printed.calls.functions import keeps_off, touches_no_object
from validator.pypy.printed.lines import NULL, Line

_FORCE_VIRTUAL = 120
_ASKS = ("guard_not_forced", "guard_no_exception")
"""The guards behind a call that forces, which pass if it does nothing."""


def without_forcing(recorded: tuple[Line, ...], optimized: tuple[Line, ...]) -> tuple[Line, ...]:
    """The recorded operations without those calls, if the optimizer has left as many out."""
    given = dict(_given(recorded))
    left_out = sum(map(_forces, recorded)) - sum(map(_forces, optimized))
    if len(given) > left_out:
        return recorded
    kept: list[Line] = []
    is_behind = False
    for at, line in enumerate(recorded):
        is_behind = at in given or (is_behind and line.name in _ASKS)
        if at in given:
            kept.append(Line(line.result, "same_as_r", (given[at],), point=line.point))
        elif not is_behind:
            kept.append(line)
    return tuple(kept)


def _forces(line: Line) -> bool:
    return line.oopspec == _FORCE_VIRTUAL


def _given(lines: tuple[Line, ...]) -> Iterator[tuple[int, str]]:
    """The places of the calls that force finished references, and the objects that they give."""
    finished: dict[str, str] = {}
    names: dict[str, str] = {}
    held: dict[tuple[str, tuple[str, ...]], str] = {}
    for at, line in enumerate(lines):
        if line.name == "virtual_ref_finish" and line.args[1] != NULL:
            finished[line.args[0]] = line.args[1]
        elif (found := line.access) and found.is_store:
            held = {key: value for key, value in held.items() if key[0] != found.memory}
            held[found.memory, found.place] = names.get(found.value, found.value)
        elif found and (found.memory, found.place) in held:
            names[found.value] = held[found.memory, found.place]
        elif _forces(line) and (reference := names.get(line.args[1], line.args[1])) in finished:
            yield at, finished[reference]
        elif line.may_write and not touches_no_object(line.function):
            held = {key: value for key, value in held.items() if keeps_off(line.function, key[0])}
