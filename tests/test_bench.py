"""The benchmark: it runs, and its baseline says what the validator says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

import benchmarks.__main__ as command
from benchmarks import large
from benchmarks.large import boxes, nodes
from benchmarks.measure import BASELINE, Z3_ALONE, Answer, methods, timed, without_cuts
from benchmarks.workloads import WORKLOADS, Sample, Workload
from fuzz.draw.rows import divides, multiplies
from optimizer.ir.rows.ops import Kind, Op
from optimizer.ir.text import parse

ROOT = Path(__file__).parent.parent

TYPES = """+++
[struct.Node]
fields = { value = "int", next = "ref" }
[array.Ints]
item = "int"
+++
"""


def once(measure: Callable[..., object]) -> Callable[..., object]:
    measured: list[object] = []

    def answer(*args: object, **options: object) -> object:
        measured[:] = measured or [measure(*args, **options)]
        return measured[0]

    return answer


@pytest.fixture(scope="module")
def bench() -> Iterator[Callable[..., str]]:
    """What the command prints, for which all is measured once."""

    def printed(*options: str) -> str:
        chosen = ["--pairs", "3", "--seconds", "0.5", "--workload", "heap", "--longest", "50", "--cap", "0.2", *options]
        done = CliRunner().invoke(command.bench, chosen, catch_exceptions=False, standalone_mode=False)
        assert (done.return_value, done.stderr) == (0, "")
        return done.stdout

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT / "scripts"))
        for name in ("validate_large", "measure_commands", "measure_campaigns", "race", "grow", "measure_optimizer"):
            patch.setattr(command, name, once(getattr(command, name)))
        patch.setattr(large, "LARGE", {"nodes": large.LARGE["nodes"]})
        yield printed


def test_every_table_is_printed(bench: Callable[..., str]) -> None:
    printed = bench()
    for word in (
        "heap",
        *(one.name for one in methods()),
        "by structure",
        "validate --batch",
        "50",
        "traces a CPU second",
        "peak memory",
        "optimize",
        "nodes",
        "boxes",
    ):
        assert word in printed


def test_the_figures_as_json(bench: Callable[..., str]) -> None:
    found = json.loads(bench("--json"))
    (race,) = found["races"]
    for method in race["methods"].values():
        assert method["pairs"] == method["proved"] + method["refuted"] + method["unknown"] > 0
    assert race["contradictions"] == 0
    assert 30 <= race["on_heap"] <= 50
    assert {one["verdict"] for one in found["large"]} == {"proved"}
    assert {(one["operations"], one["method"]) for one in found["lengths"]} == {(50, one.name) for one in methods()}
    commands = found["commands"]
    assert 0 < commands["fastest"] <= commands["start"]
    assert commands["interpreter"] < commands["start"]
    assert commands["verdicts"] == {"proved": 3}
    assert 0 < commands["pair"] <= commands["batch"]
    assert {one["traces"] for one in found["campaigns"]} == {6}
    assert all(one["traces_a_cpu_second"] > 1 and 20 <= one["operations"] <= 60 for one in found["campaigns"])
    assert [one["operations"][0] for one in found["optimize"]] == [pytest.approx(50, abs=10)] * 2


def test_large_traces_are_as_large_as_they_say() -> None:
    trace = nodes(1000, 200)
    assert len(trace.ops) == pytest.approx(1000, abs=10)
    assert sum(operation.op.kind is Kind.NEW for operation in trace.ops) == 200
    assert [len(boxes(length).ops) for length in (5000, 10_000)] == [5000, 10_000]


RIGHT = {
    "a sum": ("[i0]\ni1 = int_add(i0, 2)\ni2 = int_add(i1, 3)\nfinish(i2)", "[i0]\ni1 = int_add(i0, 5)\nfinish(i1)"),
    "overflow": (
        "[i0]\ni1 = int_and(i0, 7)\ni2 = int_add_ovf(i1, 1)\nguard_no_overflow() [i0]\nfinish(i2)",
        "[i0]\ni1 = int_and(i0, 7)\ni2 = int_add(i1, 1)\nfinish(i2)",
    ),
    "a load behind a store": (
        "[p0, i0]\nsetfield_gc(p0, i0, descr=Node.value)\ni1 = getfield_gc_i(p0, descr=Node.value)\nfinish(i1)",
        "[p0, i0]\nsetfield_gc(p0, i0, descr=Node.value)\nfinish(i0)",
    ),
    "an allocation that nobody sees": (
        "[i0]\np1 = new_with_vtable(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\n"
        "i1 = getfield_gc_i(p1, descr=Node.value)\nfinish(i1)",
        "[i0]\nfinish(i0)",
    ),
    "an allocation in an exit block": (
        "[i0]\np1 = new_with_vtable(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\n"
        "guard_true(i0) [p1]\nfinish(i0)",
        "[i0]\nguard_true(i0) [p1] {\np1 = new_with_vtable(descr=Node)\n"
        "setfield_gc(p1, i0, descr=Node.value)\n}\nfinish(i0)",
    ),
    "a fresh object behind an event that does not see it": (
        "[i0]\np1 = new_with_vtable(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\nescape_n()\n"
        "i1 = getfield_gc_i(p1, descr=Node.value)\nfinish(i1, p1)",
        "[i0]\nescape_n()\np1 = new_with_vtable(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\nfinish(i0, p1)",
    ),
    "an item of an array": (
        "[p0, i0]\nsetarrayitem_gc(p0, 1, i0, descr=Ints)\nsetarrayitem_gc(p0, 2, 7, descr=Ints)\n"
        "i1 = getarrayitem_gc_i(p0, 1, descr=Ints)\nfinish(i1)",
        "[p0, i0]\nsetarrayitem_gc(p0, 1, i0, descr=Ints)\nsetarrayitem_gc(p0, 2, 7, descr=Ints)\nfinish(i0)",
    ),
}

WRONG = {
    "another sum": ("[i0]\ni1 = int_add(i0, 2)\nfinish(i1)", "[i0]\ni1 = int_add(i0, 5)\nfinish(i1)"),
    "no check of overflow": (
        "[i0]\ni1 = int_add_ovf(i0, 1)\nguard_no_overflow() [i0]\nfinish(i1)",
        "[i0]\ni1 = int_add(i0, 1)\nfinish(i1)",
    ),
    "a load across an alias": (
        "[p0, p1, i0]\nsetfield_gc(p0, i0, descr=Node.value)\nsetfield_gc(p1, 5, descr=Node.value)\n"
        "i1 = getfield_gc_i(p0, descr=Node.value)\nfinish(i1)",
        "[p0, p1, i0]\nsetfield_gc(p0, i0, descr=Node.value)\nsetfield_gc(p1, 5, descr=Node.value)\nfinish(i0)",
    ),
    "a lost store": (
        "[p0, i0]\nsetfield_gc(p0, i0, descr=Node.value)\nfinish()",
        "[p0, i0]\ni1 = getfield_gc_i(p0, descr=Node.value)\nfinish()",
    ),
    "a store delayed past a guard": (
        "[p0, i0]\nsetfield_gc(p0, i0, descr=Node.value)\nguard_value(i0, 3) []\nfinish()",
        "[p0, i0]\ni1 = getfield_gc_i(p0, descr=Node.value)\nguard_value(i0, 3) []\n"
        "setfield_gc(p0, i0, descr=Node.value)\nfinish()",
    ),
    "a load across an event": (
        "[p0]\ni0 = getfield_gc_i(p0, descr=Node.value)\nescape_n()\n"
        "i1 = getfield_gc_i(p0, descr=Node.value)\nfinish(i1)",
        "[p0]\ni0 = getfield_gc_i(p0, descr=Node.value)\nescape_n()\nfinish(i0)",
    ),
    "another field of a fresh object": (
        "[i0]\np1 = new_with_vtable(descr=Node)\nsetfield_gc(p1, i0, descr=Node.value)\nfinish(p1)",
        "[i0]\np1 = new_with_vtable(descr=Node)\nfinish(p1)",
    ),
}


def judge(pair: Sample, cap_s: float = 60.0) -> Answer:
    return Z3_ALONE.judge(pair, cap_s).answer


def sample(texts: tuple[str, str]) -> Sample:
    before, after = (parse(f"{TYPES}{text}\n") for text in texts)
    return Sample(before, after)


@pytest.mark.parametrize("name", RIGHT)
def test_both_prove_what_is_right(name: str) -> None:
    pair = sample(RIGHT[name])
    assert judge(pair) is Answer.PROVED
    assert BASELINE.judge(pair, 10).answer is Answer.PROVED


@pytest.mark.parametrize("name", WRONG)
def test_the_baseline_does_not_prove_what_is_wrong(name: str) -> None:
    pair = sample(WRONG[name])
    assert judge(pair) is Answer.REFUTED
    assert BASELINE.judge(pair, 10).answer is Answer.UNKNOWN


def test_the_baseline_gives_up_at_its_limit() -> None:
    hard = sample(
        (
            "[i0, i1, i2]\ni3 = uint_mul_high(i0, i1)\ni4 = uint_mul_high(i3, i2)\nfinish(i4)",
            "[i0, i1, i2]\ni3 = uint_mul_high(i1, i2)\ni4 = uint_mul_high(i3, i0)\nfinish(i4)",
        )
    )
    judged = BASELINE.judge(hard, 0.5)
    assert judged.answer is Answer.UNKNOWN
    assert not judged.in_time
    assert BASELINE.judge(sample(RIGHT["a load behind a store"]), 0.0).answer is Answer.UNKNOWN


def test_workloads_multiply_and_divide_as_their_names_say() -> None:
    def share(name: str, of: Callable[[Op], bool]) -> float:
        workload = next(one for one in WORKLOADS if one.name == name)
        ops = [operation.op for seed in range(12) for operation in workload.sample(seed).before.ops]
        return sum(map(of, ops)) / len(ops)

    assert share("mul-heavy", multiplies) > 1 / 3
    assert share("division", divides) > 1 / 5
    assert share("no mul, no div", lambda row: multiplies(row) or divides(row)) == 0
    assert 0 < share("mix", multiplies) < 1 / 10


def test_what_ends_at_its_cap_is_not_in_time() -> None:
    judged, seconds = timed(Z3_ALONE, sample(RIGHT["a sum"]), 1e-9)
    assert not judged.in_time
    assert seconds > 0


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda one: one.name)
def test_generated_pairs_are_never_proved_and_refuted(workload: Workload) -> None:
    samples = (workload.sample(seed) for seed in range(10))
    answers = ((pair, BASELINE.judge(pair, 0.3).answer) for pair in samples)
    modelled = list(islice(((pair, answer) for pair, answer in answers if answer is not Answer.UNSUPPORTED), 1))
    assert modelled
    said = {(judge(pair, 0.3), answer) for pair, answer in modelled}
    assert not {(Answer.PROVED, Answer.REFUTED), (Answer.REFUTED, Answer.PROVED)} & said


def test_the_baseline_is_told_no_cuts() -> None:
    pair = sample(RIGHT["a fresh object behind an event that does not see it"])
    certificate = without_cuts(pair.before, pair.after)
    assert (certificate.partners, certificate.equal) == (((1, 0),), ())
