"""Pages for people: what a study writes, and what a notebook shows of it."""

from certus.report.study import render_study
from certus.report.summary import render_summary

__all__ = ["render_study", "render_summary"]
