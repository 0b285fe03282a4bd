"""Dictionaries and sets with keys that are ints, strings and tuples."""


def count_letters(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    return counts


def walk_grid(steps: int) -> int:
    seen: set[tuple[int, int]] = set()
    x = y = 0
    for i in range(steps):
        x, y = (x + i) % 17, (y + 3 * i) % 13
        seen.add((x, y))
    return len(seen)


def cache(count: int) -> int:
    known: dict[int, int] = {}
    total = 0
    for i in range(count):
        key = i * i % 97
        if key in known:
            total += known[key]
        else:
            known[key] = i
        if i % 500 == 0:
            known.clear()
    return total


def invert(count: int) -> int:
    names = {f"name{i}": i for i in range(50)}
    total = 0
    for i in range(count):
        for value in names.values():
            total += value
        names[f"name{i % 50}"] = i
    return total


print(count_letters("the quick brown fox " * 300)["o"], walk_grid(4000), cache(6000), invert(60))
