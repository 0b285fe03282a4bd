"""Where the traces of a batch come from: each is generated from its seed, or mutated.

What is mutated are the traces of a pool, and those of the batch that have made something fire that nothing in the batch
has made fire before, or two things that have not fired together. So what is drawn depends on the pool, on the first
seed of the batch, and on what became of the seeds between; on nothing else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from fuzz.campaign import Made, Record
from fuzz.generate import GeneratedTrace, generate_for
from fuzz.mutation.mutate import mutate

_MOST_KEPT = 64
_CONTENDERS = 3
_POOL_SHARE = 30
"""So many percent of the mutated traces are from the pool, once the batch has kept some."""


@dataclass(slots=True, eq=False)
class _Kept:
    """A trace worth mutating; `fired` is in order, `chosen` says how often it was."""

    name: str
    generated: GeneratedTrace
    fired: tuple[str, ...] = ()
    chosen: int = 0


class Drawing:
    """Draws the traces of one batch in the order of its seeds. `mutate` percent of them are mutated, as far as there is
    something to mutate."""

    def __init__(self, pool: Sequence[GeneratedTrace], mutate: int) -> None:
        self._pool = [_Kept(f"pool {number}", generated) for number, generated in enumerate(pool)]
        self._mutate = mutate
        self._kept: list[_Kept] = []
        self._fired: Counter[str] = Counter()
        self._together: defaultdict[str, set[str]] = defaultdict(set)

    def draw(self, seed: int, first: int) -> Made:
        """The trace of the seed, in the batch that starts at `first`."""
        random = Random(f"{first} {seed}")
        if random.random() * 100 >= self._mutate or not (self._pool or self._kept):
            return Made(seed, generate_for(seed), first=first)
        parent = self._choose(random)
        parent.chosen += 1
        partner = self._partner(parent, random)
        made = mutate(parent.generated, [partner.generated], random)
        parents = tuple(dict.fromkeys((parent.name, partner.name)))
        return Made(seed, made, parents, first)

    def note(self, record: Record) -> None:
        """What became of a trace that was drawn: tell of all, in the order of their seeds."""
        if not self._mutate:
            return
        fired = record.fired
        self._fired.update(fired)
        new = [name for name in fired if not fired <= self._together[name]]
        for name in new:
            self._together[name] |= fired
        if record.made is None or not new:
            return
        self._kept.append(_Kept(f"seed {record.seed}", record.made.generated, tuple(sorted(fired))))
        if len(self._kept) > _MOST_KEPT:
            self._kept.remove(min(self._kept, key=self._merit))

    def _merit(self, kept: _Kept) -> float:
        """How much fires there that fires seldom in this batch; the less, the more often the trace was mutated."""
        return sum(1 / self._fired[name] for name in kept.fired) / (1 + kept.chosen)

    def _choose(self, random: Random) -> _Kept:
        """The one of a few that has most to show."""
        among = self._kept
        if not among or (self._pool and random.random() * 100 < _POOL_SHARE):
            among = self._pool
        few = [random.choice(among) for _ in range(_CONTENDERS)]
        return max(few, key=self._merit)

    def _partner(self, parent: _Kept, random: Random) -> _Kept:
        """What the trace may be spliced with: one whose words are as wide."""
        word = parent.generated.trace.word
        return random.choice([one for one in (*self._kept, *self._pool) if one.generated.trace.word == word])
