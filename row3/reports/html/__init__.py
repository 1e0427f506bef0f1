"""The HTML report: one file that needs nothing else, for a browser without network."""
