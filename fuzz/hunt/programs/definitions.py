"""Definitions that parts speak of; a program has those that it uses."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_IMPORTS = {
    "sqrt": "from math import sqrt",
    "floor": "from math import floor",
    "copysign": "from math import copysign",
    "array": "from array import array",
    "pack": "from struct import pack",
    "unpack": "from struct import unpack",
    "pack_into": "from struct import pack_into",
    "unpack_from": "from struct import unpack_from",
    "iter_unpack": "from struct import iter_unpack",
    "residual_call": "from pypyjit import residual_call",
    "index": "from operator import index",
    "attrgetter": "from operator import attrgetter",
    "itemgetter": "from operator import itemgetter",
    "re": "import re",
    "deque": "from collections import deque",
    "Counter": "from collections import Counter",
    "OrderedDict": "from collections import OrderedDict",
    "defaultdict": "from collections import defaultdict",
    "namedtuple": "from collections import namedtuple",
    "islice": "from itertools import islice",
    "accumulate": "from itertools import accumulate",
    "product": "from itertools import product",
    "chain": "from itertools import chain",
    "repeat": "from itertools import repeat",
    "takewhile": "from itertools import takewhile",
    "heappush": "from heapq import heappush",
    "heappop": "from heapq import heappop",
    "bisect_left": "from bisect import bisect_left",
    "reduce": "from functools import reduce",
    "partial": "from functools import partial",
    "lru_cache": "from functools import lru_cache",
    "copy": "from copy import copy",
    "fsum": "from math import fsum",
    "frexp": "from math import frexp",
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
