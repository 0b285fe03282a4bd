"""Traces that PyPy recorded, with what its optimizer made of them, as pairs that can be proved."""
