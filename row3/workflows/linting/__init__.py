"""`row3 lint`: find errors without running anything."""
