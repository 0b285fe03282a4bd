"""The verdict on the pair of the page."""

from __future__ import annotations

from fuzz.report.judged import judge_pair
from fuzz.report.pair_page import judged_part
from fuzz.serve.question import Answer, Asked


def validate(asked: Asked) -> Answer:
    """The verdict on the pair, with a run of both traces."""
    pair = judge_pair(*asked.traces(), asked.options)
    return {"html": judged_part(pair), "verdict": pair.name}
