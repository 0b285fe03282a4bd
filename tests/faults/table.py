"""The table of planted faults."""

from __future__ import annotations

from faults.bounds_faults import BOUNDS_FAULTS
from faults.heap_faults import HEAP_FAULTS
from faults.planting import OptimizerFault
from faults.rule_faults import RULE_FAULTS
from faults.validator_faults import VALIDATOR_FAULTS
from faults.walk_faults import WALK_FAULTS

__all__ = ["OPTIMIZER_FAULTS", "VALIDATOR_FAULTS"]

OPTIMIZER_FAULTS: tuple[OptimizerFault, ...] = (*RULE_FAULTS, *BOUNDS_FAULTS, *WALK_FAULTS, *HEAP_FAULTS)
