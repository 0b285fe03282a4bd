"""The certificate that a prover hands to the checker: hints, which can make it fail and never make it accept.

- `origins` of the guards of the optimized trace, in order.
- `partners`: which of its allocations stands for which one of the recorded trace, by the numbers of the operations.
- `equal` and `bounds` are cuts: a variable, of the trace `before` or `after`, is one of the recorded trace or a machine
  int, or lies between two machine ints. Each is proved where the variable is defined, and used behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from optimizer.ir.faults import InputError

BEFORE, AFTER = "before", "after"


@dataclass(frozen=True, slots=True)
class Certificate:
    origins: tuple[int | None, ...] = ()
    partners: tuple[tuple[int, int], ...] = ()
    equal: tuple[tuple[str, str, str | int], ...] = ()
    bounds: tuple[tuple[str, str, int, int], ...] = ()


def certificate_json(certificate: Certificate) -> dict[str, Any]:
    """The certificate as data that JSON can hold."""
    return {
        "origins": list(certificate.origins),
        "partners": [list(pair) for pair in certificate.partners],
        "equal": [list(cut) for cut in certificate.equal],
        "bounds": [list(cut) for cut in certificate.bounds],
    }


def write_certificate(certificate: Certificate) -> str:
    import json  # here: most proofs are not handed on

    return json.dumps(certificate_json(certificate)) + "\n"


def read_certificate(text: str, file: str = "certificate") -> Certificate:
    """The certificate of that text. Raises InputError."""
    import json

    try:
        return _certificate(json.loads(text))
    except (ValueError, TypeError, RecursionError) as problem:
        raise InputError(f"this is no certificate: {problem}", file=file) from None


def _certificate(data: Any) -> Certificate:
    parts = {field.name for field in fields(Certificate)}
    if not isinstance(data, dict) or set(data) != parts:
        raise ValueError(f"it must have {', '.join(sorted(parts))}, and nothing else")
    return Certificate(
        tuple(None if one is None else _number(one) for one in data["origins"]),
        tuple((_number(one), _number(other)) for one, other in data["partners"]),
        tuple(
            (_trace(trace), _name(one), other if isinstance(other, str) else _integer(other))
            for trace, one, other in data["equal"]
        ),
        tuple((_trace(trace), _name(one), _integer(low), _integer(high)) for trace, one, low, high in data["bounds"]),
    )


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"expected a whole number, got {value!r}")
    return value


def _number(value: Any) -> int:
    if _integer(value) < 0:
        raise ValueError(f"expected the number of a guard or an operation, got {value}")
    return _integer(value)


def _trace(value: Any) -> str:
    if value not in (BEFORE, AFTER):
        raise ValueError(f"expected {BEFORE} or {AFTER}, got {value!r}")
    return str(value)


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected the name of a variable, got {value!r}")
    return value
