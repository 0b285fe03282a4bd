"""All that a checked proof rests on is few lines, and docs/checker.md names it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_LINES = 6_000
"""Of all that is loaded when pairs are read and checked."""

LOADED = """
import sys
from pathlib import Path
from optimizer.ir.text.parser import parse
from validator.check.certificate import Certificate
from validator.check.checker import check

for case in sorted(Path("corpus").iterdir())[::6]:
    if (case / "after.trace").exists() and not case.name.startswith("toy-dialect"):
        before = parse((case / "before.trace").read_text())
        after = parse((case / "after.trace").read_text(), word=before.word)
        check(before, after, Certificate(tuple(0 if before.guards else None for _ in after.guards)), effort=1000)
for name, module in sys.modules.items():
    if name.split(".")[0] in ("optimizer", "validator", "fuzz"):
        print(module.__file__)
"""


@pytest.fixture(scope="module")
def loaded() -> dict[str, int]:
    """The files that are loaded when the pairs of the corpus are read and checked, with their lines."""
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [Path(name) for name in done.stdout.split()]
    return {path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in files}


def test_a_checked_proof_rests_on_few_lines(loaded: dict[str, int]) -> None:
    assert sum(loaded.values()) <= MOST_LINES


def test_the_page_names_what_a_checked_proof_rests_on(loaded: dict[str, int]) -> None:
    rows = re.findall(r"^\| `([\w/.]+)` \|.*\| (\d+) \|$", (ROOT / "docs" / "checker.md").read_text(), re.MULTILINE)
    minutes = {name: int(said) for name, said in rows}
    assert set(minutes) == set(loaded)
    for name, lines in loaded.items():
        takes = lines / (10 if name.startswith("validator/check/") else 30)
        assert abs(minutes[name] - takes) <= 2 + takes / 4, f"{name} takes {takes:.0f} minutes"
