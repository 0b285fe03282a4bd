"""Reports on a campaign and on a pair: pages, summaries and figures."""
