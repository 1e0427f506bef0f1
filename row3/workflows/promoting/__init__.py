"""Promoting prompt versions and rubrics, and making new versions."""
