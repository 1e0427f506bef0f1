"""What runs over time tell: trends, flaky cases, cases that matter, the power of a suite."""
