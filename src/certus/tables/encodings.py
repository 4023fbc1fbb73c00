"""Text files in other encodings than UTF-8: decoded by the encoding that the user names, or by the likeliest one."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
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
            return _as_guessed(content, told)
        return _with_line_feeds(content) or source
    try:
        decoded = content.decode(name).encode("utf-8")
    except LookupError as error:
        raise TableError(
            f"there is no encoding {name!r}.\nHint: utf-8, cp1252, latin-1 and utf-16 are some."
        ) from error
    except UnicodeDecodeError as error:
        raise TableError(f"the file is not {name} text: {error}.\nHint: name another one.") from error
    return _with_line_feeds(decoded) or io.BytesIO(decoded)


def _as_guessed(content: bytes, told: list[str]) -> IO[bytes]:
    """Text in the likeliest encoding; what no encoding explains is no text."""
    name = _guessed(content)
    try:
        decoded = content.decode(name).encode("utf-8")
    except UnicodeDecodeError as error:
        raise TableError(
            f"it is no text: byte 0x{content[error.start]:02x} at place {error.start + 1} belongs to no encoding that "
            "fits.\nHint: if it is text, name its encoding.",
            ["encoding"],
        ) from error
    told.append(f"the file is not UTF-8 text; it is read as {name} (encoding overrides)")
    return _with_line_feeds(decoded) or io.BytesIO(decoded)


def _with_line_feeds(content: bytes) -> IO[bytes] | None:
    """Text whose lines end in carriage returns alone, as on old machines, with line feeds; None for other text."""
    return io.BytesIO(content.replace(b"\r", b"\n")) if b"\r" in content and b"\n" not in content else None


def _bytes(source: Path | IO[bytes]) -> bytes:
    if not isinstance(source, Path):
        source.seek(0)
        return source.read()
    return unpacked(source)


def unpacked(path: Path) -> bytes:
    """The content of a file, or of the one that is packed in it."""
    content = path.read_bytes()
    try:
        return gzip.decompress(content) if path.suffix.lower() == ".gz" else content
    except (EOFError, OSError, zlib.error) as error:
        raise TableError(
            f"the packed file {path.name!r} is cut off or damaged: {error}.\nHint: pack or copy it again."
        ) from error


def _guessed(content: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(content[:GUESSED_FROM]).best()
    return "cp1252" if best is None else str(best.encoding)
