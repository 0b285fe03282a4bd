"""The kinds of things that happened in a log: operations, rewrites of the optimizer, and guards that bridges start at.

Each is a text, as `operation getfield_gc_i FieldS`, `rewrite int_mul_ovf > int_lshift` or `bridge guard_true`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import LogPair, Unpaired
from optimizer.ir.text.syntax import OPERATION

KINDS = ("operation", "rewrite", "bridge")

_DESCR = re.compile(r"descr=<(\w+)[^>]*?((?: EF=\d+)?(?: OS=\d+)?)>")
_GUARD = re.compile(r"(guard_\w+)\(.*descr=<Guard(?:0x)?([0-9a-f]+)>")
_POSITION = "debug_merge_point"
_UNCOUNTED = ("label", "jump", "guard_future_condition")
_MANY = 3
"""So many different names make a rewrite; what else goes and comes at one bytecode is not told apart."""


def coverage(items: Iterable[LogPair | Unpaired]) -> frozenset[str]:
    """The kinds of things that happened in the pairs of a log."""
    found: set[str] = set()
    guards: dict[str, str] = {}
    for item in items:
        if isinstance(item, Unpaired):
            continue
        found |= {f"operation {name}" for name in _operations(item.recorded)}
        found |= {f"rewrite {what}" for what in _rewrites(item)}
        if item.guard is not None and item.guard in guards:
            found.add(f"bridge {guards[item.guard]}")
        guards |= {guard[2]: guard[1] for line in item.optimized.lines if (guard := _GUARD.search(line))}
    return frozenset(found)


def _operations(section: Section) -> Iterator[str]:
    for line in section.lines:
        if operation := OPERATION.match(line):
            descr = _DESCR.search(line)
            yield f"{operation[2]} {descr[1]}{descr[2]}" if descr else operation[2]


def _rewrites(pair: LogPair) -> Iterator[str]:
    """The names that went and came, bytecode by bytecode: both traces tell the same bytecodes, a peeled loop twice."""
    recorded, optimized = _by_bytecode(pair.recorded), _by_bytecode(pair.optimized)
    for start in range(0, len(optimized), len(recorded)):
        part = optimized[start : start + len(recorded)]
        for before, after in zip_longest(recorded, part, fillvalue=Counter[str]()):
            gone, come = sorted((before - after).keys()), sorted((after - before).keys())
            if come and len(gone) + len(come) <= _MANY:
                yield f"{' '.join(gone)} > {' '.join(come)}"
            elif not come:
                yield from (f"{name} >" for name in gone)


def _by_bytecode(section: Section) -> list[Counter[str]]:
    """The names of the operations of each bytecode; what stands in front of the first one belongs to it."""
    found: list[Counter[str]] = [Counter()]
    for line in section.lines:
        operation = OPERATION.match(line)
        if operation is None or operation[2] in _UNCOUNTED:
            continue
        if operation[2] == _POSITION:
            found.append(Counter())
        else:
            found[-1][operation[2]] += 1
    return found[1:] if len(found) > 1 else found
