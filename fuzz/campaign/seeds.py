"""Sets of seeds, small even where there are millions."""

from __future__ import annotations

from collections.abc import Iterator

_BLOCK = 256
_FULL = (1 << _BLOCK) - 1


class Seeds:
    """A set of seeds: a mask for each block of neighbours."""

    __slots__ = ("_blocks", "_count")

    def __init__(self) -> None:
        self._blocks: dict[int, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, seed: int) -> bool:
        block, place = divmod(seed, _BLOCK)
        return bool(self._blocks.get(block, 0) >> place & 1)

    def add(self, seed: int) -> bool:
        """Puts it in; False if it was there."""
        block, place = divmod(seed, _BLOCK)
        mask = self._blocks.get(block, 0)
        if mask >> place & 1:
            return False
        added = mask | 1 << place
        self._blocks[block] = _ALL if added == _FULL else added
        self._count += 1
        return True

    def holds(self, first: int, count: int) -> bool:
        """Are so many from the first one on all there?"""
        return all(seed in self for seed in range(first, first + count))

    def runs(self) -> Iterator[range]:
        """The longest ranges of neighbours, in order."""
        first = end = 0
        for block in sorted(self._blocks):
            start, mask = block * _BLOCK, self._blocks[block]
            for low, high in [(0, _BLOCK)] if mask == _FULL else _runs_of(mask):
                if start + low != end:
                    if first < end:
                        yield range(first, end)
                    first = start + low
                end = start + high
        if first < end:
            yield range(first, end)

    @property
    def last(self) -> int:
        """The greatest; there has to be one."""
        block = max(self._blocks)
        return block * _BLOCK + self._blocks[block].bit_length() - 1


def _runs_of(mask: int) -> Iterator[tuple[int, int]]:
    """The places of the first bit of each run of ones, and behind its last one."""
    low = 0
    while mask >> low:
        low += _ones(~(mask >> low))
        high = low + _ones(mask >> low)
        yield low, high
        low = high


def _ones(mask: int) -> int:
    """The number of ones at the low end."""
    return (~mask & mask + 1).bit_length() - 1


_ALL = _FULL  # one object for all full blocks
