"""The facts that hold at the place that a walk over a trace has come to."""
