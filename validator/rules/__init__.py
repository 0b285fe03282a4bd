"""Proofs of the optimizer's rules."""
