"""The work of every night."""
