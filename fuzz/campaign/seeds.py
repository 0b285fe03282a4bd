"""Sets of seeds, small even where there are millions."""

from __future__ import annotations

from collections.abc import Iterator

_BLOCK = 256


class Seeds:
    """A set of seeds: a mask for each block of neighbours."""

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
        if seed in self:
            return False
        block, place = divmod(seed, _BLOCK)
        self._blocks[block] = self._blocks.get(block, 0) | 1 << place
        self._count += 1
        return True

    def holds(self, first: int, count: int) -> bool:
        """Are so many from the first one on all there?"""
        return all(seed in self for seed in range(first, first + count))

    def runs(self) -> Iterator[range]:
        """The longest ranges of neighbours, in order."""
        first = end = 0
        for seed in self._sorted():
            if seed != end:
                if first < end:
                    yield range(first, end)
                first = seed
            end = seed + 1
        if first < end:
            yield range(first, end)

    def _sorted(self) -> Iterator[int]:
        for block in sorted(self._blocks):
            mask = self._blocks[block]
            yield from (block * _BLOCK + place for place in range(mask.bit_length()) if mask >> place & 1)
