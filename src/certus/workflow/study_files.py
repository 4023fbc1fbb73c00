"""The files of a study's folder, and when they may be replaced."""

from __future__ import annotations

from pathlib import Path

from certus.workflow.study_error import StudyError

JOURNAL = "journal.sqlite"
BUILT_IN_FOLDER = "certus-study"


def folder_of(table: str | None) -> str:
    """The folder of a table's study: ``sales-study`` for ``data/sales.csv``; ``certus-study`` without a file."""
    name = "" if table is None or table == "-" else Path(table).name
    stem = name.split(".")[0] if "." in name else ""
    return f"{stem}-study" if stem else BUILT_IN_FOLDER


def refuse_to_overwrite(folder: Path, *, force: bool, resume: bool = False) -> None:
    """Raise unless the folder is new, empty, or a study that may be replaced or continued."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        if resume and not folder.exists():  # one that is empty was killed before its first evaluation
            raise StudyError(
                f"resume: there is no study in {str(folder)!r}.\nHint: leave resume out to begin one.",
                options=["resume"],
            )
        return
    own = folder.is_dir() and any((folder / name).is_file() for name in ("study.json", JOURNAL))
    if not own:
        raise StudyError(
            f"{str(folder)!r} is not the folder of a study; it is not replaced even with force.\n"
            "Hint: name another folder.",
            options=["force"],
        )
    if resume and not (folder / JOURNAL).is_file():
        raise StudyError(f"resume: {str(folder)!r} has no journal.\nHint: force begins anew.", ["resume", "force"])
    if not force and not resume:
        raise StudyError(
            f"{str(folder)!r} exists already.\nHint: resume continues it, force replaces it; or name another folder.",
            options=["resume", "force"],
        )
