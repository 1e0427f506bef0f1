"""The HTML report: one self-contained file, which needs no network."""
