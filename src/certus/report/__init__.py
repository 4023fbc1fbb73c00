"""Reports for people: one HTML file, no network, light and dark, printable."""

from certus.report.study import render_study

__all__ = ["render_study"]
