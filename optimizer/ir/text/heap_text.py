"""Heaps as text: what it prints is read back as the same heap, and printed the same.

    p0 = Node(value=5, next=p1)
    p1 = Node(value=7, next=NULL)
    p2 = Chars[1, 2, 3]
    p3 = p0
    ConstPtr(a) = Node(tag=7)

A line describes an object or names one again. What an object does not mention is 0 or NULL, behind `...` it is not
written yet. The items of an array may have indices, `Chars[7: 1, length=10]`; those of an array of structs are
`Points[(x=1), (y=2)]`. A name that is no word stands in quotes. Memory that a declared class does not have, but that an
undeclared descr names, stands behind it in parentheses: `p0 = Node(value=5, x=1)`, `p2 = Chars[1](x=1, Others[0]=2)`.
"""

from __future__ import annotations

from optimizer.ir.text.heap_printer import format_heap as format_heap
from optimizer.ir.text.heap_printer import format_object as format_object
from optimizer.ir.text.heap_printer import natural_order as natural_order
from optimizer.ir.text.heap_reader import parse_heap as parse_heap
from optimizer.ir.text.heap_reader import read_heap as read_heap
