"""Production decompositions: reading, storage, figures and alerts."""
