"""The optimizer under test: our own, a function, or a program."""
