"""Random traces, each with an example on which it runs to its end."""
