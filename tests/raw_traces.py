"""Random traces on raw memory, with few addresses that nearly overlap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from declared_calls import event
from reference_raw import DECLARATIONS, size_of

ITEMS = ["<ArrayU 1>", "<ArrayS 1>", "<ArrayU 2>", "<ArrayS 2>", "Small", "Flags", "Short", "small", "Words", "other"]
LARGE = {32: ["<ArrayS 4>", "<ArrayU 4>"], 64: ["<ArrayS 4>", "<ArrayU 4>", "<ArrayS 8>", "<ArrayU 8>"]}
CALLS = event("reads_raw", reads="raw", result="int") + event("writes_raw", writes="raw") + event("blind")


@dataclass
class Writer:
    """Writes a random trace for words of that width; `ints` are its variables so far."""

    random: Random
    word: int
    ints: list[str] = field(default_factory=lambda: ["i0", "i1", "i2"])
    names: int = 10

    def number(self) -> str:
        small = [str(self.random.randint(-3, 5)), str(self.random.choice((255, -1, 128, 300, -300)))]
        return self.random.choice([*self.ints, *self.ints[-2:], *small])

    def address(self) -> str:
        return self.random.choice(["i0", "i0", "i1", *self.ints[-1:], "7"])

    def offset(self) -> str:
        return self.random.choice(["0", "0", "1", "2", "-1", "3", self.random.choice(self.ints)])

    def descr(self) -> str:
        return self.random.choice([*ITEMS, *LARGE.get(self.word, [])])

    def new(self) -> str:
        self.names += 1
        self.ints.append(f"i{self.names}")
        return self.ints[-1]

    def line(self) -> str:
        descr, pick = self.descr(), self.random.choice
        at, size = f"{self.address()}, {self.offset()}", size_of(pick(ITEMS[:4]), self.word)
        place = f"{pick(['0', '1', '2', '-2', '3'])}, {pick(['0', '1', '-1', '4'])}"
        value = self.number()
        match self.random.randrange(10):
            case 0 | 1:
                return f"raw_store({at}, {value}, descr={descr})"
            case 2 | 3:
                return f"{self.new()} = raw_load_i({at}, descr={descr})"
            case 4:
                return f"setarrayitem_raw({at}, {value}, descr={descr})"
            case 5:
                return f"{self.new()} = getarrayitem_raw_i({at}, descr={descr})"
            case 6:
                return f"gc_store({at}, {value}, {abs(size)})"
            case 7:
                return f"{self.new()} = gc_load_i({at}, {size})"
            case 8:
                return f"gc_store_indexed({at}, {value}, {place}, {abs(size)})"
            case _:
                return f"{self.new()} = gc_load_indexed_i({at}, {place}, {size})"

    def between(self) -> str:
        """What looks at memory, or tells something of addresses."""
        number = self.number()
        match self.random.randrange(6):
            case 0:
                return f"escape_n({number})"
            case 1:
                return f"{self.new()} = call_i(ConstClass(f), {number}, descr=reads_raw)"
            case 2:
                return f"call_n(ConstClass(f), {number}, descr={self.random.choice(['writes_raw', 'blind'])})"
            case 3:
                made = self.new()
                return f"{made} = int_add({self.random.choice(['i0', 'i1'])}, {self.random.choice(['1', '2', '-1'])})"
            case 4:
                made = self.new()
                return f"{made} = int_lt(i0, i1)\nguard_true({made}) [{self.random.choice(self.ints)}]"
            case _:
                return f"guard_value({self.random.choice(['i0', 'i1', 'i2'])}, {self.random.choice(['i1', '7'])}) []"

    def lines(self, count: int, seen: float) -> Iterator[str]:
        for _ in range(count):
            yield self.between() if self.random.random() < seen else self.line()

    def trace(self, count: int, seen: float = 0.25) -> str:
        body = [*self.lines(count, seen)]
        handed = self.random.sample(self.ints, min(len(self.ints), 4))
        front = DECLARATIONS.removesuffix("+++\n") + CALLS + "+++\n"
        return "\n".join([front + "[i0, i1, i2]", *body, f"finish({', '.join(handed)})"])
