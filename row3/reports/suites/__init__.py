"""Several suites in one report."""
