"""The validator against itself, and terms against numbers."""
