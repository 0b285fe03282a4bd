"""Recorded and optimized traces as they are printed: operations, straight lines of them, their parents."""
