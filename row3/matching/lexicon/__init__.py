"""Word lists, the forms of a word, and which tokens are English words."""
