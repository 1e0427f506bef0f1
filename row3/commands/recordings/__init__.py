"""Look after recordings."""
