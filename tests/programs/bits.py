"""Tricks on bits: population counts, reversals, a random generator, a checksum."""

MASK = (1 << 32) - 1


def population(x: int) -> int:
    count = 0
    while x:
        x &= x - 1
        count += 1
    return count


def reverse(x: int) -> int:
    x = ((x >> 1) & 0x55555555) | ((x & 0x55555555) << 1)
    x = ((x >> 2) & 0x33333333) | ((x & 0x33333333) << 2)
    x = ((x >> 4) & 0x0F0F0F0F) | ((x & 0x0F0F0F0F) << 4)
    x = ((x >> 8) & 0x00FF00FF) | ((x & 0x00FF00FF) << 8)
    return (x >> 16 | x << 16) & MASK


def xorshift(x: int) -> int:
    x ^= (x << 13) & MASK
    x ^= x >> 17
    return x ^ (x << 5) & MASK


def checksum(data: bytes) -> int:
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return b << 16 | a


x, total = 2463534242, 0
for _ in range(5000):
    x = xorshift(x)
    total += population(x) - population(reverse(x) & 0xFFFF)
print(total, checksum(bytes(range(256)) * 40))
