"""Formats that CI reads: JUnit, GitHub's annotations, GitLab's code quality."""
