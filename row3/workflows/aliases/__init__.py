"""`row3 aliases review`: what nothing matched, and what a person decides of it."""
