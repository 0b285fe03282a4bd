"""The wrong pairs of the corpus, reduced as pairs: does what they differ in still show?"""

from __future__ import annotations

from dataclasses import dataclass

from finding import find_in

from fuzz.campaign.examine import Find
from fuzz.cases.store import Case
from fuzz.reduce.nature import Nature, Outline
from fuzz.reduce.reduce import Reduced, reduce_find
from fuzz.reduce.trials import Subject, candidate_of
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.tell.stored_state import restored_state
from validator.verdict import Verdict


def names_of(change: Nature) -> tuple[frozenset[str], frozenset[str]]:
    """The operations that only the first trace has, and those that only the second one has."""
    return frozenset(name for name, *_ in change.removed), frozenset(name for name, *_ in change.inserted)


def told(change: Nature) -> str:
    """Names of operations before and after; where both have the same ones, what is given in place of what."""
    return str(Outline(*names_of(change), change.substituted))


@dataclass(frozen=True, slots=True)
class ReducedPair:
    """What the two traces of a case differ in, in the case and in what is left of it."""

    case: Case
    find: Find
    left: Reduced
    change: Nature
    change_left: Nature

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.find.generated.trace.ops), len(self.left.before.ops)

    @property
    def shows(self) -> bool:
        """Do the same operations stand in one trace only?"""
        return names_of(self.change) == names_of(self.change_left)

    @property
    def shows_in_part(self) -> bool:
        """Are there operations that only one trace has, and no others than in the case? Of operations that have only
        changed places, either may be taken for the one that moved: it has to be there."""
        left = [names <= all_ for names, all_ in zip(names_of(self.change_left), names_of(self.change), strict=True)]
        return self.shows or (all(left) and any(names_of(self.change_left))) or self._still_moved()

    def _still_moved(self) -> bool:
        (gone, come), (gone_left, come_left) = names_of(self.change), names_of(self.change_left)
        stay = {op.op.name for op in self.left.before.ops}
        return bool(gone) and gone == come and bool(gone_left) and gone_left == come_left and gone <= stay


def reduced_pair(case: Case, budget_s: float = 60.0) -> ReducedPair:
    """The case reduced, without an optimizer."""
    before = parse(case.before)
    after = parse(case.after or "", word=before.word)

    def judged(before: Trace, after: Trace, state: State) -> Verdict:
        return validate(before, after, case.options, examples=(state,))

    subject = Subject(None, judged, case.options)
    find = find_in(before, after, subject, restored_state(case.state, before, layout_of(before), case.name))
    assert find is not None
    left = reduce_find(find, subject, budget_s)
    changes = [candidate_of(one, subject).change for one in (find, left.find)]
    assert changes[0] is not None
    assert changes[1] is not None
    return ReducedPair(case, find, left, changes[0].nature, changes[1].nature)
