"""Drawing: which traces a batch is made of."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256

from fuzz.campaign.coverage import what_fired
from fuzz.campaign.drawing import Drawing
from fuzz.campaign.examine import Counted, Made
from fuzz.draw.generator import GeneratedTrace, generate_for
from fuzz.mutate.pool import PoolTrace
from optimizer.ir.faults import Unsupported
from optimizer.ir.text import format_trace, parse
from optimizer.ir.types.trace_layout import layout_of
from optimizer.pipeline import run_passes
from validator.verdict import Evidence, Proved

FIRST = 512


def pool_of(*traces: GeneratedTrace) -> tuple[PoolTrace, ...]:
    return tuple(PoolTrace(f"{n}", one.trace, layout_of(one.trace), one.state) for n, one in enumerate(traces))


def draw_batch(count: int, mutate: int, pool: tuple[PoolTrace, ...] = (), start: int = 0) -> list[Made]:
    """The beginning of a batch, with what our optimizer makes fire."""
    drawing = Drawing(pool, mutate, start)
    drawn = []
    for seed in range(FIRST, FIRST + count):
        made = drawing.draw(seed, FIRST)
        drawing.note(_counted(made))
        drawn.append(made)
    return drawn


def _counted(made: Made, *fired: str) -> Counted:
    try:
        found = frozenset(fired) or what_fired(run_passes(made.generated.trace))
    except Unsupported:
        found = frozenset()
    return Counted(made.seed, Proved(Evidence()), made, fired=found)


def digest(drawn: list[Made]) -> str:
    return sha256("".join(format_trace(made.generated.trace) for made in drawn).encode()).hexdigest()


def test_without_mutation_every_trace_is_generated_from_its_seed() -> None:
    for made in draw_batch(10, 0):
        assert made.generated == generate_for(made.seed)
        assert (made.parents, made.first) == ((), FIRST)


def test_a_share_of_the_traces_is_mutated_from_what_the_batch_has_kept() -> None:
    drawn = draw_batch(60, 50)
    mutated = [made for made in drawn if made.parents]
    assert 15 < len(mutated) < 45
    for made in drawn:
        assert made.parents or made.generated == generate_for(made.seed)
    parents = {name for made in mutated for name in made.parents}
    assert parents <= {f"seed {made.seed}" for made in drawn}
    assert any(f"seed {made.seed}" in parents for made in mutated), "nothing mutated is mutated again"


def test_the_pool_is_there_from_the_start() -> None:
    drawn = draw_batch(30, 100, pool_of(generate_for(7), generate_for(8)))
    assert drawn[0].parents[0].startswith("pool ")
    assert all(made.parents for made in drawn)
    assert any(made.parents[0].startswith("seed ") for made in drawn)


def test_a_campaign_begins_with_its_pool() -> None:
    pool = pool_of(generate_for(7), generate_for(8), generate_for(9))
    drawn = draw_batch(8, 100, pool, FIRST)
    assert [made.generated.trace for made in drawn[:3]] == [one.trace for one in pool]
    assert [made.is_given for made in drawn] == [True] * 3 + [False] * 5
    assert [made.parents for made in drawn[:3]] == [("pool 0",), ("pool 1",), ("pool 2",)]
    assert [made.is_given for made in draw_batch(4, 0, pool, FIRST - 2)] == [True] + [False] * 3


def test_what_has_no_example_is_not_mutated() -> None:
    trace = parse("[i0]\ni1 = int_neg(i0)\nlabel(i1)\njump(i1)")
    one = PoolTrace("label", trace, layout_of(trace), None)
    drawn = draw_batch(5, 100, (one,), FIRST)
    assert [made.is_given for made in drawn] == [True] + [False] * 4
    assert drawn[0].generated.trace == trace
    assert all("pool 0" not in made.parents for made in drawn[1:])


def test_a_batch_is_the_same_again_and_longer_ones_begin_with_shorter_ones() -> None:
    drawn = draw_batch(25, 60)
    assert drawn == draw_batch(25, 60)
    assert drawn[:12] == draw_batch(12, 60)
    assert digest(drawn) != digest(draw_batch(25, 30))


def test_a_batch_does_not_depend_on_the_hashes_of_a_process() -> None:
    script = "from test_drawing import *; print(digest(draw_batch(15, 60)))"
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join([*sys.path])}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest(draw_batch(15, 60))


def test_only_what_shows_something_new_is_kept() -> None:
    drawing = Drawing((), 100)
    first = drawing.draw(0, 0)
    assert not first.parents, "there was nothing to mutate"
    drawing.note(_counted(first, "a", "b"))
    second = Made(1, generate_for(1), first=0)
    drawing.note(_counted(second, "a"))  # nothing new
    assert all("seed 1" not in drawing.draw(seed, 0).parents for seed in range(2, 20))
    drawing.note(_counted(second, "c"))  # c is new
    assert any("seed 1" in drawing.draw(seed, 0).parents for seed in range(20, 40))


def test_a_new_pair_is_new_as_well() -> None:
    drawing = Drawing((), 100)
    for seed, fired in enumerate((("a", "b"), ("c",), ("b", "c"), ("a", "c", "b"), ("a", "b"))):
        drawing.note(_counted(Made(seed, generate_for(seed), first=0), *fired))
    parents = {name for seed in range(10, 80) for name in drawing.draw(seed, 0).parents}
    assert parents == {"seed 0", "seed 1", "seed 2", "seed 3"}
