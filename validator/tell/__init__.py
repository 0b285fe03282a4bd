"""Verdicts, states and counterexamples in words and in JSON."""
