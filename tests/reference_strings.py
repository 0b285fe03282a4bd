"""A second interpreter for operations on strings, in other words: Python lists, and texts that `ast` reads.

What is undefined raises `Wrong`. Random straight traces, and small states to run them on, come with it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from random import Random

from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import Datum, Object, Ref
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var
from optimizer.ir.types.layout import Layout
from validator.search.counterexample import State


class Wrong(Exception):
    """The operation is undefined."""


@dataclass(eq=False)
class Text:
    """A string: its items, None where nothing has been written."""

    wide: bool
    items: list[int | None]
    fixed: bool = False

    @property
    def highest(self) -> int:
        return 0x10FFFF if self.wide else 255


def constant(text: str) -> Text:
    """What `"abc"` and `u"abc"` stand for."""
    wide = text.startswith("u")
    return Text(wide, [*map(ord, ast.literal_eval(text))] if wide else [*ast.literal_eval(f"b{text}")], True)


@dataclass
class Machine:
    """Runs one trace without guards; `hashes` collects what was hashed, and the number that `found` says it has."""

    trace: Trace
    values: dict[str, object]
    found: Mapping[str, object]
    constants: dict[str, Text] = field(default_factory=dict)
    hashes: list[tuple[tuple[object, ...], object]] = field(default_factory=list)

    def run(self) -> int | list[object]:
        """What `finish` hands over, or the number of the operation that is undefined."""
        for number, op in enumerate(self.trace.ops):
            args = [self.value(arg) for arg in op.args]
            if op.op.name == "finish":
                return args
            try:
                result = self.do(op, args)
            except Wrong:
                return number
            if op.result is not None:
                self.values[op.result.name] = result
        raise AssertionError

    def value(self, value: Value) -> object:
        match value:
            case Var(name):
                return self.values[name]
            case ConstInt(number):
                return number
            case _ if str(value) == "NULL":
                return None
            case _:
                return self.constants.setdefault(str(value), constant(str(value)))

    def do(self, op: Operation, args: list[object]) -> object:
        wide, name = "unicode" in op.op.name, op.op.name.replace("unicode", "str")
        if op.op.name.startswith("call_"):
            assert op.descr is not None
            texts = [arg for arg in args if not isinstance(arg, int)]
            assert all(arg is None or isinstance(arg, Text) for arg in texts)
            return call(op.descr, texts, [arg for arg in args[1:] if isinstance(arg, int)], self.trace.word)  # type: ignore[arg-type]
        if name == "ptr_eq":
            return int(args[0] is args[1])
        if name == "int_add":
            assert isinstance(args[0], int)
            assert isinstance(args[1], int)
            return (args[0] + args[1] + 2**63) % 2**64 - 2**63
        if name == "newstr":
            assert isinstance(args[0], int)
            if args[0] < 0:
                raise Wrong
            return Text(wide, [None] * args[0])
        text, *rest = args
        if not isinstance(text, Text) or text.wide != wide:
            raise Wrong
        match name, rest:
            case "strlen", []:
                return len(text.items)
            case "strgetitem", [int(at)]:
                return written(text, at)
            case "strsetitem", [int(at), int(item)]:
                if at not in range(len(text.items)) or item not in range(text.highest + 1) or text.fixed:
                    raise Wrong
                text.items[at] = item
                return None
            case "copystrcontent", [Text() as to, int(start), int(at), int(count)]:
                return copy(text, to, start, at, count)
            case "strhash", []:
                all_of = tuple(written(text, at) for at in range(len(text.items)))
                assert op.result is not None
                number = self.found.get(op.result.name)
                self.hashes.append(((wide, *all_of), number))
                return number
        raise Wrong


def written(text: Text, at: int) -> int:
    item = text.items[at] if at in range(len(text.items)) else None
    if item is None:
        raise Wrong
    return item


def copy(text: Text, to: Text, start: int, at: int, count: int) -> None:
    if to.wide != text.wide or to.fixed or min(start, at, count) < 0:
        raise Wrong
    if start + count > len(text.items) or at + count > len(to.items):
        raise Wrong
    to.items[at : at + count] = text.items[start : start + count]


# Random traces.

WILD = ["i0", "i1", "2", "3", "-1", "97", "255", "256", "0x10ffff", "0x110000"]
CONSTANTS = {"str": ['"abc"', '"\\x00\\xff"'], "unicode": ['u"abc"', 'u"\\u20ac\\U0010ffff"']}


CALLS = {
    "concat": "pp",
    "slice": "pii",
    "equal": "pp",
    "eq_slice_checknull": "piip",
    "eq_slice_nonnull": "piip",
    "eq_slice_char": "piic",
    "eq_nonnull": "pp",
    "eq_nonnull_char": "pc",
    "eq_checknull_char": "pc",
    "eq_lengthok": "pp",
}
"""Functions on strings, and what they take: strings, numbers and characters."""

DECLARATIONS = "+++\n" + "".join(
    f'[call.{stem}{what}]\nresult = "{"ref" if what in ("concat", "slice") else "int"}"\nelidable = true\n'
    f'oopspec = "{stem}{what}"\n'
    for what in CALLS
    for stem in ("str", "unicode")
)
DECLARATIONS += "+++\n"


def call(name: str, texts: list[Text | None], numbers: list[int], word: int) -> object:
    """What a function on strings of one kind gives."""
    if any(isinstance(one, Text) and one.wide != name.startswith("unicode") for one in texts):
        raise Wrong
    what = name.removeprefix("unicode").removeprefix("str")
    may_be_null = {"equal": (0, 1), "eq_slice_checknull": (1,), "eq_checknull_char": (0,)}.get(what, ())
    if any(one is None and at not in may_be_null for at, one in enumerate(texts)):
        raise Wrong
    match what, texts, numbers:
        case "concat", [Text() as one, Text() as other], []:
            if len(one.items) + len(other.items) >= 1 << (word - 1):
                raise Wrong
            return Text(one.wide, [*one.items, *other.items])
        case "slice", [Text() as one], [int(start), int(stop)]:
            check(one, start, stop - start)
            return Text(one.wide, one.items[start:stop])
        case "eq_slice_char", [Text() as one], [int(start), int(count), int(char)]:
            check(one, start, count)
            return int(count == 1 and part(one, start, 1) == [char])
        case (("eq_nonnull_char" | "eq_checknull_char"), [one], [int(char)]):
            return int(one is not None and len(one.items) == 1 and whole(one) == [char])
        case (("eq_slice_checknull" | "eq_slice_nonnull"), [Text() as one, other], [int(start), int(count)]):
            check(one, start, count)
            alike = other is not None and len(other.items) == count
            return int(alike and other is not None and part(one, start, count) == whole(other))
        case _, [one, other], []:
            if what == "eq_lengthok" and one and other and len(one.items) != len(other.items):
                raise Wrong
            if one is None or other is None or len(one.items) != len(other.items):
                return int(one is other)
            return int(one is other or whole(one) == whole(other))
    raise Wrong


def check(text: Text, start: int, count: int) -> None:
    if min(start, count) < 0 or start + count > len(text.items):
        raise Wrong


def part(text: Text, start: int, count: int) -> list[int]:
    check(text, start, count)
    return [written(text, start + i) for i in range(count)]


def whole(text: Text) -> list[int]:
    return part(text, 0, len(text.items))


def random_trace(random: Random, length: int = 14, *, calls: bool = False) -> str:
    """A straight trace on two strings of two or more items and two small numbers; about half of them are defined."""
    ints, refs, lines = ["i0", "i1"], ["p0", "p1"], ["[p0, p1, i0, i1]"]
    stem = random.choice(["str", "str", "unicode"])

    def number() -> str:
        return random.choice(["0", "0", "1", "i0"] if random.random() < 0.97 else [*WILD, *ints])

    def text() -> str:
        chance = random.random()
        return random.choice(refs if chance < 0.9 else CONSTANTS[stem] if chance < 0.99 else ["NULL", '""'])

    for count in range(2, length):
        way = random.randrange(16 if calls else 9)
        if way == 0:
            lines.append(f"p{count} = new{stem}({random.choice([*['1', '2', '3', 'i1'] * 4, '-1'])})")
            lines += [f"{stem}setitem(p{count}, {at}, i0)" for at in ("0", "1") if random.random() < 0.9]
            refs.append(f"p{count}")
        elif way == 1:
            lines.append(f"i{count} = {stem}len({text()})")
        elif way == 2:
            lines.append(f"i{count} = int_add({number()}, {number()})")
        elif way == 3:
            lines.append(f"i{count} = ptr_eq({text()}, {text()})")
        elif way == 4:
            lines.append(f"i{count} = {stem}hash({text()})")
        elif way == 5:
            lines.append(f"i{count} = {stem}getitem({text()}, {number()})")
        elif way in (6, 7):
            lines.append(
                f"{stem}setitem({random.choice(refs)}, {number()}, {random.choice(['65', '66', 'i1', '255'])})"
            )
        elif way > 8:
            what = random.choice(["concat", "slice", "equal", "equal", *CALLS])
            draw = {"p": text, "i": number, "c": lambda: random.choice(["65", "i0", "97"])}
            args = ", ".join(["1", *(draw[kind]() for kind in CALLS[what])])
            letter, many, name = ("pr", refs, "r") if what in ("concat", "slice") else ("i", ints, "i")
            lines.append(f"{letter[0]}{count} = call_{name}({args}, descr={stem}{what})")
            many.append(f"{letter[0]}{count}")
        else:
            lines.append(f"copy{stem}content({text()}, {random.choice(refs)}, {number()}, {number()}, {number()})")
        if way in (1, 2, 3, 4, 5):
            ints.append(f"i{count}")
    return "\n".join([*lines, f"finish({', '.join([*ints, *refs])})"])


def small_states(layout: Layout, kind: str) -> Iterator[State]:
    """Two strings of up to three items, which may be one object or a constant, and two small numbers."""
    array = layout.array(kind)
    texts = ['"abc"', '"\\x00\\xff"'] if kind == "str" else ['u"abc"']
    strings = [items for length in range(4) for items in product((65, 66), repeat=length)][::2]
    for (one, other), ints in product(product(strings[:6], strings[:6:2]), product((0, 1, 2), (0, 1, 3))):
        heap = Heap(layout)
        for name, items in (("p0", one), ("p1", other)):
            cells = {(f"{kind}[]", index): item for index, item in enumerate(items)}
            heap.add(name, Object(array, len(items), cells))
        inputs: list[tuple[Datum, Datum]] = [(Ref("p0"), Ref("p1")), (Ref("p0"), Ref("p0"))]
        inputs += [(heap.constant(text), Ref("p1")) for text in texts]
        for pair in inputs:
            yield State((*pair, *ints), heap=heap)
