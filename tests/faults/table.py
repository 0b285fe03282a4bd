"""The table of planted faults."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from typing import TypeVar

from faults.bounds_faults import BOUNDS_FAULTS
from faults.bytes_faults import BYTES_FAULTS, BYTES_VALIDATOR_FAULTS
from faults.call_faults import CALL_FAULTS
from faults.call_validator_faults import CALL_VALIDATOR_FAULTS
from faults.float_faults import FLOAT_FAULTS, FLOAT_VALIDATOR_FAULTS
from faults.heap_faults import HEAP_FAULTS
from faults.planting import OptimizerFault, ValidatorFault
from faults.raw_faults import RAW_FAULTS, RAW_VALIDATOR_FAULTS
from faults.rule_faults import RULE_FAULTS
from faults.string_faults import STRING_FAULTS
from faults.string_validator_faults import STRING_VALIDATOR_FAULTS
from faults.validator_faults import VALIDATOR_FAULTS as OTHER_VALIDATOR_FAULTS
from faults.walk_faults import WALK_FAULTS

__all__ = ["OPTIMIZER_FAULTS", "VALIDATOR_FAULTS", "fault_named", "take_faults"]

OPTIMIZER_FAULTS: tuple[OptimizerFault, ...] = (
    *RULE_FAULTS,
    *BOUNDS_FAULTS,
    *WALK_FAULTS,
    *HEAP_FAULTS,
    *RAW_FAULTS,
    *BYTES_FAULTS,
    *CALL_FAULTS,
    *STRING_FAULTS,
    *FLOAT_FAULTS,
)

VALIDATOR_FAULTS: tuple[ValidatorFault, ...] = (
    *OTHER_VALIDATOR_FAULTS,
    *RAW_VALIDATOR_FAULTS,
    *BYTES_VALIDATOR_FAULTS,
    *CALL_VALIDATOR_FAULTS,
    *STRING_VALIDATOR_FAULTS,
    *FLOAT_VALIDATOR_FAULTS,
)

F = TypeVar("F", OptimizerFault, ValidatorFault, OptimizerFault | ValidatorFault)


def fault_named(name: str, among: Sequence[F]) -> F:
    """The fault of that name. Raises ArgumentTypeError."""
    for fault in among:
        if fault.name == name:
            return fault
    raise ArgumentTypeError(f"there is no fault {name!r}")


def take_faults(parser: ArgumentParser, among: Sequence[F]) -> None:
    """The parser also takes `faults` by their names, all of these by default, and a number of `jobs`."""
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="so many processes")
    parser.add_argument(
        "faults",
        type=lambda name: fault_named(name, among),
        nargs="*",
        default=[*among],
        metavar="NAME",
        help="the faults; all by default",
    )
