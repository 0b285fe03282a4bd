"""Commands for logs of PyPy."""
