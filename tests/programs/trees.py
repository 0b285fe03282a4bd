"""A binary search tree, a linked list and a heap, written in Python."""

from heapq import heappop, heappush


class Node:
    def __init__(self, key: int) -> None:
        self.key = key
        self.left: Node | None = None
        self.right: Node | None = None


def insert(root: "Node | None", key: int) -> Node:
    if root is None:
        return Node(key)
    node = root
    while True:
        if key < node.key:
            if node.left is None:
                node.left = Node(key)
                return root
            node = node.left
        elif key > node.key:
            if node.right is None:
                node.right = Node(key)
                return root
            node = node.right
        else:
            return root


def depth(node: "Node | None") -> int:
    return 0 if node is None else 1 + max(depth(node.left), depth(node.right))


def chain(count: int) -> int:
    head = None
    for i in range(count):
        head = (i, head)
    total = 0
    while head is not None:
        value, head = head
        total += value
    return total


def sort_by_heap(count: int) -> int:
    heap: list[int] = []
    for i in range(count):
        heappush(heap, i * 7919 % 1009)
    total = 0
    while heap:
        total = total * 3 % 65537 + heappop(heap)
    return total


root = None
for i in range(2500):
    root = insert(root, i * 7919 % 2003)
print(depth(root), chain(5000), sort_by_heap(1500))
