"""The verbs: they return values and print nothing."""
