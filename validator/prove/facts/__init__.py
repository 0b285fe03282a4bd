"""The facts at a place: rewritings of terms, and bounds."""
