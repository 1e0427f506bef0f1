"""What `row3 aliases review` shows."""
