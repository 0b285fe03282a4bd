"""Terms about objects, references, classes and floats."""
