"""Sums, products and remainders of machine ints, some of which overflow into longs."""


def gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def collatz(limit: int) -> int:
    longest = 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        longest = max(longest, steps)
    return longest


def powers(count: int) -> int:
    x, total = 1, 0
    for i in range(count):
        x = x * 3 + i
        if x > 1 << 70:
            x = x % 1000003
        total += x & 0xFF
    return total


print(sum(gcd(a, b) for a in range(1, 60) for b in range(1, 60)), collatz(600), powers(6000))
