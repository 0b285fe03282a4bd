"""Processes that may die, and that end with the one that started them."""
