"""The trace language: types, operation table, traces, text, well-formedness, interpreter, terms."""
