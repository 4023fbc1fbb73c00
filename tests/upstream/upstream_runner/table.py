"""The two data files: which upstream files run with which swaps, and which of their tests fail."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
KINDS = ("private", "difference")


@dataclass(frozen=True)
class UpstreamFile:
    """One test file of scikit-learn and the names that are swapped while it runs."""

    key: str
    module: str
    swap: dict[str, str]
    recognize: dict[str, list[str]] = field(default_factory=dict)
    slow: bool = False
    enforced: bool = True


@dataclass(frozen=True)
class KnownFailure:
    """A pattern of upstream test names that fail with our classes, and why."""

    file: str
    test: str
    kind: str
    reason: str

    def matches(self, test_name: str) -> bool:
        return fnmatchcase(test_name, self.test)


@dataclass(frozen=True)
class Table:
    """The content of both data files."""

    files: dict[str, UpstreamFile]
    failures: tuple[KnownFailure, ...]
    written_for: str = ""
    by_file: dict[str, tuple[KnownFailure, ...]] = field(init=False)

    def __post_init__(self) -> None:
        grouped = {key: tuple(f for f in self.failures if f.file == key) for key in self.files}
        object.__setattr__(self, "by_file", grouped)


def load(folder: Path = FOLDER) -> Table:
    """Read and check ``files.toml`` and ``exceptions.toml`` of a folder."""
    raw_files = tomllib.loads((folder / "files.toml").read_text())
    raw_exceptions = tomllib.loads((folder / "exceptions.toml").read_text())
    files = {key: UpstreamFile(key=key, **entry) for key, entry in raw_files.items()}
    failures = tuple(KnownFailure(**entry) for entry in raw_exceptions["exception"])
    problems = list(_problems(files, failures))
    if problems:
        raise ValueError("exceptions.toml: " + "; ".join(problems))
    return Table(files, failures, raw_exceptions["written_for"])


def _problems(files: dict[str, UpstreamFile], failures: tuple[KnownFailure, ...]) -> Iterator[str]:
    seen = set()
    for failure in failures:
        if failure.file not in files:
            yield f"{failure.test}: file must be one of {sorted(files)}, got {failure.file!r}"
        if failure.kind not in KINDS:
            yield f"{failure.test}: kind must be one of {KINDS}, got {failure.kind!r}"
        if len(failure.reason.split()) < 4:
            yield f"{failure.test}: the reason must be a sentence, got {failure.reason!r}"
        if (failure.file, failure.test) in seen:
            yield f"{failure.test}: listed twice for {failure.file}"
        seen.add((failure.file, failure.test))
