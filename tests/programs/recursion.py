"""Recursive functions, with and without a memory of their results."""


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def ackermann(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def hanoi(discs: int, source: int, target: int, spare: int) -> int:
    if discs == 0:
        return 0
    moves = hanoi(discs - 1, source, spare, target)
    return moves + 1 + hanoi(discs - 1, spare, target, source)


def ways(amount: int, coins: tuple[int, ...], known: dict[tuple[int, int], int]) -> int:
    if amount == 0:
        return 1
    if amount < 0 or not coins:
        return 0
    key = amount, len(coins)
    if key not in known:
        known[key] = ways(amount - coins[0], coins, known) + ways(amount, coins[1:], known)
    return known[key]


print(fibonacci(17), ackermann(2, 30), hanoi(11, 0, 1, 2), ways(300, (50, 20, 10, 5, 2, 1), {}))
