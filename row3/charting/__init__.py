"""Charts, drawn by matplotlib."""
