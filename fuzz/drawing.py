"""Where the traces of a batch come from."""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.campaign import Made, Record
from fuzz.generate import GeneratedTrace, generate_for


class Drawing:
    """Makes the traces of one batch, in the order of seeds."""

    def __init__(self, plan_pool: Sequence[GeneratedTrace], mutate: bool) -> None:
        pass

    def draw(self, seed: int, first: int) -> Made:
        """The trace of the seed, in the batch that starts at `first`."""
        return Made(seed, generate_for(seed), first=first)

    def note(self, record: Record) -> None:
        """What became of the trace that was drawn last."""
