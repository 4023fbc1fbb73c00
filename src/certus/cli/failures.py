"""How a command ends: one clear message instead of a traceback, and an exit code that can be relied on."""

from __future__ import annotations

import errno
import functools
import inspect
import os
import sqlite3
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import typer

from certus.cli.spelling import as_typed, with_flags

BROKEN_PROMISE = 1
BAD_INPUT = 2
INTERRUPTED = 130
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
READER_GONE = 141  # as a program that a closed pipe has ended


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that whatever it raises becomes a message and an exit code.

    ``CERTUS_DEBUG=1`` in the environment adds the traceback.
    """
    names = tuple(inspect.signature(command).parameters)

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except typer.Exit:
            raise
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the interpreter flushes once more at its end
            raise typer.Exit(READER_GONE) from None
        except Exception as error:  # the border between the program and its user
            raise typer.Exit(tell(error, names)) from None

    return run


def tell(error: Exception, names: Sequence[str] = ()) -> int:
    """Tell the user about an error of a command with these parameters; returns the exit code."""
    if os.environ.get("CERTUS_DEBUG", "0") not in ("", "0"):
        traceback.print_exception(error)
    typer.echo(f"certus: {describe(error, names)}", err=True)
    return BAD_INPUT


def describe(error: Exception, parameters: Sequence[str] = ()) -> str:
    """What to tell about an error: our own say what is wrong; others are named, so that they can be reported."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return f"a file cannot be written: {error.strerror}.\nHint: make room, or name another folder or file."
    if isinstance(error, ValueError | OSError) and str(error):
        names = getattr(error, "options", ())
        return as_typed(str(error), names) if names else with_flags(str(error), parameters)
    if isinstance(error, sqlite3.OperationalError):  # a disk that is full, a file that must not be written
        return f"cannot write a file of the study: {error}."
    lines = str(error).strip().splitlines()
    what = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return f"something went wrong that should not have ({what}).\nHint: CERTUS_DEBUG=1 shows where; please report it."
