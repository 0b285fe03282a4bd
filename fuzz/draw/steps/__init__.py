"""Steps of random traces: a few operations each."""
