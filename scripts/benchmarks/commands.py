"""The command `validate` as its users have it: started for one pair, and reading many small ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from benchmarks.workloads import MIXED_SHAPE, Sample, optimized
from optimizer.ir.text import format_trace

_COMMAND = [sys.executable, "-c", "from validator.command.validate import main; main()"]

_SMALL = replace(MIXED_SHAPE, min_operations=5, max_operations=10)

_BY_STRUCTURE = (
    "[i0, i1]\ni2 = int_add(i0, 2)\ni3 = int_add(i2, 3)\nguard_true(i1) [i3]\nfinish(i3)\n",
    "[i0, i1]\ni2 = int_add(i0, 5)\nguard_true(i1) [i2]\nfinish(i2)\n",
)


@dataclass(frozen=True, slots=True)
class Commands:
    """Seconds: of starts of `validate` for a pair that structure settles (`fastest`, and the median), and of the
    interpreter alone; of small pairs in one `validate --batch`, their parsing included (the median, and all of them).
    `verdicts` counts those of the batch."""

    starts: int
    fastest: float
    start: float
    interpreter: float
    pairs: int
    pair: float
    batch: float
    verdicts: dict[str, int]


def measure_commands(starts: int, pairs: int) -> Commands:
    """Start the command so many times, and give it so many pairs of up to ten operations."""
    with tempfile.TemporaryDirectory() as folder:
        # The compiled files are there for whoever has installed the command: the first start, left out, sees to that.
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        files = [str(_written(Path(folder, name), text)) for name, text in zip("ab", _BY_STRUCTURE, strict=True)]
        taken = [_run([*_COMMAND, *files], environment) for _ in range(starts + 1)][1:]
        bare = [_run([sys.executable, "-c", "pass"], environment) for _ in range(starts)]
        batch = Path(folder, "pairs.jsonl")
        samples = [optimized(_SMALL)(seed) for seed in range(1, pairs + 1)]
        _written(batch, "".join(map(_line, samples)))
        seconds, verdicts = _batch([*_COMMAND, "--batch", str(batch)], environment)
    return Commands(starts, min(taken), median(taken), median(bare), pairs, median(seconds), sum(seconds), verdicts)


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def _line(sample: Sample) -> str:
    texts = {"before": format_trace(sample.before), "after": format_trace(sample.after)}
    return json.dumps({"name": "", **texts}) + "\n"


def _run(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


def _batch(command: list[str], environment: dict[str, str]) -> tuple[list[float], dict[str, int]]:
    """The time from one verdict to the next; that to the first one is left out, as the command starts in it."""
    seconds: list[float] = []
    verdicts: dict[str, int] = {}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        last = None
        for line in running.stdout:
            now = time.perf_counter()
            if last is not None:
                seconds.append(now - last)
            last = now
            verdict = json.loads(line)["verdict"]
            verdicts[verdict] = verdicts.get(verdict, 0) + 1
    return seconds, verdicts
