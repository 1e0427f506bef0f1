"""What the git hook prints."""
