"""The entry point of the program `traceproof`."""

from validator.command.entry import enter


def traceproof() -> None:
    """The command `traceproof`."""
    enter("fuzz.command.main")
