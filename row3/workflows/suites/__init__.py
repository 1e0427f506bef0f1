"""Run or judge all suites of a project in one command."""
