"""What a person or a machine reads: all formatting of numbers and text."""
