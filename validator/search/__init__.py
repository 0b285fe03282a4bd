"""Search for counterexamples: states, samples, runs of both traces, smaller states."""
