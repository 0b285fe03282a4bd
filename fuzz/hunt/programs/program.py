"""Programs: several functions with a hot loop each, called with several sets of arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from textwrap import indent

from fuzz.draw.choices import Choices, RandomChoices
from fuzz.hunt.programs.definitions import definitions_for
from fuzz.hunt.programs.part import HELD, LOCALS, Part, read_parts
from fuzz.hunt.programs.prelude import PRELUDE
from fuzz.hunt.programs.scope import Scope
from fuzz.hunt.programs.traces import trace_function
from fuzz.hunt.programs.values import ARGUMENTS, ODD

_FAMILIES = (
    *("integers", "bounded", "wrapping", "floats", "conversions", "objects", "carried", "moves"),
    *("effects", "lists", "mappings", "texts", "buffers", "calls", "library", "control"),
)
FAMILIES = {family: read_parts(family) for family in _FAMILIES}
"""The parts of the grammar, by family."""

_FUNCTIONS = 6
"""The functions of a program."""

_TRACES = 20
"""The percentage of the functions that are traces as `traceproof fuzz` draws them."""

_HEADS = (
    "for turn in range(start, stop):\n{}",
    "turn = start\nwhile turn < stop:\n    turn: int = turn + 1\n{}",
    "for turn in list(range(start, stop)):\n{}",
)


@dataclass(frozen=True, slots=True)
class Program:
    """A program in Python 3 that ends by itself in about a second, and prints a digest of what each function computes.

    With TRACEPROOF_VERBOSE in the environment it prints all that goes into the digests. `parts` are the names of the
    parts of the grammar that it is made of; it `is_portable` if other Pythons than PyPy run it too.
    """

    seed: int
    source: str
    parts: tuple[str, ...]
    is_portable: bool


def draw_program(seed: int) -> Program:
    """The program of that seed, the same everywhere."""
    choices = RandomChoices(Random(seed))
    used: list[Part] = []
    functions = [
        trace_function(f"f{number}", choices) if choices.chance(_TRACES) else _function(f"f{number}", choices, used)
        for number in range(_FUNCTIONS)
    ]
    parts = sorted({part.name for part in used})
    return Program(seed, assembled(functions), tuple(parts), all(part.is_portable for part in used))


def assembled(functions: list[str]) -> str:
    """The text of a program of these functions, each with its calls."""
    text = "\n\n\n".join(functions)
    return "\n\n\n".join(each for each in (PRELUDE.strip("\n"), definitions_for(text), text) if each) + "\n"


def _function(name: str, choices: Choices, used: list[Part]) -> str:
    """A function with a hot loop, and its calls."""
    chosen = [choices.pick(tuple(FAMILIES)) for _ in range(choices.integer(1, 2))]
    chosen += ["moves"] * choices.chance(25)
    scope = Scope(choices, FAMILIES, (*chosen, *chosen, "integers", "bounded", "carried", "control"))
    scope.local("w")
    loop = scope.repeated(lambda: "\n".join(choices.several(2, 5, scope.statement)))
    caught = choices.chance(50)
    if caught:
        loop = f"try:\n{indent(loop, '    ')}\nexcept Exception as error:\n    failed = type(error).__name__"
    names = [name for kind in LOCALS for name in scope.locals.get(kind, ())] + ["failed"] * caught
    lines = [*scope.before, choices.pick(_HEADS).format(indent(loop, "    ")), f"return ({', '.join(names)},)"]
    text = _stored("\n".join(lines), names, choices)
    used += scope.used
    header = f"def {name}(start, stop, {', '.join(names)}):\n"
    return header + indent(text, "    ") + f"\n\n\nrun(\n    {name},\n{_calls(names, choices)})"


def _calls(names: list[str], choices: Choices) -> str:
    """The sets of arguments: ordinary ones first, then such that guards fail at, then such that are one object."""

    def argument(name: str, odd: int) -> str:
        if name == "failed":
            return "None"
        if name[0] in ODD and choices.chance(odd):
            return choices.pick(ODD[name[0]])
        return choices.pick(ARGUMENTS[name[0]])

    sets = [[argument(name, odd) for name in names] for odd in (0, 30, 70)]
    shared = [name for name in names if name[0] in HELD and name.endswith("1")]
    if shared:
        values = [argument(name, 20) for name in names]
        for name in shared:
            first = name[0] + "0"
            values[names.index(first)] = f"({first} := {values[names.index(first)]})"
            values[names.index(name)] = first
        sets.insert(choices.integer(1, 3), values)
    return "".join(f"    lambda: ({', '.join(values)},),\n" for values in sets)


# Where the variables of a loop are kept.

_NONLOCAL = re.compile(r"nonlocal (\w+)")


def _stored(text: str, names: Sequence[str], choices: Choices) -> str:
    """The text of a function, some of whose variables are kept in cells of a closure, in attributes, in globals."""
    moved = [name for name in names if name not in _NONLOCAL.findall(text) and choices.chance(60)]
    if not moved or choices.chance(50):
        return text
    return choices.pick((_in_cells, _in_cells, _in_attributes, _in_attributes, _in_globals))(text, moved)


def _in_cells(text: str, names: Sequence[str]) -> str:
    return f"def kept():\n    return ({', '.join(names)},)\n{text}"


def _in_attributes(text: str, names: Sequence[str]) -> str:
    begins = "\n".join(f"kept.{name} = {name}" for name in names)
    return f"kept = Kept()\n{begins}\n{_renamed(text, names, 'kept.{}')}"


def _in_globals(text: str, names: Sequence[str]) -> str:
    names = [name for name in names if f"{name}: " not in text] or ["stop"]  # what is annotated cannot be global
    begins = "\n".join(f"kept_{name} = {name}" for name in names)
    declared = f"global {', '.join(f'kept_{name}' for name in names)}"
    return f"{declared}\n{begins}\n{_renamed(text, names, 'kept_{}')}"


def _renamed(text: str, names: Sequence[str], pattern: str) -> str:
    return re.sub(rf"\b({'|'.join(names)})\b", lambda found: pattern.format(found[1]), text)
