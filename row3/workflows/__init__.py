"""The verbs, one file each: they return values and print nothing."""
