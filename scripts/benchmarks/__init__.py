"""Measures the speed of validator and optimizer, against the published way of validating. See `scripts/bench`."""
