"""Cheaper traces than an optimizer leaves, proved: what it misses."""
