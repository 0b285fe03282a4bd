"""The command `traceproof`."""
