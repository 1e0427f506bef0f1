"""Judges: labels, calibration, and comparing two judges."""
