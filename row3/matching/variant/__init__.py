"""Variants of a name: acronyms, abbreviations, word order."""
