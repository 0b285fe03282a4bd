"""Random traces of calls, exceptions and what else the world decides, on a heap of a few objects."""

from __future__ import annotations

from random import Random

from declared_calls import event, functions

from optimizer.ir.faults import InputError
from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace

DECLARATIONS = (
    """+++
word = 4
[struct.Error]
fields = { value = "int" }
[struct.Bad]
"""
    + functions("hash quiet find div", {"hash": (1, 2)})
    + event("once", result="int", loop_invariant=True, can_raise=True)
    + event("poke", writes="Error.value", can_raise=True)
    + event("calm", result="int")
    + event("look", reads="Error.value", result="int", elidable=True)
    + "+++\n"
)
HEAP = "p0 = Error(value=1)\nq0 = Error()\nq1 = Bad()"
OBJECTS = [NULL, Ref("p0"), Ref("q0"), Ref("q1")]


class Writer:
    """Writes the lines of one trace; variables are numbered by their lines, so that lines may move."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.ints = ["i1", "i2"]
        self.refs = ["p0"]
        self.lines: list[str] = []

    def value(self) -> str:
        return self.random.choice([*self.ints, *self.ints, "0", "1"])

    def define(self, letter: str) -> str:
        name = f"{letter}{10 + len(self.lines)}"
        (self.ints if letter == "i" else self.refs).append(name)
        return name

    def failargs(self) -> str:
        return f"[{self.random.choice(self.ints)}, {self.random.choice(self.refs)}]"

    def step(self) -> str:
        pick, value = self.random.choice, self.value
        ref, live = pick(self.refs), self.failargs()
        function = pick("112")
        kind = self.random.randrange(18)
        match kind:
            case 0 | 1 | 2:
                return f"{{i}} = call_i({function}, {value()}, descr={pick(['hash', 'quiet', 'hash', 'once', 'u'])})"
            case 3:
                return f"{{i}} = call_pure_i({function}, {value()}, descr={pick('uh')})"
            case 4 | 5:
                return f"guard_no_exception() {live}"
            case 6:
                return f"{{p}} = guard_exception(ConstClass({pick(['Error', 'Bad'])})) {live}"
            case 7:
                return pick([f"call_n(1, {value()}, descr=poke)", f"{{i}} = call_i(1, {value()}, descr=calm)"])
            case 8:
                return pick([f"cond_call({value()}, 1, {value()}, descr=poke)", f"keepalive({ref})"])
            case 9:
                descr = pick(["hash", "quiet", "calm"])
                return f"{{i}} = cond_call_value_i({value()}, {function}, {value()}, descr={descr})"
            case 10:
                return pick([f"setfield_gc({ref}, {value()}, descr=Error.value)", f"guard_value({value()}, 1) {live}"])
            case 11:
                return pick(["{i} = getfield_gc_i(p0, descr=Error.value)", "{i} = save_exc_class()"])
            case 12:
                return pick([f"{{p}} = call_r(1, {ref}, descr=find)", f"{{i}} = ptr_eq({ref}, {pick(self.refs)})"])
            case 13:
                return pick(["guard_not_forced() " + live, "call_may_force_n(1)", "guard_future_condition() " + live])
            case 14:
                return pick([f"{{i}} = call_i(1, {value()}, 2, descr=div)", f"{{i}} = int_add({value()}, 1)"])
            case 15 | 16:
                return f"{{i}} = call_i({function}, {ref}, descr=look)"
            case _:
                of_object = f"record_known_result({ref}, 1, {pick(self.refs)}, descr=find)"
                return pick(
                    [f"record_known_result({value()}, 1, {value()}, descr=quiet)", "{p} = new(descr=Error)", of_object]
                )

    def trace(self, lengths: tuple[int, ...] = (2, 4, 7)) -> list[str]:
        for _ in range(self.random.choice(lengths)):
            line = self.step()
            for letter in "ip":
                if f"{{{letter}}}" in line:
                    line = line.replace(f"{{{letter}}}", self.define(letter))
            self.lines.append(line)
        return [*self.lines, f"finish({self.value()}, {self.random.choice(self.refs)})"]


def read(lines: list[str]) -> Trace | None:
    try:
        return parse(f"{DECLARATIONS}[p0, i1, i2]\n" + "\n".join(lines))
    except InputError:
        return None
