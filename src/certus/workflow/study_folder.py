"""A study in a folder: its journal lies there from the first evaluation on, its results from the last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from certus.base import TableLike
from certus.tables import STANDARD_INPUT, check_file
from certus.workflow.options import Options
from certus.workflow.result import Study
from certus.workflow.six_steps import study
from certus.workflow.state import Progress
from certus.workflow.study_files import JOURNAL, folder_of, refuse_to_overwrite

__all__ = ["folder_of", "study_in_folder"]


def study_in_folder(
    folder: Path,
    table: str | Path | TableLike | None,
    *,
    resume: bool,
    force: bool,
    progress: Progress | None = None,
    **options: Any,
) -> Study:
    """Run a study with its journal in a folder, then write its results there.

    After a kill, ``resume`` continues it: no finished evaluation is repeated. With ``force`` an earlier study is
    replaced, its results only when the new ones are there.
    """
    Options(**options)  # what is wrong with the options and the table is told before what is in the folder
    if isinstance(table, str | Path) and str(table) != STANDARD_INPUT:
        check_file(Path(table))
    refuse_to_overwrite(folder, force=force, resume=resume)
    fresh = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    journal = folder / JOURNAL
    if not resume:
        for leftover in folder.glob(f"{JOURNAL}*"):
            leftover.unlink()
    try:
        result: Study = study(table, journal=journal, progress=progress, **options)
    except Exception:
        if fresh:  # nothing to continue from: wrong use leaves nothing behind
            for leftover in folder.glob(f"{JOURNAL}*"):
                leftover.unlink()
            folder.rmdir()
        raise
    result.save(folder, force=True)
    return result
