"""Lists: appending, slicing, sorting, a sieve and matrices."""


def sieve(limit: int) -> int:
    is_prime = [True] * limit
    for i in range(2, limit):
        if is_prime[i]:
            for j in range(i * i, limit, i):
                is_prime[j] = False
    return sum(1 for prime in is_prime[2:] if prime)


def multiply(a: list[list[int]], b: list[list[int]]) -> list[list[int]]:
    size = len(a)
    result = [[0] * size for _ in range(size)]
    for i in range(size):
        for j in range(size):
            total = 0
            for k in range(size):
                total += a[i][k] * b[k][j]
            result[i][j] = total
    return result


def bubble(items: list[int]) -> list[int]:
    items = items[:]
    for end in range(len(items), 1, -1):
        for i in range(1, end):
            if items[i - 1] > items[i]:
                items[i - 1], items[i] = items[i], items[i - 1]
    return items


def mixed(count: int) -> int:
    things: list[object] = []
    for i in range(count):
        things.append(i if i % 3 else str(i))
        if len(things) > 50:
            things.pop()
            things.reverse()
    return len(things)


matrix = [[i * j % 7 for j in range(14)] for i in range(14)]
print(sieve(8000), multiply(matrix, matrix)[3], bubble([i * 37 % 101 for i in range(90)])[:5], mixed(3000))
