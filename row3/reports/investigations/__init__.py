"""What `row3 investigate` writes."""
