"""What a walk over a trace knows at the place that it has come to."""
