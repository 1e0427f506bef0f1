"""Baseline and scorecard in, verdict with reasons out. Pure."""
