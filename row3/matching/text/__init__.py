"""Find names and quotes in a source text."""
