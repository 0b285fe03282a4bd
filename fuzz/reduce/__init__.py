"""The smallest trace that still shows the same failure: see `fuzz.reduce.reduce.reduce_find`."""
