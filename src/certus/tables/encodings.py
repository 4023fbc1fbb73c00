"""Text files in other encodings than UTF-8: decoded by the encoding that the user names, or by the likeliest one."""

from __future__ import annotations

import codecs
import gzip
import io
from pathlib import Path
from typing import IO

from certus.tables.table_error import TableError

LARGEST_CHECKED = 200 * 2**20  # bytes; larger files are checked only if reading fails
GUESSED_FROM = 2**20
_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def in_utf8(source: Path | IO[bytes], encoding: str | None, told: list[str]) -> Path | IO[bytes]:
    """The same text in UTF-8: the source itself if it is, else a decoded copy; a guess is told."""
    if encoding is None and isinstance(source, Path) and source.stat().st_size > LARGEST_CHECKED:
        return source
    content = _bytes(source)
    name = encoding or next((name for mark, name in _MARKS if content.startswith(mark)), None)
    if name is None:
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            name = _guessed(content)
            told.append(f"the file is not UTF-8 text; it is read as {name} (encoding overrides)")
        else:
            return source
    try:
        return io.BytesIO(content.decode(name).encode("utf-8"))
    except (LookupError, UnicodeDecodeError) as error:
        raise TableError(
            f"encoding: the file is not {name} text: {error}.\nHint: name another one.", ["encoding"]
        ) from error


def _bytes(source: Path | IO[bytes]) -> bytes:
    if not isinstance(source, Path):
        source.seek(0)
        return source.read()
    content = source.read_bytes()
    return gzip.decompress(content) if source.suffix.lower() == ".gz" else content


def _guessed(content: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(content[:GUESSED_FROM]).best()
    return "cp1252" if best is None else str(best.encoding)
