"""The layers: who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("optimizer", "validator", "fuzz")
OURS = {path: path.relative_to(ROOT).as_posix() for package in PACKAGES for path in (ROOT / package).rglob("*.py")}


def imports(path: Path) -> set[str]:
    """The modules that a file imports, at its top or inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            found.add(str(node.module))
    return found


def allowed(name: str) -> tuple[str, ...]:
    """What the file may import of ours."""
    if name.startswith("optimizer/ir/"):
        return ("optimizer.ir",)
    if name.startswith("optimizer/"):
        return ("optimizer",)
    if name.startswith("validator/check/"):
        return ("optimizer.ir", "validator.check")
    if name in ("validator/rule_proofs.py", "validator/float_rule_proofs.py"):
        return ("optimizer", "validator")
    if name.startswith("validator/"):
        return ("optimizer.ir", "validator")
    return ("optimizer", "validator", "fuzz")


@pytest.mark.parametrize(("path", "name"), OURS.items(), ids=OURS.values())
def test_imports_go_down(path: Path, name: str) -> None:
    for module in imports(path):
        if module.split(".")[0] in PACKAGES:
            assert any(module == part or module.startswith(part + ".") for part in allowed(name)), module


@pytest.mark.parametrize(("path", "name"), OURS.items(), ids=OURS.values())
def test_libraries_stay_where_they_belong(path: Path, name: str) -> None:
    roots = {module.split(".")[0] for module in imports(path)}
    if not name.startswith("validator/check/"):
        assert "z3" not in roots
    if name != "validator/solvers/child.py":
        assert not roots & {"bitwuzla", "cvc5"}
    if not name.startswith("fuzz/"):
        assert "hypothesis" not in roots
    if not path.name.startswith("cli"):
        assert "click" not in roots


PROVERS = ("term", "terms", "plain_terms", "bit_terms", "condition_terms", "bounds", "ranges", "knownbits")
"""What of the language the prover alone uses."""


@pytest.mark.parametrize("name", [name for name in OURS.values() if name.startswith("validator/check/")])
def test_the_checker_shares_nothing_with_provers(name: str) -> None:
    apart = {f"optimizer.ir.{module}" for module in (*PROVERS, "interpreter", "heap", "concrete", "caller")}
    assert not imports(ROOT / name) & apart


def test_the_checker_can_be_read_in_an_afternoon() -> None:
    lengths = {name: len(path.read_text().splitlines()) for path, name in OURS.items() if "validator/check/" in name}
    assert sum(lengths.values()) <= 2500
    assert max(lengths.values()) <= 420


def test_there_is_something_to_test() -> None:
    assert len(OURS) > 40
