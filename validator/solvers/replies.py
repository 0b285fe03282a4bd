"""Replies of a solver process to a script."""

from __future__ import annotations

import re
from collections.abc import Mapping

from validator.solvers.answers import GaveUp

Reply = Mapping[str, int] | GaveUp | None
"""The values of the names that were asked for, as bit patterns; None: there are none, the conditions contradict."""

_VALUE = re.compile(r"\((\|[^|]*\||[^\s()|]+)\s+#([xb])([0-9a-f]+)\)")


def values_in(text: str) -> dict[str, int]:
    """The values that the answer to `get-value` tells."""
    return {name: int(digits, 16 if base == "x" else 2) for name, base, digits in _VALUE.findall(text)}
