"""Calls of functions that PyPy knows: what they touch, and what they are for the reader of a log."""
