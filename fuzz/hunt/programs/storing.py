"""Where the variables of a loop are kept: in a frame, in cells of a closure, in attributes, in globals."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fuzz.draw.choices import Choices

_NONLOCAL = re.compile(r"nonlocal (\w+)")


def stored(lines: Sequence[str], names: Sequence[str], choices: Choices) -> list[str]:
    """The lines of a function, some of whose variables are kept somewhere else."""
    text = "\n".join(lines)
    moved = [name for name in names if name not in _NONLOCAL.findall(text) and choices.chance(60)]
    if not moved or choices.chance(50):
        return [text]
    return choices.pick((_in_cells, _in_cells, _in_attributes, _in_attributes, _in_globals))(text, moved)


def _in_cells(text: str, names: Sequence[str]) -> list[str]:
    return [f"def kept():\n    return ({', '.join(names)},)", text]


def _in_attributes(text: str, names: Sequence[str]) -> list[str]:
    begins = "\n".join(f"kept.{name} = {name}" for name in names)
    return [f"kept = Kept()\n{begins}", _renamed(text, names, "kept.{}")]


def _in_globals(text: str, names: Sequence[str]) -> list[str]:
    names = [name for name in names if f"{name}: " not in text] or ["stop"]  # what is annotated cannot be global
    begins = "\n".join(f"kept_{name} = {name}" for name in names)
    declared = f"global {', '.join(f'kept_{name}' for name in names)}"
    return [f"{declared}\n{begins}", _renamed(text, names, "kept_{}")]


def _renamed(text: str, names: Sequence[str], pattern: str) -> str:
    return re.sub(rf"\b({'|'.join(names)})\b", lambda found: pattern.format(found[1]), text)
