"""Measures the speed of validator and optimizer, against the published way of validating traces. See `scripts/bench`."""
