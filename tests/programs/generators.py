"""Generators, their pipelines, and iterators written by hand."""

from itertools import islice


def naturals():
    n = 0
    while True:
        yield n
        n += 1


def squares(numbers):
    for n in numbers:
        yield n * n


def pairs(limit: int):
    for a in range(limit):
        for b in range(a):
            yield a, b


def averager():
    total = count = 0
    value = 0
    while True:
        received = yield value
        total += received
        count += 1
        value = total // count


class Countdown:
    def __init__(self, start: int) -> None:
        self.left = start

    def __iter__(self) -> "Countdown":
        return self

    def __next__(self) -> int:
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return self.left


def flatten(tree):
    if isinstance(tree, int):
        yield tree
    else:
        for branch in tree:
            yield from flatten(branch)


average = averager()
next(average)
tree = [[i, [i + 1, [i + 2]]] for i in range(500)]
print(
    sum(islice((x for x in squares(naturals()) if x % 3), 3000)),
    sum(a * b for a, b in pairs(70)),
    [average.send(i) for i in range(3000)][-1],
    sum(Countdown(4000)),
    sum(flatten(tree)),
)
