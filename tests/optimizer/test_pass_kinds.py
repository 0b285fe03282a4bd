"""A pass is asked about operations of the kinds that it names and of the rows that it knows only: it has nothing to say
of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from declared_calls import array_copies

from fuzz.draw.generator import generate_for
from optimizer import walk
from optimizer.ir.rows.ops import Kind, Op
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace, all_operations
from optimizer.pipeline import FORWARD, run_passes
from optimizer.riders import Pass

TRACES = 190

RARE = (
    "[p0]\ni1 = strhash(p0)\ni2 = strhash(p0)\nfinish(i1, i2)",
    f"+++\n[array.Ints]\nitem = 'int'\n{array_copies()}+++\n[i0, p1]\np2 = new_array(1, descr=Ints)\n"
    "setarrayitem_gc(p2, 0, i0, descr=Ints)\ncall_n(1, p2, p1, 0, 0, 1, descr=copy)\nfinish()",
)
"""What is hardly ever in generated traces."""

CLASSES: tuple[type[Pass], ...] = tuple(type(make()) for make in FORWARD.values())
CHOOSY = tuple(one for one in CLASSES if one.kinds != frozenset(Kind))
NAMED = tuple((one, kind) for one in CHOOSY for kind in Kind if kind in one.kinds)


@cache
def traces() -> tuple[Trace, ...]:
    return (*map(parse, RARE), *(generate_for(seed).trace for seed in range(TRACES)))


@cache
def as_they_are(asked: type[Pass]) -> tuple[str, ...]:
    return tuple(_optimized(trace, asked) for trace in traces())


def _optimized(trace: Trace, asked: type[Pass]) -> str:
    """Alone, since what one pass misses another may see."""
    return format_trace(run_passes(trace, [asked.name]).trace)


def differ(asked: type[Pass], kinds: frozenset[Kind], knows: Callable[[Op], bool] | None = None) -> Iterator[Trace]:
    """The traces that become something else where a pass is asked about these kinds, and the rows that it `knows`."""
    right = as_they_are(asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asked, "kinds", kinds)
        patch.setattr(asked, "knows", staticmethod(knows or asked.knows))
        patch.setattr(walk, "_roles_of", walk._Roles)
        yield from (trace for trace, text in zip(traces(), right, strict=True) if _optimized(trace, asked) != text)


def test_the_traces_have_all_kinds() -> None:
    assert {op.op.kind for trace in traces() for op in all_operations(trace)} >= {*Kind} - {Kind.OTHER}


@pytest.mark.parametrize("asked", CHOOSY, ids=[one.name for one in CHOOSY])
def test_a_pass_that_is_asked_about_everything_does_the_same(asked: type[Pass]) -> None:
    assert not [*map(format_trace, differ(asked, frozenset(Kind), lambda row: True))]


@pytest.mark.parametrize(("asked", "kind"), NAMED, ids=[f"{one.name}-{kind.value}" for one, kind in NAMED])
def test_a_kind_that_is_left_out_is_missed(asked: type[Pass], kind: Kind) -> None:
    assert next(differ(asked, asked.kinds - {kind}), None) is not None
