"""Markdown: scorecards, step summaries and the comment on a pull request."""
