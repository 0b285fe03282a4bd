"""Traces made from other traces: see `fuzz.mutation.mutate`."""
