"""Looks at held-out rows, counted across runs in a small SQLite file.

A first look at rows is what a bound is made for. Who has seen its result may choose the next model by it, and then no
division of the failure probability over looks is valid: with enough looks a vote over the models that did well fits the
rows themselves. So a later look is an estimate, unless one of two things holds.

* Nothing was chosen after an earlier result. Look k then pays delta / (k (k + 1)), and these shares sum to delta.
* Every earlier look was sealed: of the rows it showed one of R_j outcomes and nothing else. Given all other rows, what
  comes to look k is then one of prod R_j models, which are fixed before the rows; a bound at the level
  delta / (k (k + 1) prod_{j<k} R_j) holds for all of them at once.

Looks count if they share a row: given the rows outside of a look, results on other rows say nothing about those inside.
A study also opens the rows that it learns from, validates and calibrates on: of these it shows everything, so that a
later look at any of them is one at rows that were shown.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.estimates import without_promise
from certus.guarantees.records.file_error import CertusFileError
from certus.guarantees.records.wording import ordinal
from certus.guarantees.rows.fingerprints import fingerprint, table_hashes

NOT_ADAPTED = "not-adapted-to-these-rows"
SEALED = "sealed-looks"
_FORM = 2
_MOST = 10**300  # no bound says anything at so small a level
_TABLES = """
CREATE TABLE IF NOT EXISTS looks (
    number INTEGER PRIMARY KEY, made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, by TEXT NOT NULL, rows INTEGER NOT NULL,
    fingerprint TEXT NOT NULL, predictions TEXT NOT NULL, outcomes INTEGER);
CREATE TABLE IF NOT EXISTS seen (hash INTEGER NOT NULL, look INTEGER NOT NULL, PRIMARY KEY (hash, look)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS parts (digest TEXT PRIMARY KEY, hashes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS opened (look INTEGER NOT NULL, part TEXT NOT NULL, PRIMARY KEY (look, part)) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Look:
    """One look at rows, and what earlier ones leave of its promise.

    Attributes
    ----------
    number : int
        Which look at these rows it is, from 1.
    rows : int
        How many rows are looked at.
    outcomes : int or None
        How many results this look can show, if it is sealed.
    earlier : tuple of (str, int or None)
        Who made the earlier looks that share a row, and how many outcomes each could show; None if it showed more.
    not_adapted : bool
        Whether the user declares that nothing was chosen after an earlier result.
    """

    number: int
    rows: int
    outcomes: int | None
    earlier: tuple[tuple[str, int | None], ...]
    not_adapted: bool = False

    @property
    def promised(self) -> bool:
        """Whether a bound can be promised."""
        return not self.earlier or self.not_adapted or self._all_sealed

    @property
    def _all_sealed(self) -> bool:
        return self.outcomes is not None and all(outcomes is not None for _, outcomes in self.earlier)

    @property
    def uses(self) -> int:
        """By how much the failure probability is divided: 1, k (k + 1), or k (k + 1) times the product of outcomes."""
        if not self.promised or (self.outcomes is None and not self.earlier):
            return 1  # an estimate, or the first look, which shows everything
        paid = self.number * (self.number + 1)
        if self.not_adapted:
            return paid
        return min(_MOST, paid * math.prod(outcomes or 1 for _, outcomes in self.earlier))

    @property
    def token(self) -> str | None:
        """What the promise of a later look rests on."""
        if not self.earlier:
            return SEALED if self.outcomes is not None else None
        return NOT_ADAPTED if self.not_adapted else SEALED

    @property
    def caution(self) -> str:
        """Why nothing is promised; empty if something is."""
        return "" if self.promised else f"{ordinal(self.number)} look at these rows"

    @property
    def sealed(self) -> bool:
        """Whether nothing is shown but one of so many outcomes."""
        return self.outcomes is not None

    @property
    def paid(self) -> str:
        """By how much the failure probability is divided, in words."""
        shown = str(self.uses) if self.uses < 10**9 else f"10^{len(str(self.uses - 1))}"
        return f"The bound holds at 1/{shown} of the failure probability."

    def marked(self, certificate: Certificate) -> Certificate:
        """The certificate with what its promise rests on; an estimate if nothing can be promised."""
        if not self.promised:
            return without_promise(certificate, self.caution)
        if self.token is None or not certificate.guaranteed:
            return certificate
        return replace(certificate, assumptions=(*certificate.assumptions, self.token))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for machines."""
        return {
            "number": self.number,
            "rows": self.rows,
            "promised": self.promised,
            "sealed": self.outcomes is not None,
            "not_adapted": self.not_adapted,
            "uses": str(self.uses),  # may have hundreds of digits
            "earlier": [{"by": by, "outcomes": outcomes} for by, outcomes in self.earlier],
        }

    def __str__(self) -> str:
        which = f"{ordinal(self.number)} look at these rows"
        if not self.promised:
            return f"{which}: an estimate, no guarantee."
        if not self.earlier:
            return f"{which}, sealed." if self.outcomes is not None else f"{which}."
        return f"{which}, {'declared not adapted to the earlier ones' if self.not_adapted else 'all of them sealed'}."

    def ways_out(self) -> str:
        """What can be done about a look that promises nothing."""
        return (
            "Hint: test on fresh rows; or not_adapted=True if nothing was chosen after an earlier result on these "
            "rows; or sealed=True from the first look on, which shows nothing but the bound."
        )


class LookStore:
    """Which rows were looked at by which predictions.

    Parameters
    ----------
    path : str or path
        The SQLite file; made when the first look is noted.

    Examples
    --------
    >>> import numpy as np, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = LookStore(pathlib.Path(folder) / "looks.sqlite")
    ...     rows = np.arange(5, dtype=np.uint64)
    ...     first = store.look(rows, [0, 0, 1, 1, 1], by="certify")
    ...     again = store.look(rows, [0, 0, 1, 1, 1], by="certify")
    ...     other = store.look(rows, [1, 0, 1, 1, 1], by="certify")
    >>> first.number, again.number, other.number, other.promised
    (1, 1, 2, False)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def look(
        self,
        hashes: NDArray[np.uint64],
        predictions: ArrayLike,
        *,
        by: str,
        sealed: bool = False,
        not_adapted: bool = False,
        outcomes: int | None = None,
        opened: NDArray[np.uint64] | None = None,
    ) -> Look:
        """Note a look before its result is shown. The same predictions on the same rows are the same look.

        Parameters
        ----------
        hashes : array of uint64
            The hash of every row (`table_hashes`).
        predictions : array-like
            What is predicted for every row.
        by : str
            Who looks.
        sealed : bool, default=False
            Whether nothing but one of `outcomes` results is shown; by default as many as there are counts, rows + 1.
        not_adapted : bool, default=False
            The user's declaration that nothing was chosen after an earlier result on these rows.
        outcomes : int, optional
            How many results a sealed look can show, if fewer than rows + 1.
        opened : array of uint64, optional
            Hashes of other rows that are shown along with it.
        """
        shown = (len(hashes) + 1 if outcomes is None else outcomes) if sealed else None
        rows = np.unique(hashes)
        mark, digest = fingerprint(hashes), _digest(hashes, predictions)
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            known = database.execute(
                "SELECT number, outcomes FROM looks WHERE fingerprint = ? AND predictions = ?", (mark, digest)
            ).fetchone()
            if known is None:
                cursor = database.execute(
                    "INSERT INTO looks (by, rows, fingerprint, predictions, outcomes) VALUES (?, ?, ?, ?, ?)",
                    (by, len(hashes), mark, digest, shown),
                )
                own = int(cursor.lastrowid or 0)
                signed = rows.view(np.int64).tolist()
                database.executemany("INSERT INTO seen VALUES (?, ?)", ((row, own) for row in signed))
            else:
                own = int(known[0])
                both = _both_shown(known[1], shown, len(hashes))
                if both != known[1]:
                    database.execute("UPDATE looks SET outcomes = ? WHERE number = ?", (both, own))
            if opened is not None:
                self._note_opened(database, own, np.setdiff1d(opened, rows))
            earlier = self._earlier(database, own, rows)
            database.execute("COMMIT")
        return Look(len(earlier) + 1, len(hashes), shown, earlier, not_adapted)

    @staticmethod
    def _note_opened(database: sqlite3.Connection, own: int, rows: NDArray[np.uint64]) -> None:
        """Keep the hashes of other rows that a look opens, in order; equal sets of them once."""
        content = rows.astype("<u8").tobytes()
        digest = hashlib.sha256(content).hexdigest()
        database.execute("INSERT OR IGNORE INTO parts VALUES (?, ?)", (digest, content))
        database.execute("INSERT OR IGNORE INTO opened VALUES (?, ?)", (own, digest))

    @staticmethod
    def _earlier(
        database: sqlite3.Connection, own: int, rows: NDArray[np.uint64]
    ) -> tuple[tuple[str, int | None], ...]:
        """Looks before this one that share a row with it; one that opened such a row showed all of it."""
        found = database.execute(
            "SELECT number, by, outcomes FROM looks WHERE number IN (SELECT DISTINCT theirs.look FROM seen AS mine "
            "JOIN seen AS theirs ON theirs.hash = mine.hash WHERE mine.look = ? AND theirs.look < ?)",
            (own, own),
        ).fetchall()
        shared = {number: (by, outcomes) for number, by, outcomes in found}
        parts = "SELECT digest, hashes FROM parts WHERE digest IN (SELECT part FROM opened WHERE look < ?)"
        for part, content in database.execute(parts, (own,)).fetchall():
            if not _share_a_row(content, rows):
                continue
            looks = "SELECT number, by FROM looks WHERE number IN (SELECT look FROM opened WHERE part = ? AND look < ?)"
            shared |= {number: (by, None) for number, by in database.execute(looks, (part, own)).fetchall()}
        for number, (by, outcomes) in shared.items():
            sound = outcomes is None or (isinstance(outcomes, int) and outcomes >= 1)
            if not isinstance(number, int) or not isinstance(by, str) or not sound:
                raise CertusFileError("a look in the store is malformed.")
        return tuple(shared[number] for number in sorted(shared))

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            database = sqlite3.connect(self.path, timeout=30.0, isolation_level=None)
        except sqlite3.Error as error:
            raise self._damaged(error) from error
        try:
            database.execute("PRAGMA trusted_schema = OFF")
            form = database.execute("PRAGMA user_version").fetchone()[0]
            if form not in range(_FORM + 1):
                raise CertusFileError(f"the store of looks has the form {form}; this release reads {_FORM}.")
            if form < _FORM:  # a new one, or one of an earlier release, which lacks the last tables
                database.executescript(_TABLES)
                database.execute(f"PRAGMA user_version = {_FORM}")
            yield database
        except CertusFileError as error:
            raise CertusFileError(f"{self.path}: {error}") from None
        except (sqlite3.Error, ValueError, OverflowError) as error:
            raise self._damaged(error) from error
        finally:
            database.close()

    def _damaged(self, error: Exception) -> CertusFileError:
        return CertusFileError(
            f"{self.path}: the store of looks cannot be used ({error}).\n"
            "Hint: name another file; a store that is lost forgets which rows were looked at."
        )


def user_store() -> LookStore:
    """The store in the folder for data of the user's programs."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return LookStore(base / "certus" / "looks.sqlite")


def _both_shown(known: int | None, shown: int | None, rows: int) -> int | None:
    """How many outcomes there are if the same count is shown in two ways, each a ladder of so many steps."""
    if known is None or shown is None:
        return None
    return known if known == shown else min(rows + 1, known + shown - 1)


def _share_a_row(content: object, rows: NDArray[np.uint64]) -> bool:
    """Whether hashes that a store keeps, in order, and these, in order, have one in common."""
    if not isinstance(content, bytes) or len(content) % 8:
        raise CertusFileError("rows in the store are malformed.")
    kept = np.frombuffer(content, "<u8")
    if not len(kept):
        return False
    if (kept[1:] <= kept[:-1]).any():
        raise CertusFileError("rows in the store are malformed.")
    places = np.minimum(np.searchsorted(kept, rows), len(kept) - 1)
    return bool((kept[places] == rows).any())


def _digest(hashes: NDArray[np.uint64], predictions: ArrayLike) -> str:
    """The predictions in the order of the rows' hashes, as 256 bits."""
    values = np.asarray(predictions)
    flat = values.reshape(len(hashes), -1)
    texts = flat.astype(np.float64).astype(str) if flat.dtype.kind in "biuf" else flat.astype(str)
    lines = sorted(f"{row:x} {' '.join(cells)}" for row, cells in zip(hashes.tolist(), texts.tolist(), strict=True))
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def look_at(
    store: LookStore | str | os.PathLike[str] | None,
    rows: Any,
    truth: ArrayLike | None,
    predictions: ArrayLike,
    *,
    by: str,
    sealed: bool = False,
    not_adapted: bool = False,
    outcomes: int | None = None,
    opened: Callable[[], NDArray[np.uint64]] | None = None,
) -> Look | None:
    """Note a look at rows with their targets in a store; None if looks are not counted.

    ``opened`` gives the hashes of other rows that are shown along with it.
    """
    if sealed and not_adapted:
        raise ValueError("sealed and not_adapted must not both be given: a sealed look may be adapted.")
    if store is None:
        if sealed or not_adapted:
            name = "sealed" if sealed else "not_adapted"
            raise ValueError(f"{name} must come with looks, got no store of looks.\nHint: looks='looks.sqlite'.")
        return None
    if rows is None:
        raise ValueError("looks must come with the rows that are looked at, got none.\nHint: pass rows or X.")
    kept = store if isinstance(store, LookStore) else LookStore(store)
    hashes = table_hashes(rows, truth)
    others = None if opened is None else opened()
    return kept.look(
        hashes, predictions, by=by, sealed=sealed, not_adapted=not_adapted, outcomes=outcomes, opened=others
    )
