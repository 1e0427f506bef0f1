"""Looking after recordings, and what they say of cases and versions."""
