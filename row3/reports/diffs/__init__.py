"""What `row3 diff` shows of two runs."""
