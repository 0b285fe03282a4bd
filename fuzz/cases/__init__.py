"""Cases of a corpus: folders of text, read, stored and run."""
