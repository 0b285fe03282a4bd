"""Definitions that parts speak of; a program has those that it uses."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_FROM = (
    ("math", "sqrt floor copysign"),
    ("array", "array"),
    ("struct", "pack unpack pack_into unpack_from iter_unpack"),
    ("pypyjit", "residual_call"),
    ("operator", "index attrgetter itemgetter"),
    ("", "re"),
    ("collections", "deque Counter OrderedDict defaultdict namedtuple"),
    ("itertools", "islice accumulate product chain repeat takewhile"),
    ("heapq", "heappush heappop"),
    ("bisect", "bisect_left"),
    ("functools", "reduce partial lru_cache"),
    ("copy", "copy"),
    ("math", "fsum frexp"),
)
"""Names that are imported from modules, in the order of the lines; or modules themselves."""

_IMPORTS = {
    **{
        name: f"from {module} import {name}" if module else f"import {name}"
        for module, names in _FROM
        for name in names.split()
    },
    "gcd_of": "from math import gcd as gcd_of",
}

_WORDS = re.compile(r"\w+")


def _definitions() -> dict[str, str]:
    """The text of each definition, by its name."""
    text = (Path(__file__).parent / "helpers.txt").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for node in ast.parse(text).body:
        assert isinstance(node, ast.ClassDef | ast.FunctionDef | ast.Assign)
        decorators = [] if isinstance(node, ast.Assign) else node.decorator_list
        first = min(each.lineno for each in (node, *decorators))
        name = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else node.name
        found[name] = "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    own = found["intop"].replace("\n", "\n    ")
    found["intop"] = f"try:\n    from __pypy__ import intop\nexcept ImportError:\n\n    {own}"
    return found


_DEFINITIONS = _definitions()


def definitions_for(text: str) -> str:
    """The imports and definitions that the text needs, and that these need."""
    needed: set[str] = set()
    words = set(_WORDS.findall(text))
    while more := (words & _DEFINITIONS.keys()) - needed:
        needed |= more
        words.update(*(_WORDS.findall(_DEFINITIONS[name]) for name in more))
    imports = "\n".join(text for name, text in _IMPORTS.items() if name in words)
    return "\n\n\n".join([imports, *(text for name, text in _DEFINITIONS.items() if name in needed)]).strip("\n")
