"""Contents of constants, which PyPy's optimizer looks up and no log prints: characters, lengths, numbers, objects."""
