"""JSON Schemas of every file, and of what `--format json` prints."""
