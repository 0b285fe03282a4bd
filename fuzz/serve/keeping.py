"""The pair of the page as a case of a corpus."""

from __future__ import annotations

import shlex

from fuzz.cases.run import judged_case
from fuzz.cases.store import Case, case_files
from fuzz.serve.question import Answer, Asked


def case(asked: Asked) -> Answer:
    """The commands of a shell that make the pair, or the recorded trace alone, a case with the verdict on it."""
    if asked.is_pair:
        asked.traces()
    asked.recorded()
    after = asked.after if asked.is_pair else None
    made = judged_case(Case("from-the-playground", asked.before, after, source="by hand", options=asked.options))
    folder = f"corpus/{made.name}"
    files = [f"printf %s {shlex.quote(text)} > {folder}/{name}" for name, text in case_files(made).items()]
    return {"copy": "\n".join([f"mkdir -p {folder}", *files, ""])}
