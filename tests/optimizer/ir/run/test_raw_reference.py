"""The rows of raw memory against their independent reference, on random traces."""

from __future__ import annotations

from random import Random

import pytest
from raw_traces import Writer
from reference_raw import Tape, to_word

from optimizer.ir.rows.ops import OPS, DescrKind, Kind, Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Finished, run
from optimizer.ir.run.objects import RAW_REF
from optimizer.ir.text import parse
from optimizer.ir.trace import ConstInt, Trace, Value
from optimizer.ir.types.trace_layout import layout_of

ADDRESSES = [0, 1, 2, 5, 7, 8, -1, -2, -7]
BYTES = (DescrKind.RAW_ITEM, DescrKind.RAW_SIZE)


def on_tape(trace: Trace, inputs: list[int], tape: Tape) -> tuple[int, ...]:
    """What the trace hands over, by the reference."""
    values: dict[Value, int] = dict(zip(trace.inputs, inputs, strict=True))

    def value(arg: Value) -> int:
        return arg.value if isinstance(arg, ConstInt) else values[arg]

    for operation in trace.ops[:-1]:
        result = tape.step(operation.op.name, [value(arg) for arg in operation.args], operation.descr or "")
        if operation.result is not None:
            assert result is not None
            values[operation.result] = result
    return tuple(map(value, trace.end.args))


@pytest.mark.parametrize("word", [16, 24, 32, 64])
def test_random_traces_run_as_on_a_tape(word: int) -> None:
    random = Random(word)
    for _ in range(150):
        trace = parse(Writer(random, word).trace(10, seen=0), word=word)
        inputs = [to_word(random.choice(ADDRESSES), word) for _ in trace.inputs]
        contents = {address % 2**word: random.randrange(256) for address in range(-10, 20) if random.random() < 0.7}
        heap = Heap(layout_of(trace))
        for address, byte in contents.items():
            heap.objects[RAW_REF] = heap.add_raw().put(("raw[]", address), byte)
        done, tape = run(trace, inputs, heap=heap), Tape(word, dict(contents))
        assert done.outcome == Finished(on_tape(trace, inputs, tape)), trace
        assert done.heap is not None
        assert {address: byte for (_, address), byte in done.heap.objects[RAW_REF].cells.items()} == tape.bytes


def test_random_traces_hold_every_row_on_bytes() -> None:
    random = Random(1)
    written = {op.op for _ in range(30) for op in parse(Writer(random, 64).trace(12)).ops}
    on_bytes = {row for row in OPS.values() if row.memory is not None and row.memory.descr in BYTES}
    rows = {row for row in on_bytes if row.result in (Type.INT, Type.VOID)}
    assert rows <= written
    assert all(row.kind in (Kind.RAW_LOAD, Kind.RAW_STORE) for row in rows)
