"""Campaigns: seeds in batches, worked on by processes, and what they find."""
