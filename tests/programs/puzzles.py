"""Searches: queens on a board, Conway's life, shortest ways in a maze."""

from collections import deque


def queens(size: int, row: int = 0, columns: int = 0, left: int = 0, right: int = 0) -> int:
    if row == size:
        return 1
    found, free = 0, ~(columns | left | right) & ((1 << size) - 1)
    while free:
        bit = free & -free
        free ^= bit
        found += queens(size, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1)
    return found


def life(cells: set[tuple[int, int]], steps: int) -> set[tuple[int, int]]:
    for _ in range(steps):
        near: dict[tuple[int, int], int] = {}
        for x, y in cells:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        near[x + dx, y + dy] = near.get((x + dx, y + dy), 0) + 1
        cells = {cell for cell, count in near.items() if count == 3 or (count == 2 and cell in cells)}
    return cells


def shortest(size: int) -> int:
    start, goal = (0, 0), (size - 1, size - 1)
    distance, queue = {start: 0}, deque([start])
    while queue:
        x, y = queue.popleft()
        if (x, y) == goal:
            break
        for a, b in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)):
            if 0 <= a < size and 0 <= b < size and (a * 5 + b * 3) % 7 and (a, b) not in distance:
                distance[a, b] = distance[x, y] + 1
                queue.append((a, b))
    return distance.get(goal, -1)


print(queens(7), len(life({(1, 0), (2, 1), (0, 2), (1, 2), (2, 2), (7, 7), (7, 8), (8, 7)}, 40)), shortest(40))
