"""The table of algebraic rules, and the language that it is written in."""
