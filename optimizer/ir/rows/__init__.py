"""The operation table: a row an operation, its meaning over the vocabularies of domains."""
