"""Frozen words: the values that flow between the floors, without behaviour of their own."""
