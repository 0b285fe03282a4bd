"""The module of a user's optimizer. Modules of the current folder go before installed ones, as for a script; but Python
itself and what traceproof is made of keep their names."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module, invalidate_caches
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from optimizer.ir.faults import InputError

_OURS = frozenset({"optimizer", "validator", "fuzz"})


def load_module(name: str) -> ModuleType:
    """The module of that name. Raises InputError where the current folder has one that cannot be told from another one,
    and what the import raises."""
    folder = str(Path.cwd())
    invalidate_caches()
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Folder)]
    if _in_folder(name, folder):
        _check_alone(name.partition(".")[0], folder)
    sys.meta_path.insert(0, _Folder(folder))
    return import_module(name)


def _in_folder(name: str, folder: str) -> bool:
    *packages, last = name.split(".")
    spec = PathFinder.find_spec(last, [str(Path(folder, *packages))])
    return spec is not None and spec.loader is not None


def _check_alone(name: str, folder: str) -> None:
    """Raises InputError where this top-level name of the folder is that of another module, which has to keep it."""
    here = PathFinder.find_spec(name, [folder])
    assert here is not None
    loaded = sys.modules.get(name)
    other = _elsewhere(name, folder) if loaded is None else loaded.__spec__
    if other is None or _place(other) == _place(here):
        return
    if loaded is not None or here.loader is None or _is_reserved(name):
        raise InputError(
            f"--optimizer: {name} may be {_place(here)} or {_place(other)}; the latter has to keep its name: "
            "call yours otherwise"
        )


def _elsewhere(name: str, folder: str) -> ModuleSpec | None:
    if name in sys.builtin_module_names:
        return find_spec(name)
    return PathFinder.find_spec(name, [path for path in sys.path if path and Path(path) != Path(folder)])


def _place(spec: ModuleSpec) -> str:
    return spec.origin or ", ".join(spec.submodule_search_locations or ())


def _is_reserved(name: str) -> bool:
    return name in sys.stdlib_module_names or name in _OURS or name in _dependencies()


@cache
def _dependencies() -> frozenset[str]:
    """The modules of the packages that traceproof needs or may use, and that these need."""
    from importlib.metadata import PackageNotFoundError, packages_distributions, requires  # here: it takes a while

    needed, left = set(), ["traceproof"]
    while left:
        package = left.pop()
        if package in needed:
            continue
        needed.add(package)
        with suppress(PackageNotFoundError):
            left += [_normal(re.split(r"[^\w.-]", text, maxsplit=1)[0]) for text in requires(package) or ()]
    found = packages_distributions().items()
    return frozenset(name for name, packages in found if not needed.isdisjoint(map(_normal, packages)))


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


class _Folder(MetaPathFinder):
    """Finds modules in a folder, but for those whose names are taken."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None:
            return None
        here = PathFinder.find_spec(fullname, [self._folder])
        if here is None or _elsewhere(fullname, self._folder) is None:
            return here
        return None if here.loader is None or _is_reserved(fullname) else here
