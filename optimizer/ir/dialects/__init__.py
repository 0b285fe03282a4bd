"""Other ways to write traces: the toy dialect, and the logs of PyPy."""
