"""Lemmas for shapes that no bit-blaster settles."""
