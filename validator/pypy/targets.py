"""The peeled loops of a log to whose inner label bridges jump.

Addresses of labels are used again, as those of guards are: a label is that of the last trace before the bridge that has
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import LogPair, Unpaired
from optimizer.ir.immutable import replace

_LABEL = re.compile(r"\s*(?:\+[0-9]+:\s*)?label\(.*descr=(.+)\)")
_JUMP = re.compile(r"\s*(?:\+[0-9]+:\s*)?jump\(.*descr=(.+)\)")


@dataclass(slots=True)
class Targets:
    """The loops of a log to which bridges jump, by the numbers of their pairs; 0 is that of a trace without a pair, or
    that is not in the log."""

    _targets: dict[int, int] = field(default_factory=dict)
    _last_bridges: dict[int, int] = field(default_factory=dict)
    _labels: dict[str, int | None] = field(default_factory=dict)

    def add(self, item: LogPair | Unpaired) -> None:
        """Takes in the next pair of the log, or a trace without one."""
        section = item.section if isinstance(item, Unpaired) else item.optimized
        if section.is_recorded:
            return
        labels = [found[1] for line in section.lines if (found := _LABEL.match(line))]
        jump = _last_jump(section)
        if isinstance(item, Unpaired):
            self._labels.update(dict.fromkeys(labels, 0))
            return
        if jump is not None and jump not in labels and (target := self._labels.get(jump, 0)) is not None:
            self._targets[item.number] = target
            self._last_bridges[target] = item.number
        self._labels.update(dict.fromkeys(labels[:1]))
        self._labels.update(dict.fromkeys(labels[1:], item.number))

    def given(self, items: Iterable[LogPair | Unpaired]) -> Iterator[LogPair | Unpaired]:
        """The same pairs once more, in order, bridges with the loops to whose inner labels they jump."""
        held: dict[int, LogPair] = {}
        for item in items:
            target = self._targets.get(item.number)
            if isinstance(item, LogPair) and target is not None:
                item = replace(item, target=held.get(target), is_target_lost=target not in held)
            yield item
            if isinstance(item, LogPair) and item.number in self._last_bridges:
                held[item.number] = item
            held = {number: pair for number, pair in held.items() if self._last_bridges[number] > item.number}


def _last_jump(section: Section) -> str | None:
    """The descr of the jump at the end of a trace."""
    jumps = [found[1] for line in section.lines if (found := _JUMP.match(line))]
    return jumps[-1] if jumps else None
