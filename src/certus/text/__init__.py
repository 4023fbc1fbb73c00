"""Texts as tables: counts of words and of characters, their weights, hashing."""

from certus.text.count_vectorizer import CountVectorizer
from certus.text.hashing_vectorizer import HashingVectorizer
from certus.text.tfidf_transformer import TfidfTransformer
from certus.text.tfidf_vectorizer import TfidfVectorizer

__all__ = ["CountVectorizer", "HashingVectorizer", "TfidfTransformer", "TfidfVectorizer"]


def __dir__() -> list[str]:
    return __all__
