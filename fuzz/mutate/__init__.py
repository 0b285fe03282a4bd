"""Traces made from other traces: see `fuzz.mutate.mutate`."""
