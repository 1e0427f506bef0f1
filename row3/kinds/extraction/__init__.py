"""Kind `extraction`: concepts and relationships found in a text (STANDARDS, sections 1 to 3)."""
