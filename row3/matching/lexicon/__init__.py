"""Word lists, inflection and the English vocabulary."""
