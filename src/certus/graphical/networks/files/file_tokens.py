"""Words, strings and punctuation of a text, with line and column."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from certus.graphical.networks.files.network_draft import NetworkFileError, number_of

_STRING = r'"(?:[^"\\]|\\.)*"'


class Token(NamedTuple):
    """One token: ``kind`` is "string", "word", "mark" or "end"."""

    kind: str
    text: str
    start: int


class Tokens:
    """Tokens of a text, one after the other.

    Parameters
    ----------
    text : str
        The text.
    comments : str
        Regular expression of what is skipped, besides space.
    marks : str
        Characters that are tokens of their own.
    opening : str
        Regular expression of the beginning of a comment, which no word may be.
    """

    def __init__(self, text: str, *, comments: str, marks: str, opening: str = "(?!)") -> None:
        self.text = text
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        cut = re.escape(marks)
        pattern = re.compile(
            rf'(\s+|{comments})|({_STRING})|([{cut}])|((?:(?!{comments}|{opening})[^\s"{cut}])+)', re.DOTALL
        )
        self._found: list[Token] = []
        at = 0
        while at < len(text):
            match = pattern.match(text, at)
            if match is None:
                raise self._error("this string or comment has no end.", at)
            if match.lastindex != 1:
                kind = ("string", "mark", "word")[match.lastindex - 2]  # type: ignore[operator]
                content = re.sub(r"\\(.)", r"\1", match[0][1:-1]) if kind == "string" else match[0]
                self._found.append(Token(kind, content, at))
            at = match.end()
        self._found.append(Token("end", "", len(text)))
        self._at = 0

    def line(self, token: Token | None = None) -> int:
        """The line of a token, or of the next one."""
        return bisect_right(self._breaks, (token or self.peek()).start - 1) + 1

    def _error(self, message: str, start: int) -> NetworkFileError:
        row = bisect_right(self._breaks, start - 1)
        column = start - (self._breaks[row - 1] if row else -1)
        return NetworkFileError(message, row + 1, column)

    def fail(self, wanted: str, token: Token) -> None:
        """Raise the error that something else was wanted at a token."""
        got = "the end of the file" if token.kind == "end" else repr(token.text[:40])
        raise self._error(f"{wanted} must stand here, got {got}.", token.start)

    def peek(self) -> Token:
        """The next token, which stays."""
        return self._found[self._at]

    def next(self) -> Token:
        """The next token."""
        token = self._found[self._at]
        if token.kind != "end":
            self._at += 1
        return token

    def is_mark(self, mark: str) -> bool:
        """Whether the next token is this mark; if so it is taken."""
        token = self.peek()
        if token.kind == "mark" and token.text == mark:
            self._at += 1
            return True
        return False

    def mark(self, mark: str) -> None:
        """Take this mark."""
        if not self.is_mark(mark):
            self.fail(repr(mark), self.peek())

    def name(self, wanted: str = "a name") -> str:
        """Take a word or a string."""
        token = self.next()
        if token.kind not in ("word", "string"):
            self.fail(wanted, token)
        return token.text

    def keyword(self, *allowed: str) -> str:
        """Take one of these words."""
        token = self.next()
        if token.kind != "word" or token.text not in allowed:
            self.fail(" or ".join(map(repr, allowed)), token)
        return token.text

    def number(self) -> float:
        """Take a number."""
        token = self.next()
        if token.kind != "word":
            self.fail("a number", token)
        return number_of(token.text, self.line(token))

    def raw_until(self, mark: str) -> str:
        """The text up to a mark, which is taken too."""
        first = self.peek().start
        while not (self.peek().kind == "mark" and self.peek().text == mark):
            if self.peek().kind == "end":
                self.fail(repr(mark), self.peek())
            self._at += 1
        end = self.next().start
        return self.text[first:end].strip()


def quoted(text: str, *, plain: str) -> str:
    """A name as it is if it matches the pattern of plain ones, else as a string."""
    if re.fullmatch(plain, text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
