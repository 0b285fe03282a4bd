"""Names at the end: inputs and results are i0, i1, ... and p0, p1, ... by their types, in order."""

from __future__ import annotations

from collections import Counter

from fuzz.edits.walk import LETTERS, variables, with_names
from fuzz.reduce.candidate import Candidate
from optimizer.ir.immutable import replace
from optimizer.ir.run.objects import NULL, RAW_REF, Ref
from optimizer.ir.text.string_text import constant_name
from optimizer.ir.trace import Trace, Var
from validator.search.counterexample import State
from validator.search.sites import renamed


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
    return replace(named, state=_with_objects(candidate.state, named.before))


def _with_objects(state: State, trace: Trace) -> State:
    if state.heap is None:
        return state
    names: dict[Ref, Ref] = {}
    for var, value in zip(trace.inputs, state.inputs, strict=True):
        if isinstance(value, Ref) and value != NULL and constant_name(value.name) is None:
            names.setdefault(value, Ref(var.name))
    number = 0
    for ref in state.heap.objects:
        if ref not in names and ref != RAW_REF and constant_name(ref.name) is None:
            names[ref] = Ref(f"q{number}")
            number += 1
    return renamed(state, names)
