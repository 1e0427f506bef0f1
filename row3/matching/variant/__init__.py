"""Other ways to write a name: acronyms, short forms, other orders of words."""
