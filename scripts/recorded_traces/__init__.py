"""What our optimizer makes of the traces that PyPy recorded of the sample programs, and whether that is proved."""
