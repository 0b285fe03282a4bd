"""What is known at a place: rewritings of terms, and bounds."""
