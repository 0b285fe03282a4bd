"""What runs every night."""
