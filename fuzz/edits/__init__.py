"""Edits of a trace: mutation draws them at random, reduction lists them from large to small."""
