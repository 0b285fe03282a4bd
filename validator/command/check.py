"""`validate --certificate` and `validate --check`: certificates in files."""

from __future__ import annotations

import json
from pathlib import Path

import click

from optimizer.ir.faults import InputError
from validator.check.certificate import read_certificate
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
