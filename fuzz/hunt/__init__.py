"""The search for faults of a JIT that ships: programs are drawn, run, proved, and made small."""
