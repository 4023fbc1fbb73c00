"""Pytest plugin of the child process: swaps the names, keeps the tests that concern us, records the outcomes.

Known failures become strict expected failures, so the child fails when a test fails that is not listed and
when a listed one passes. Patterns that match no test and wrong claims of privacy are reported at the end.
"""

import functools
import importlib
import json
from abc import ABCMeta
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sklearn
from sklearn.utils.discovery import all_estimators

from tests.upstream.upstream_runner import table
from tests.upstream.upstream_runner.selection import Reach, mentions_private, parameters


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("upstream")
    group.addoption("--upstream-file", help="key of files.toml")
    group.addoption("--upstream-folder", type=Path, default=table.FOLDER, help="folder of the two data files")
    group.addoption("--upstream-record", type=Path, help="write the outcome of every test to this JSON file")
    group.addoption("--upstream-original", action="store_true", help="swap nothing")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.upstream_file is None:
        return
    content = table.load(config.option.upstream_folder)
    config.pluginmanager.register(
        SwappedRun(content, config.option.upstream_file, config.option.upstream_original), "upstream-run"
    )


def locate(path: str) -> Any:
    module, name = path.rsplit(".", 1)
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise pytest.UsageError(f"files.toml: {path} cannot be imported ({error})") from error


def recognizer(base: type, known: list[type]) -> type:
    """A class for ``issubclass`` and ``isinstance`` that counts ``known`` classes among the heirs of ``base``."""
    stand_in = ABCMeta(base.__name__, (), {})
    for cls in (base, *known):
        stand_in.register(cls)
    return stand_in


class SwappedRun:
    """State of one child run."""

    def __init__(self, content: table.Table, key: str, original: bool) -> None:
        self._file = content.files[key]
        self._failures = () if original else content.by_file[key]
        self._patterns_must_match = sklearn.__version__.startswith(content.written_for + ".")
        self._matched: Counter[str] = Counter()
        self._problems: list[str] = []
        self._outcomes: dict[str, dict[str, Any]] = {}
        self._built_in_test = False
        all_estimators()  # imports every module of scikit-learn now, so that what they use inside stays theirs
        swapped = []
        for public_name, ours in self._file.swap.items():
            found = locate(public_name if original else ours)
            module, name = public_name.rsplit(".", 1)
            swapped.append(self._count_construction(found) if isinstance(found, type) else self._count_calls(found))
            setattr(importlib.import_module(module), name, swapped[-1])
        for base, known in ({} if original else self._file.recognize).items():
            module, name = base.rsplit(".", 1)
            stand_in = recognizer(locate(base), [locate(path) for path in known])
            setattr(importlib.import_module(module), name, stand_in)
        self._reach = Reach(swapped)

    def _count_calls(self, function: Any) -> Any:
        @functools.wraps(function)
        def counting(*args: Any, **keywords: Any) -> Any:
            self._built_in_test = True
            return function(*args, **keywords)

        return counting

    def _count_construction(self, cls: type) -> type:
        construct = cls.__init__

        @functools.wraps(construct)
        def counting_init(instance: Any, *args: Any, **keywords: Any) -> None:
            self._built_in_test = True
            construct(instance, *args, **keywords)

        cls.__init__ = counting_init
        return cls

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        functions = [item for item in items if isinstance(item, pytest.Function)]
        concerned = [item for item in functions if self._reach.selects(item)]
        kept = set(map(id, concerned))
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
        items[:] = concerned
        for item in items:
            self._mark_known_failure(item)
        narrowed = config.option.keyword or any("::" in argument for argument in config.args)
        if self._patterns_must_match and not narrowed:
            self._problems += [
                f"stale exception: {failure.test} matches no test of {self._file.module}"
                for failure in self._failures
                if not self._matched[failure.test]
            ]

    def _mark_known_failure(self, item: pytest.Function) -> None:
        for failure in self._failures:
            if not failure.matches(item.name):
                continue
            self._matched[failure.test] += 1
            if failure.kind == "private" and not mentions_private(item):
                self._problems.append(f"wrong exception: {item.name} names nothing private")
            reason = f"{failure.kind}: {failure.reason}"
            item.add_marker(pytest.mark.xfail(strict=True, reason=reason), append=False)
            return

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Function) -> Any:
        self._built_in_test = self._reach.holds(list(parameters(item).values()))
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Function, call: pytest.CallInfo) -> Any:
        report = yield
        final = report.when == "call" or (report.when == "setup" and report.outcome != "passed")
        if final or report.outcome == "failed":
            listed = any(failure.matches(item.name) for failure in self._failures)
            outcome = "listed" if listed and hasattr(report, "wasxfail") else report.outcome
            self._outcomes[item.name] = {
                "outcome": outcome,
                "ours": self._built_in_test or listed,
                "seconds": round(call.duration, 3),
                "error": _cause(report) if outcome in ("failed", "listed") else "",
            }
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._problems and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        record = session.config.option.upstream_record
        if record is not None:
            content = {
                "file": self._file.key,
                "scikit_learn": sklearn.__version__,
                "problems": self._problems,
                "tests": self._outcomes,
            }
            record.write_text(json.dumps(content, indent=1))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        counts = Counter(
            outcome["outcome"] if outcome["ours"] else "without our classes" for outcome in self._outcomes.values()
        )
        terminalreporter.section("swapped classes")
        terminalreporter.write_line(", ".join(f"{counts[name]} {name}" for name in sorted(counts)))
        for problem in self._problems:
            terminalreporter.write_line(problem, red=True)


def _cause(report: pytest.TestReport) -> str:
    """The error in one line: NumPy's assertions begin with an empty one, so a few lines are joined."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    return " ".join(" ".join(text.split("\n")[:4]).split())[:200]
