"""The playground: a local page on which traces are optimized, run, validated and reduced."""
