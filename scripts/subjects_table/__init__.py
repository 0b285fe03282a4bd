"""Campaigns against optimizers with planted faults, which are in tests/subjects."""
