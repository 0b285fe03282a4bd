"""Sorting with keys, merging, binary search, and permutations."""

from bisect import bisect_left


def merge_sort(items: list[int]) -> list[int]:
    if len(items) < 2:
        return items
    middle = len(items) // 2
    left, right = merge_sort(items[:middle]), merge_sort(items[middle:])
    merged, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


def quick_sort(items: list[int], low: int, high: int) -> None:
    while low < high:
        pivot, i, j = items[(low + high) // 2], low, high
        while i <= j:
            while items[i] < pivot:
                i += 1
            while items[j] > pivot:
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        quick_sort(items, low, j)
        low = i


def permutations(items: list[int], start: int = 0) -> int:
    if start == len(items):
        return items[0] * items[-1]
    total = 0
    for i in range(start, len(items)):
        items[start], items[i] = items[i], items[start]
        total += permutations(items, start + 1)
        items[start], items[i] = items[i], items[start]
    return total


numbers = [i * 7919 % 4093 for i in range(2500)]
other = numbers[:]
quick_sort(other, 0, len(other) - 1)
ranked = sorted(numbers, key=lambda n: (n % 10, -n))
places = sum(bisect_left(other, n) for n in numbers)
print(merge_sort(numbers) == other, ranked[:4], places, permutations([1, 2, 3, 4, 5, 6]))
