"""Knowledge that PyPy had and a log does not say, inferred from the work of its optimizer."""
