"""Files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write to a temporary neighbor that takes the place of `path` only after the body has succeeded.

    An interrupted or failing write leaves the old file, if there was one, untouched.
    """
    target = Path(os.path.realpath(path))  # a symbolic link keeps pointing at the file
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder.\nHint: give the name of a file, such as {path}/model.certus")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"there is no folder {str(target.parent)!r} to write {target.name!r} to.\nHint: make it first."
        )
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with os.fdopen(descriptor, "w+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def is_one_of(path: str | os.PathLike[str], others: Iterable[object]) -> bool:
    """Whether a path leads to the same file as another one; anything but paths is passed over."""
    given = [other for other in others if isinstance(other, str | os.PathLike)]
    real = Path(path).resolve()
    return real.exists() and any(Path(other).resolve() == real for other in given)


def _sync_folder(folder: Path) -> None:
    """Make the renaming itself survive a power cut, where the system can do that."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some network file systems cannot; the data itself is safe by then
    finally:
        os.close(descriptor)
