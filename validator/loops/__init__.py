"""Loops that were peeled, judged by proofs about straight traces."""
