"""The source of the traces of a batch: each is generated from its seed, or mutated.

The first seeds of a campaign are the traces of its pool, as they are. What is mutated are these, and those of the batch
that have made something fire that nothing in the batch has made fire before, or two things that have not fired
together. Of an optimizer that does not tell what fired it is what can be seen from outside: what it has changed. So
what is drawn depends on the pool, on the first seed of the batch, and on what became of the seeds between; on nothing
else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from fuzz.campaign.changes import seen_changes
from fuzz.campaign.examine import Made, Record
from fuzz.draw.generator import GeneratedTrace, generate_for
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from fuzz.mutate.mutate import mutate
from fuzz.mutate.pool import PoolTrace
from optimizer.ir.trace import Trace

_MOST_KEPT = 64
_CONTENDERS = 3
_OVERHEAD = 10
"""The overhead of a trace, as the number of operations that take as long, without those that it has."""

_POOL_SHARE = 30
"""The percentage of mutated traces that are from the pool, once the batch has kept some."""


def _shown_by(record: Record) -> frozenset[str]:
    """The parts that took part in optimizing; where the optimizer does not tell, what it has changed."""
    if record.fired or record.made is None or not isinstance(record.after, Trace):
        return record.fired
    return seen_changes(record.made.generated.trace, record.after)


@dataclass(slots=True, eq=False)
class _Kept:
    """A trace worth mutating; `fired` is in order, `chosen` says how often it was."""

    name: str
    generated: GeneratedTrace
    fired: tuple[str, ...] = ()
    chosen: int = 0


class Drawing:
    """Draws the traces of one batch in the order of its seeds. The seeds from `start` on are the traces of the pool; of
    the others `mutate` percent are mutated, as far as there is something to mutate. All of them but those of the pool
    keep to the vocabulary."""

    def __init__(
        self, pool: Sequence[PoolTrace], mutate: int, start: int = 0, vocabulary: Vocabulary = EVERYTHING
    ) -> None:
        self._given = pool
        self._start = start
        self._left = list(range(len(pool)))  # those that an example may be found for
        self._pool: dict[int, _Kept] = {}
        self._mutate = mutate
        self._vocabulary = vocabulary
        self._kept: list[_Kept] = []
        self._fired: Counter[str] = Counter()
        self._together: defaultdict[str, set[str]] = defaultdict(set)

    def draw(self, seed: int, first: int) -> Made:
        """The trace of the seed, in the batch that starts at `first`."""
        if self._is_given(seed):
            number = seed - self._start
            return Made(seed, self._given[number].as_it_is, (f"pool {number}",), first, is_given=True)
        random = Random(f"{first} {seed}")
        parent = None if random.random() * 100 >= self._mutate else self._choose(random)
        if parent is None:
            return Made(seed, generate_for(seed, self._vocabulary), first=first)
        parent.chosen += 1
        partner = self._partner(parent, random)
        made = mutate(parent.generated, [partner.generated], random, self._vocabulary)
        parents = tuple(dict.fromkeys((parent.name, partner.name)))
        return Made(seed, made, parents, first)

    def note(self, record: Record) -> None:
        """Learn from a trace that was drawn: to be told of all, in the order of their seeds."""
        if not self._mutate or self._is_given(record.seed):
            return
        fired = _shown_by(record)
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
        """The amount of what fires there and seldom in this batch; the less, the more often the trace was mutated, and
        the longer it is."""
        rare = sum(1 / self._fired[name] for name in kept.fired)
        return rare / (1 + kept.chosen) / (_OVERHEAD + len(kept.generated.trace.ops)) ** 2

    def _is_given(self, seed: int) -> bool:
        return 0 <= seed - self._start < len(self._given)

    def _choose(self, random: Random) -> _Kept | None:
        """The one of a few that has most to show, None where there is none at all."""
        if not self._kept or (self._left and random.random() * 100 < _POOL_SHARE):
            few = [one for _ in range(_CONTENDERS) if (one := self._from_pool(random)) is not None]
        else:
            few = [random.choice(self._kept) for _ in range(_CONTENDERS)]
        return max(few, key=self._merit, default=None)

    def _from_pool(self, random: Random) -> _Kept | None:
        """A trace of the pool that has an example."""
        while self._left:
            number = random.choice(self._left)
            if number in self._pool:
                return self._pool[number]
            example = self._given[number].example
            if example is not None and not self._vocabulary.foreign(example.trace):
                self._pool[number] = _Kept(f"pool {number}", example)
            else:
                self._left.remove(number)
        return None

    def _partner(self, parent: _Kept, random: Random) -> _Kept:
        """A trace to splice it with: one whose words are as wide."""
        known = (*self._kept, *self._pool.values())
        return random.choice([one for one in known if one.generated.trace.word == parent.generated.trace.word])
