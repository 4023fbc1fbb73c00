"""Compare our learners with their peers: time, memory and quality side by side.

    python -m benchmarks.run --family linear                      every task of a family
    python -m benchmarks.run --family linear --task ridge-tall    one task (shell wildcards allowed)
    python -m benchmarks.run --family linear --quick              small sizes, done in seconds
    python -m benchmarks.run --family linear --list               the tasks

Results go to benchmarks/results/<family>.json, with --quick only to a file given by --json. Peers come from
benchmarks/requirements.txt; one that is not installed is named and skipped.
"""

import argparse
import fnmatch
import sys
from pathlib import Path

from rich.console import Console

from benchmarks.measure import record
from benchmarks.measure.rounds import Settings, limit_cores, run_task
from benchmarks.measure.show import show
from benchmarks.measure.task import FOLDER, families, load_tasks


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    tasks = load_tasks(options.family)
    console = Console()
    if options.list:
        for task in tasks.values():
            console.print(f"{task.name:28} {task.about}", highlight=False)
        return 0
    chosen = [task for task in tasks.values() if fnmatch.fnmatchcase(task.name, options.task)]
    if not chosen:
        console.print(f"--task: no task matches {options.task!r}; there are {', '.join(tasks)}")
        return 2
    settings = Settings(threads=options.threads, rounds=options.rounds, patience=options.patience)
    if options.quick:
        settings = Settings(threads=options.threads, rounds=1, repeats=1, seconds=0.0, quick=True)
    limit_cores(settings.threads)
    progress = Console(stderr=True, highlight=False, style="dim").print
    path = options.json or (None if options.quick else FOLDER / "results" / f"{options.family}.json")
    command = " ".join(["python -m benchmarks.run", *arguments])
    for task in chosen:
        outcome = run_task(options.family, task, settings, progress)
        show(outcome, console)
        if path is not None:  # after every task, so that an interrupted run keeps what it has measured
            record.write(path, options.family, [outcome], settings, command)
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--family", required=True, choices=families())
    parser.add_argument("--task", default="*", help="name or pattern of the tasks")
    parser.add_argument("--quick", action="store_true", help="small sizes, one round")
    parser.add_argument("--json", type=Path, help="file for the numbers")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3, help="fresh processes per competitor")
    parser.add_argument("--patience", type=float, default=150.0, help="seconds that one process may take")
    parser.add_argument("--list", action="store_true", help="show the tasks of the family")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
