"""The files of a project: reading them strictly, writing them atomically."""
