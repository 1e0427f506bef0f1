"""Import cases of other tools."""
