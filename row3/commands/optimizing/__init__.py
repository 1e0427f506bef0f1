"""Search better prompts."""
