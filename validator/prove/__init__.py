"""Proofs of pairs: terms of both traces, obligations, and the rungs that settle them."""
