"""Runs of traces on concrete values, heaps and worlds."""
