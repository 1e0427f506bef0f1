"""Compare two runs and judge the difference."""
