"""Writes plain data as TOML; Python itself only reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

TomlValue = str | int | bool | Mapping[str, "TomlValue"] | tuple["TomlValue", ...]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def format_toml(data: Mapping[str, TomlValue]) -> str:
    """TOML text of strings, integers, booleans, tuples, and tables one level deep, in the order of `data`."""
    plain = {key: value for key, value in data.items() if not isinstance(value, Mapping)}
    tables = {key: value for key, value in data.items() if isinstance(value, Mapping)}
    lines = _lines(plain)
    for name, table in tables.items():
        lines += ["", f"[{_key(name)}]", *_lines(table)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _lines(table: Mapping[str, TomlValue]) -> list[str]:
    return [f"{_key(key)} = {_text(value) or _value(value)}" for key, value in table.items()]


def _text(value: TomlValue) -> str:
    """Text in several lines as it stands, where that is possible; else nothing."""
    if not isinstance(value, str) or "\n" not in value or "'''" in value or value.endswith("'"):
        return ""
    return f"'''\n{value}'''" if all(line.isprintable() for line in value.split("\n")) else ""


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def _value(value: TomlValue) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return _string(value)
        case tuple():
            return f"[{', '.join(map(_value, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{_key(k)} = {_value(v)}' for k, v in value.items())}}}"


def _string(text: str) -> str:
    # A JSON string is a TOML string, but for DEL and lone surrogates.
    whole = text.encode(errors="backslashreplace").decode()
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
