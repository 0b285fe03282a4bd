"""Whole numbers beyond a machine word, and fractions."""

from fractions import Fraction


def factorial(n: int) -> int:
    result = 1
    for i in range(2, n + 1):
        result *= i
    return result


def digits(count: int) -> str:
    result, q, r, t, k, n, odd = [], 1, 0, 1, 1, 3, 3
    while len(result) < count:
        if 4 * q + r - t < n * t:
            result.append(str(n))
            q, r, n = 10 * q, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else:
            digit = (q * (7 * k + 2) + r * odd) // (t * odd)
            q, r, t, n, k, odd = q * k, (2 * q + r) * odd, t * odd, digit, k + 1, odd + 2
    return "".join(result)


def power(base: int, exponent: int, modulus: int) -> int:
    result = 1
    while exponent:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


harmonic = Fraction(0)
for i in range(1, 120):
    harmonic += Fraction(1, i)
total = sum(power(i, (1 << 89) - 3, (1 << 89) - 1) for i in range(2, 40))
print(factorial(1500) % 1000003, digits(120)[-5:], total % 10**9, harmonic.denominator % 10**9)
