"""The files of a project and its git repository."""
