"""Domains that the meanings of operations run over: numbers, bounds, terms."""
