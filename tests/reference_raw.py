"""A second statement of raw memory, in other words: a tape of bytes, and sums of their multiples of 256."""

from __future__ import annotations

from dataclasses import dataclass, field

SIZES = {"<ArrayU 1>": 1, "<ArrayS 1>": -1, "<ArrayU 2>": 2, "<ArrayS 2>": -2, "<ArrayU 4>": 4, "<ArrayS 4>": -4}
SIZES |= {"<ArrayS 8>": -8, "<ArrayU 8>": 8, "Small": 1, "Flags": 1, "Short": -2, "small": 1}
DECLARATIONS = """+++
[array.Small]
item = "u8"
[array.Flags]
item = "bool"
[array.Short]
item = "i16"
[array.Words]
item = "int"
[descr]
small = "Small"
+++
"""


def size_of(descr: str, word: int) -> int:
    """How many bytes the descr stands for, negative where they have a sign."""
    return SIZES.get(descr, -(word // 8))


def to_word(number: int, word: int) -> int:
    number %= 2**word
    return number - 2**word if number >= 2 ** (word - 1) else number


@dataclass
class Tape:
    """The bytes that are not 0, by their places on a ring of 2**word of them."""

    word: int
    bytes: dict[int, int] = field(default_factory=dict)

    def read(self, place: int, size: int) -> int:
        ring, count = 2**self.word, abs(size)
        number = sum(self.bytes.get((place + k) % ring, 0) * 256**k for k in range(count))
        if size < 0 and number >= 256**count // 2:
            number -= 256**count
        return to_word(number, self.word)

    def write(self, place: int, size: int, number: int) -> None:
        for k in range(abs(size)):
            self.bytes[(place + k) % 2**self.word] = number // 256**k % 256

    def step(self, name: str, args: list[int], descr: str) -> int | None:
        """Does the operation; gives its result."""
        size = size_of(descr, self.word)
        match name.removesuffix("_i"), args:
            case "raw_load", [base, offset]:
                return self.read(base + offset, size)
            case "raw_store", [base, offset, value]:
                self.write(base + offset, size, value)
            case "getarrayitem_raw", [base, index]:
                return self.read(base + abs(size) * index, size)
            case "setarrayitem_raw", [base, index, value]:
                self.write(base + abs(size) * index, size, value)
            case "gc_load", [base, offset, size]:
                return self.read(base + offset, size)
            case "gc_store", [base, offset, value, size]:
                self.write(base + offset, size, value)
            case "gc_load_indexed", [base, index, scale, offset, size]:
                return self.read(base + index * scale + offset, size)
            case "gc_store_indexed", [base, index, value, scale, offset, size]:
                self.write(base + index * scale + offset, size, value)
            case _:
                raise AssertionError(name)
        return None
