"""Packed memory: arrays, bytearrays, memory views and structs."""

from array import array
from struct import pack, unpack_from


def blur(pixels: bytearray, width: int) -> int:
    total = 0
    for i in range(width, len(pixels) - width):
        value = (pixels[i - 1] + pixels[i + 1] + pixels[i - width] + pixels[i + width]) >> 2
        pixels[i] = value
        total += value
    return total


def prefix(values: "array[int]") -> int:
    for i in range(1, len(values)):
        values[i] = (values[i] + values[i - 1]) % 30011
    return values[-1]


def mix(values: "array[float]") -> float:
    total = 0.0
    for i in range(len(values)):
        values[i] = values[i] * 0.5 + total
        total = values[i] % 97.0
    return total


def records(count: int) -> int:
    data = b"".join(pack("<ih", i * 1000, i % 300) for i in range(count))
    total = 0
    for i in range(count):
        number, small = unpack_from("<ih", data, i * 6)
        total += number % 1001 + small
    return total


view = memoryview(bytearray(range(256)) * 10)
print(
    blur(bytearray(i * 31 % 256 for i in range(4000)), 40),
    prefix(array("i", range(4000))),
    round(mix(array("d", range(4000))), 3),
    records(1500),
    sum(view[i] for i in range(len(view))),
)
