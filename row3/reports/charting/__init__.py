"""Charts: drawn by matplotlib, or in the characters of a terminal."""
