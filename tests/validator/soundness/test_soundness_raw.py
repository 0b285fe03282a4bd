"""Verdicts on raw memory against many runs of an interpreter of its own, on bytes that nearly overlap.

More pairs than the suite has time for: `python tests/validator/soundness/test_soundness_raw.py --seconds 600 --seed 1`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[level]) for level in (0, 1, 2, 3)]

import pytest
from long_runs import run_long, tally
from raw_traces import ITEMS, Writer
from reference_raw import Tape, to_word

from optimizer.ir.text import format_operation, parse
from optimizer.ir.trace import ConstInt, Trace, Value
from validator import Guards, Options, Proved, Refuted, Unknown, Verdict, validate

STATES = 150
SEES = {"reads_raw": True, "writes_raw": True, "blind": False}
WRITES = {"reads_raw": False, "writes_raw": True, "blind": False}

Seen = list[object]


class Machine:
    """Runs traces of `raw_traces.Writer` on one state: inputs, bytes, and what each event gives and writes."""

    def __init__(self, random: Random, word: int) -> None:
        near = [0, 1, 2, 3, 7, 8, -1, -2, 5]
        self.word = word
        self.inputs = [to_word(random.choice(near) + random.choice((0, 0, 0, 256)), word) for _ in range(3)]
        self.bytes = {address % 2**word: random.randrange(256) for address in range(-12, 24) if random.random() < 0.8}
        self.results = [random.choice((*near, 200, 300)) for _ in range(20)]
        self.pokes = [(random.choice(near) % 2**word, random.randrange(256)) for _ in range(20)]

    def run(self, trace: Trace) -> Seen:
        """What somebody sees: the events, and how the run ends."""
        tape, seen, guards = Tape(self.word, dict(self.bytes)), list[object](), 0
        values: dict[Value, int] = dict(zip(trace.inputs, self.inputs, strict=True))

        def value(arg: Value) -> int:
            return arg.value if isinstance(arg, ConstInt) else values.get(arg, 0)

        for operation in trace.ops:
            name, args, descr = operation.op.name, [value(arg) for arg in operation.args], operation.descr or ""
            result: int | None = None
            match name:
                case "finish":
                    return [*seen, "finish", args, self.shown(tape)]
                case "guard_true" | "guard_value":
                    assert operation.exit is not None
                    if args[0] != (1 if name == "guard_true" else args[1]):
                        origin = guards if operation.exit.origin is None else operation.exit.origin
                        failargs = [value(arg) for arg in operation.exit.failargs or () if arg is not None]
                        return [*seen, "guard", origin, failargs, self.shown(tape)]
                    guards += 1
                case "int_add":
                    result = to_word(sum(args), self.word)
                case "int_lt":
                    result = int(args[0] < args[1])
                case "escape_n" | "call_n" | "call_i":
                    number = sum(isinstance(one, tuple) for one in seen)
                    seen.append((name, descr, args, self.shown(tape) if SEES.get(descr, True) else None))
                    if WRITES.get(descr, True):
                        address, byte = self.pokes[number]
                        tape.bytes[address] = byte
                    result = self.results[number]
                case _:
                    result = tape.step(name, args, descr)
            if operation.result is not None:
                assert result is not None
                values[operation.result] = result
        raise AssertionError(trace)

    def shown(self, tape: Tape) -> dict[int, int]:
        return {address: byte for address, byte in tape.bytes.items() if byte}


def mutated(lines: list[str], random: Random) -> list[str]:
    """A trace that is nearly the same."""
    lines = list(lines)
    at = random.randrange(len(lines))
    match random.randrange(8):
        case 0 if "=" not in lines[at]:
            del lines[at]
        case 1 if at + 1 < len(lines):
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
        case 2:
            lines.insert(at, lines[at] if "=" not in lines[at] else f"raw_store(i0, {at}, i1, descr=<ArrayU 1>)")
        case 3:
            lines[at] = re.sub(r"descr=(<.*?>|\w+)\)", f"descr={random.choice(ITEMS)})", lines[at])
        case 4 | 5:
            lines[at] = re.sub(r"(?<=, )-?\d+(?=[,)])", str(random.choice((-2, -1, 0, 1, 2, 4))), lines[at], count=1)
        case 6:
            lines[at] = re.sub(r"\bi[0-2]\b", random.choice(("i0", "i1", "i2")), lines[at], count=1)
        case 7:
            loads = [line.split(" = ")[0] for line in lines if "load" in line or "getarrayitem" in line]
            if len(loads) > 1:
                one, other = sorted(random.sample(range(len(loads)), 2))
                lines = [re.sub(rf"\b{loads[other]}\b(?! =)", loads[one], line) for line in lines]
    return lines


def pairs(random: Random) -> Iterator[tuple[Trace, Trace]]:
    while True:
        word = random.choice((16, 16, 32, 64))
        writer = Writer(random, word)
        text = writer.trace(random.randint(2, 9), seen=random.choice((0.0, 0.2, 0.4)))
        head, _, body = text.partition("[i0, i1, i2]\n")
        lines = after = body.splitlines()
        for _ in range(random.choice((1, 1, 2, 3))):
            after = mutated(after, random)
        try:
            traces = [parse(f"{head}[i0, i1, i2]\n" + "\n".join(one), word=word) for one in (lines, after)]
        except Exception:
            continue
        if len(traces[0].guards) == len(traces[1].guards):
            yield traces[0], with_origins(traces[1])


def with_origins(trace: Trace) -> Trace:
    texts, number = [], 0
    for operation in trace.ops:
        text = format_operation(operation)
        if operation.exit is not None:
            text, number = text.replace(") [", f", origin={number}) ["), number + 1
        texts.append(text)
    front = Writer(Random(0), trace.word).trace(0).partition("[i0, i1, i2]\n")[0]
    return parse(f"{front}[i0, i1, i2]\n" + "\n".join(texts), word=trace.word)


def judged(pair: tuple[Trace, Trace], random: Random) -> Verdict:
    """The verdict. Fails where runs show that it is wrong."""
    before, after = pair
    verdict = validate(before, after, Options(Guards.SAME, effort=5_000_000, timeout_s=20))
    if isinstance(verdict, Proved):
        for _ in range(STATES):
            machine = Machine(random, before.word)
            assert machine.run(before) == machine.run(after), f"proved\n{before}\n{after}\n{vars(machine)}"
    else:
        assert isinstance(verdict, Refuted | Unknown), f"{verdict}\n{before}\n{after}"
    return verdict


@pytest.mark.parametrize("seed", range(2))
def test_verdicts_agree_with_runs(seed: int, rungs: str) -> None:
    random = Random(f"{seed} {rungs}")
    seen = tally(pairs(random), judged, random, 24)
    assert seen["Proved"] > 2, seen
    assert seen["Refuted"] > 6, seen
    assert seen["Unknown"] < 2, seen


if __name__ == "__main__":
    run_long(__doc__, lambda random: next(pairs(random)), judged)
