"""Closures, lambdas, default and keyword arguments, functions as values."""

from functools import reduce


def counter(step: int):
    total = 0

    def count(by: int = 1) -> int:
        nonlocal total
        total += by * step
        return total

    return count


def compose(*functions):
    def composed(x: int) -> int:
        for function in functions:
            x = function(x)
        return x

    return composed


def keyed(a: int, *, scale: int = 2, **more: int) -> int:
    return a * scale + more.get("offset", 0)


count = counter(3)
twist = compose(lambda x: x + 1, lambda x: x * 2, count, lambda x: x % 1001)
total = 0
for i in range(4000):
    total += twist(i)
    total -= keyed(i, scale=i & 3, offset=7)
print(total, count(0), reduce(lambda a, b: (a * 31 + b) % 65537, (x ^ 5 for x in range(5000))))
