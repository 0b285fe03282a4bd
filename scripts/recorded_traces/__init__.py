"""The results of our optimizer on the traces that PyPy recorded of the sample programs, and their verdicts."""
