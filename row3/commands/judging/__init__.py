"""Calibrate and compare judges."""
