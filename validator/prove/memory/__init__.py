"""The heaps of a pair, in terms."""
