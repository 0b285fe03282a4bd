"""The types that the descrs of a trace name: declared structs, arrays and calls, and the layout that they make."""
