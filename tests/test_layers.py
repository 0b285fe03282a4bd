"""The layers: who may import whom."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("optimizer", "validator", "fuzz")
OURS = {path: path.relative_to(ROOT).as_posix() for package in PACKAGES for path in (ROOT / package).rglob("*.py")}


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All nodes of a file that say what it imports and what it documents."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)]


def imports(path: Path) -> set[str]:
    """The modules that a file imports, at its top or inside functions."""
    found: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            found.add(str(node.module))
    return found


def allowed(name: str) -> tuple[str, ...]:
    """The packages of ours that the file may import."""
    if name.startswith("optimizer/ir/"):
        return ("optimizer.ir",)
    if name.startswith("optimizer/"):
        return ("optimizer",)
    if name.startswith("validator/check/"):
        return ("optimizer.ir", "validator.check")
    if name in ("validator/rules/proofs.py", "validator/rules/float_proofs.py"):
        return ("optimizer", "validator")
    if name.startswith("validator/"):
        return ("optimizer.ir", "validator")
    return ("optimizer", "validator", "fuzz")


def test_imports_go_down() -> None:
    for path, name in OURS.items():
        for module in imports(path):
            if module.split(".")[0] in PACKAGES:
                assert any(module == part or module.startswith(part + ".") for part in allowed(name)), (name, module)


def test_libraries_stay_where_they_belong() -> None:
    for path, name in OURS.items():
        roots = {module.split(".")[0] for module in imports(path)}
        if not name.startswith("validator/check/"):
            assert "z3" not in roots, name
        if name != "validator/solvers/child.py":
            assert not roots & {"bitwuzla", "cvc5"}, name
        if not name.startswith("fuzz/"):
            assert "hypothesis" not in roots, name
        if "/command/" not in name:
            assert "click" not in roots, name


def test_the_checker_shares_nothing_with_provers() -> None:
    for path, name in OURS.items():
        if name.startswith("validator/check/"):
            assert not [module for module in imports(path) if module.startswith(PROVERS)], name


PROVERS = ("optimizer.ir.domains", "optimizer.ir.run")
"""The parts of the language that are not the checker's: the domains that proofs are found over, and runs."""


def test_the_checker_can_be_read_in_an_afternoon() -> None:
    lengths = {name: len(path.read_text().splitlines()) for path, name in OURS.items() if "validator/check/" in name}
    assert sum(lengths.values()) <= 2_000
    assert max(lengths.values()) <= 420


MOST_FILES = 20
"""In a folder: more are a warehouse."""


def test_a_folder_holds_what_a_reader_holds_in_mind() -> None:
    held = Counter(str(path.parent.relative_to(ROOT)) for path in OURS if path.name != "__init__.py")
    assert not {folder: number for folder, number in held.items() if number > MOST_FILES}


def test_the_page_on_the_architecture_names_each_folder() -> None:
    named = set(re.findall(r"^\| `([\w/]+)` \|", (ROOT / "docs" / "architecture.md").read_text(), re.MULTILINE))
    assert named == {str(path.parent.relative_to(ROOT)) for path in OURS}


VAGUE = ("What", "Which", "Whether", "That", "Those")
"""The words that begin a docstring which does not name its thing."""
DOCUMENTED = {**OURS, **{path: path.relative_to(ROOT).as_posix() for path in (ROOT / "scripts").rglob("*.py")}}


def docstrings(path: Path) -> list[str]:
    """The docstrings of a file's module, classes and functions, and the strings behind its constants and fields."""
    expressions = [node.value for node in nodes_of(path) if isinstance(node, ast.Expr)]
    constants = [value.value for value in expressions if isinstance(value, ast.Constant)]
    return [constant for constant in constants if isinstance(constant, str)]


def test_docstrings_name_the_thing_first() -> None:
    for path, name in DOCUMENTED.items():
        words = {text: text.split(maxsplit=1)[0].strip(",.:;") for text in docstrings(path)}
        assert not [text for text, word in words.items() if word in VAGUE], name


def test_there_is_something_to_test() -> None:
    assert len(OURS) > 40
