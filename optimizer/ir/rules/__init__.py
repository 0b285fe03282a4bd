"""The language of rewriting rules: what optimizer and validator both write their tables in."""
