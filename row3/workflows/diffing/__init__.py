"""`row3 diff`: two runs side by side."""
