"""Parse and compare persons' names."""
