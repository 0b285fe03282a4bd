"""Names of a package that are loaded when they are first asked for (PEP 562); the stub beside it says from where."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

_HOME = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


@cache
def _homes(package: str) -> dict[str, str]:
    """The module of each name that the package's stub has."""
    with open(f"{import_module(package).__file__}i", encoding="utf-8") as stub:
        return {name: home for home, name in _HOME.findall(stub.read())}


def load(package: str, name: str) -> Any:
    """The package's name, which is in none of its modules that have been loaded."""
    homes = _homes(package)
    if name == "__all__":
        return tuple(homes)
    if name not in homes:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(homes[name]), name)
