"""A second statement of the bytes of objects, in other words: a strip of paper for each object, written in base 256."""

from __future__ import annotations

from dataclasses import dataclass, field


class Nobody(Exception):
    """Nobody says what is there."""


@dataclass
class Strips:
    """What is written at which place of which object; `old` objects are blank where nothing is."""

    word: int
    old: set[str]
    numbers: dict[str, dict[int, int]] = field(default_factory=dict)
    objects: dict[str, dict[int, str | None]] = field(default_factory=dict)

    def read(self, name: str, place: int, size: int) -> int:
        strip, total = self.numbers.get(name, {}), 0
        for k in reversed(range(abs(size))):
            if place + k not in strip and name not in self.old:
                raise Nobody
            total = total * 256 + strip.get(place + k, 0)
        has_sign = size < 0 or 8 * abs(size) == self.word
        return total - 256 ** abs(size) if has_sign and total * 2 >= 256 ** abs(size) else total

    def write(self, name: str, place: int, size: int, number: int) -> None:
        strip, rest = self.numbers.setdefault(name, {}), number
        for k in range(size):
            rest, strip[place + k] = divmod(rest, 256)

    def read_object(self, name: str, place: int) -> str | None:
        if place not in self.objects.get(name, {}) and name not in self.old:
            raise Nobody
        return self.objects.get(name, {}).get(place)

    def write_object(self, name: str, place: int, held: str | None) -> None:
        self.objects.setdefault(name, {})[place] = held
