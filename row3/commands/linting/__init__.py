"""Check a project's files."""
