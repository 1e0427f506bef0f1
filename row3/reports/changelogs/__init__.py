"""Entries of the changelog."""
