"""The smallest trace that still shows the same failure: see `fuzz.reduction.reduce.reduce_find`."""
