"""The parts of the grammar, a table for each family."""
