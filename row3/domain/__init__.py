"""Frozen values that the layers exchange."""
