"""Recordings: import, list, verify and prune them, and replay their answers."""
