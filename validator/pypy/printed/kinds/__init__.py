"""Objects that a log prints alike, told apart: lists, tables of dicts, arrays of frames."""
