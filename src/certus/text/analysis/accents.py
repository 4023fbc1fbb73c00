"""Dropping accents, as scikit-learn does."""

from sklearn.feature_extraction.text import strip_accents_ascii, strip_accents_unicode

ACCENTS = {"ascii": strip_accents_ascii, "unicode": strip_accents_unicode}
