"""Modules of the library: collections, dataclasses, operators, random numbers and dates."""

from collections import Counter, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from datetime import date, timedelta
from operator import itemgetter
from random import Random

Pair = namedtuple("Pair", "key value")


@dataclass(order=True)
class Version:
    major: int
    minor: int


def groups(count: int) -> int:
    by_rest: defaultdict[int, list[int]] = defaultdict(list)
    for i in range(count):
        by_rest[i % 11].append(i)
    recent: OrderedDict[int, int] = OrderedDict()
    for i in range(count):
        recent[i % 13] = i
        if len(recent) > 10:
            recent.popitem(last=False)
    return sum(len(members) for members in by_rest.values()) + len(recent)


def pairs(count: int) -> int:
    total = 0
    for i in range(count):
        pair = Pair(i, i * 2)
        total += pair.value - pair.key
    return total


def newest(count: int) -> Version:
    best = Version(0, 0)
    for i in range(count):
        version = Version(i % 17, i % 23)
        if best < version:
            best = version
    return best


random = Random(5)
day = date(2000, 1, 1)
weekdays = Counter((day + timedelta(days=i)).weekday() for i in range(1500))
rows = sorted(({"id": i, "score": random.randrange(1000)} for i in range(1500)), key=itemgetter("score"))
print(groups(4000), pairs(5000), newest(3000), weekdays[0], rows[0]["score"], random.random() < 1)
