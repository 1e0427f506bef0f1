"""The git repository of a project."""
