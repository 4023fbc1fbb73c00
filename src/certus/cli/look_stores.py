"""Where the command line counts looks at rows."""

from __future__ import annotations

from certus.guarantees.rows import LookStore, user_store

NONE = "none"


def store_of_looks(named: str | None) -> LookStore | None:
    """The store that was named, the user's own, or None if looks are not to be counted."""
    if named == NONE:
        return None
    return user_store() if named is None else LookStore(named)
