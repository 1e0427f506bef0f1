"""Judges: label their answers, calibrate them, and compare two of them."""
