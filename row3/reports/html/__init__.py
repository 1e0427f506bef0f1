"""The HTML report: one file that needs nothing else, for a browser without network."""

from row3.reports.html.page import html_report

__all__ = ["html_report"]
