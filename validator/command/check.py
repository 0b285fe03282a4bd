"""`validate --certificate` and `validate --check`: certificates in files."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from optimizer.ir.faults import InputError
from validator.check.certificate import Certificate
from validator.check.checker import check
from validator.command.exits import Exit
from validator.command.files import file_name, read_trace
from validator.prove.audit import audit_of
from validator.tell.report import check_json, check_text
from validator.verdict import Options


def check_pair(
    before_path: str, after_path: str, path: str, options: Options, types: str | None, word: int | None, as_json: bool
) -> int:
    """Checks the certificate in that file, and says what came of it."""
    before, after = read_trace(before_path, word, types), read_trace(after_path, word, types)
    try:
        text = Path(path).read_text()
    except UnicodeDecodeError:
        raise InputError("this is no certificate: it is not text", file=path) from None
    certificate = read_certificate(text, path)
    found = check(before, after, certificate, options.guards, options.failargs, options.effort, options.timeout_s)
    audit = audit_of(found)
    told = {"name": file_name(after_path), "check": check_json(audit)}
    click.echo(json.dumps(told) if as_json else check_text(audit))
    return Exit.UNKNOWN if audit.unsettled else Exit.PROVED


def read_certificate(text: str, file: str = "certificate") -> Certificate:
    """The certificate of that text. Raises InputError."""
    parts = {field.name for field in fields(Certificate)}
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or set(data) != parts:
            raise ValueError(f"it must have {', '.join(sorted(parts))}, and nothing else")
        return Certificate(
            tuple(None if one is None else _number(one) for one in data["origins"]),
            tuple((_number(one), _number(other)) for one, other in data["partners"]),
            tuple((_of(trace, str), _of(var, str), _of(other, str, int)) for trace, var, other in data["equal"]),
        )
    except (ValueError, TypeError, RecursionError) as problem:
        raise InputError(f"this is no certificate: {problem}", file=file) from None


def _number(value: Any) -> int:
    if _of(value, int) < 0:
        raise ValueError(f"expected the number of a guard or an operation, got {value}")
    return int(value)


def _of(value: Any, *types: type) -> Any:
    if type(value) not in types:
        raise TypeError(f"expected a number, or the name of a trace or variable, got {value!r}")
    return value
