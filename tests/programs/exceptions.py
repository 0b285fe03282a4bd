"""Exceptions that are raised, caught, chained and cleaned up after."""


class Odd(Exception):
    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value


def half(n: int) -> int:
    if n % 2:
        raise Odd(n)
    return n // 2


def halves(count: int) -> int:
    total = 0
    for i in range(count):
        try:
            total += half(i)
        except Odd as odd:
            total -= odd.value
        finally:
            total += 1
    return total


def lookups(count: int) -> int:
    table, found = {i: i * i for i in range(0, 100, 3)}, 0
    for i in range(count):
        try:
            found += table[i % 100]
        except KeyError:
            found += 1
    return found


def parse(words: list[str]) -> int:
    total = 0
    for word in words:
        try:
            total += int(word)
        except ValueError:
            total += len(word)
    return total


class Resource:
    def __init__(self) -> None:
        self.opened = 0

    def __enter__(self) -> "Resource":
        self.opened += 1
        return self

    def __exit__(self, kind, value, traceback) -> bool:
        self.opened -= 1
        return kind is ZeroDivisionError


def guarded(count: int) -> int:
    resource, total = Resource(), 0
    for i in range(count):
        with resource:
            total += 100 // (i % 7)
    return total + resource.opened


print(halves(6000), lookups(4000), parse(["12", "x", "345", "yes"] * 1000), guarded(4000))
