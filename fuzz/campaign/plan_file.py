"""The file that holds the plan of a campaign or a hunt, and the versions of what its results depend on."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from fuzz.campaign.find import versions
from optimizer.ir.faults import InputError
from validator.command.exits import describe, input_errors
from validator.tell.plain_data import to_plain

P = TypeVar("P")


def load_plan(path: Path, what: str, read: Callable[[Any], P]) -> P:
    """The plan of `what` (a campaign, a hunt), read from its data. Raises InputError."""
    try:
        return read(json.loads(path.read_bytes())["plan"])
    except FileNotFoundError:
        raise InputError(f"{path.parent}: there is no {what} in this folder") from None
    except OSError as problem:
        raise InputError(describe(problem)) from None
    except (ValueError, KeyError, TypeError) as problem:
        raise InputError(f"this is no plan of a {what}: {problem!r}", file=str(path)) from None


def store_plan(path: Path, plan: object) -> bool:
    """Writes a plan, as a whole or not at all; False if there is one already. Beside it is the folder of cases. Raises
    OSError, and InputError where it cannot be written."""
    (path.parent / "cases").mkdir(parents=True, exist_ok=True)
    text = json.dumps({"plan": to_plain(plan), "versions": dict(versions())}, indent=2) + "\n"
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with input_errors(name=str(path)), os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.link(name, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(name)
    return True
