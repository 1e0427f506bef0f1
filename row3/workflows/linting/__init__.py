"""`row3 lint`: what can be seen to be wrong without running anything."""
