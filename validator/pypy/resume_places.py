"""The places where guards of a loop resume, of which a bridge to its inner label has to tell: the proof of the loop by
itself finds them."""

from __future__ import annotations

from collections.abc import Callable

from optimizer.ir.check import inner_label
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.loops import taken_apart
from validator.loops.proofs import BODY, proofs
from validator.loops.shape import loop_of
from validator.prove.judge import validate
from validator.pypy.resume_data import with_origins
from validator.pypy.translate import Translated
from validator.verdict import Options, Proved

Places = tuple[int | None, ...]
"""The numbers of the recorded guards in whose places those of a body resume."""

_EFFORT = 20_000
"""For the proof of a loop whose guards tell their origins: it takes little, or fails."""

_SHARE_OF_TIME = 0.25
"""Of that for a pair."""


def places_of(text: Translated, options: Options) -> Places:
    """The places of the guards in the body of the loop to which a bridge jumps; none where the proof of the loop alone
    does not find them. A guard of the iteration before is no place."""
    assert text.loop is not None
    options = replace(options, effort=_EFFORT, timeout_s=_SHARE_OF_TIME * options.timeout_s)
    try:
        loop = loop_of(text.loop[0], with_origins(text.loop[1], text.alone))
        proof = next(one for one in proofs(loop, options) if one.name == BODY)
    except Unsupported:
        return ()
    quick = replace(proof.options, notes=False, moved=None, simplify=False)
    verdict = validate(proof.before, proof.after, quick, runs_to_end=True)
    if not isinstance(verdict, Proved):
        return ()
    once, in_body = len(loop.recorded.guards), verdict.evidence.origins[len(loop.peeled.preamble.guards) :]
    return tuple(None if k is None or k < once else k - once for k in in_body)


def placed(text: Translated, alone: Callable[[], Places], options: Options) -> Translated | None:
    """The pair with the loop in which guards of the body name their places, those that the proof of the loop `alone`
    finds, if they do not seem to have some; with a preamble in the place of the recorded loop, those that the proof of
    the two finds, or None if it finds none where that of the loop does: then that is the shorter way."""
    assert text.loop is not None
    body = taken_apart(text.loop[1], inner_label(text.loop[1]) or 0).body.guards
    ahead = text.in_loop[: len(text.in_loop) - len(body)]
    if None not in text.in_loop[len(ahead) :]:
        return text
    places = places_of(text, options) if text.by_preamble else alone()
    if not places:
        return None if text.by_preamble and alone() else text
    return replace(text, in_loop=(*ahead, *places), is_placed=True)
