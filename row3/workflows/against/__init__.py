"""Judging a change by the files of its base: rules, cases, baselines, locks and suites that it may not loosen."""
