"""Python programs whose hot loops a JIT compiles: a grammar of small parts, and programs drawn from it."""
