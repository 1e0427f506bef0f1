"""Render templates, in a process of their own."""
