"""Reports for people and machines: all formatting of numbers and text."""
