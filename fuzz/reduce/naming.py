"""Names at the end: inputs and results are i0, i1, ... and p0, p1, ... by their types, in order."""

from __future__ import annotations

from collections import Counter

from fuzz.edits.walk import LETTERS, variables, with_names
from fuzz.reduce.candidate import Candidate
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Var
from validator.search.sites import named_by_inputs


def with_plain_names(candidate: Candidate) -> Candidate:
    """The candidate with other names, and objects named as the inputs that refer to them."""
    names: dict[Var, Var] = {}
    counts: Counter[str] = Counter()
    for trace in candidate.traces:
        for var in variables(trace):
            if var not in names:
                letter = LETTERS[var.type]
                names[var] = Var(f"{letter}{counts[letter]}", var.type)
                counts[letter] += 1
    named = candidate.with_traces([with_names(trace, names) for trace in candidate.traces])
    state = candidate.state
    return replace(named, state=state if state.heap is None else named_by_inputs(state, named.before))
