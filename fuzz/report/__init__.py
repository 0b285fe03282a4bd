"""What is told of a campaign and of a pair: pages, summaries and figures."""
