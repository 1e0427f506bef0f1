"""What stands in a source text, and where."""
