"""The result of a SQL query as a table. SQLite works as it is, other databases through polars' drivers."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl

from certus.tables.table_error import TableError


def read_query(query: str, database: str | None) -> pl.DataFrame:
    """The rows of a query on a SQLite file, or on any database whose address polars can read."""
    if database is None:
        raise TableError(
            "sql needs a database.\nHint: name a SQLite file, or an address such as postgresql://… .",
            options=["sql", "database"],
        )
    if "://" in database and not database.startswith("sqlite://"):
        return _query_server(query, database)
    path = Path(database.removeprefix("sqlite:///").removeprefix("sqlite://"))
    if not path.is_file():
        raise TableError(f"database: there is no file {str(path)!r}.\nHint: check the path.", options=["database"])
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            frame = pl.read_database(query, connection, infer_schema_length=None)
    except (sqlite3.Error, pl.exceptions.PolarsError) as error:
        raise TableError(
            f"sql: {error}\nHint: try the query in your database's own program first.", options=["sql"]
        ) from error
    if frame.height == 0:
        raise TableError("sql: the query gives no rows.\nHint: loosen its conditions.", options=["sql"])
    return frame


def _query_server(query: str, address: str) -> pl.DataFrame:
    scheme = address.split("://", 1)[0]
    try:
        return pl.read_database_uri(query, address)
    except ImportError as error:
        raise TableError(
            f"database: reading {scheme} needs a driver that is not installed.\nHint: pip install connectorx",
            options=["database"],
        ) from error
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # drivers raise errors of their own, even panics; the address may hold a password
        reason = (str(error).replace(address, f"{scheme}://…").splitlines() or [type(error).__name__])[0]
        raise TableError(f"sql: {reason}\nHint: {_way_out(reason)}.", options=["sql"]) from error


def _way_out(reason: str) -> str:
    """What to do about the reason that a driver gives."""
    if reason.startswith("not implemented: "):
        kind = reason.removeprefix("not implemented: ")
        return f"cast columns of the type {kind} in the query, as in extract(epoch from …) or …::text"
    return "check the address and the query"
