"""Runs over time: trends, flaky cases, informative cases, the power of a suite."""
