"""The runner notices new failures, stale or false exceptions, and counts only tests that used our classes."""

import textwrap

import pytest

from tests.upstream.upstream_runner import child, table

SHELF = """
    class _Base:
        pass

    class Scale(_Base):
        def __init__(self, factor=2):
            self.factor = factor
            self._raw = factor

        def apply(self, x):
            return self.factor * x
"""
OURS = """
    class Scale:
        def __init__(self, factor=2):
            self.factor = factor

        def apply(self, x):
            return self.factor * abs(x)
"""
TESTS = """
    import pytest
    import shelf
    from shelf import Scale, _Base

    ALL = {"scale": Scale}

    def build():
        return Scale(3)

    @pytest.fixture
    def scale():
        return Scale()

    def test_positive(): assert build().apply(2) == 6
    def test_fixture(scale): assert scale.apply(1) == 2
    def test_through_module(): assert shelf.Scale().apply(1) == 2
    def test_negative(): assert ALL["scale"](2).apply(-1) == -2
    def test_private(): assert Scale(5)._raw == 5
    def test_recognized(): assert issubclass(Scale, _Base) and isinstance(Scale(), _Base)
    def test_unrelated(): assert len("abc") == 3
    @pytest.mark.parametrize("built", [True, False])
    def test_sometimes(built): assert not built or Scale().apply(0) == 0
"""
FILES = """
    [shelf]
    module = "shelf_tests"
    [shelf.swap]
    "shelf.Scale" = "ours.Scale"
    [shelf.recognize]
    "shelf._Base" = ["ours.Scale"]
"""


def entry(test, kind="difference"):
    reason = "Negative numbers are folded on purpose."
    return f'[[exception]]\nfile = "shelf"\ntest = "{test}"\nkind = "{kind}"\nreason = "{reason}"\n'


@pytest.fixture
def run_shelf(tmp_path, monkeypatch):
    sources = {"shelf.py": SHELF, "ours.py": OURS, "shelf_tests.py": TESTS, "files.toml": FILES}
    for name, text in sources.items():
        (tmp_path / name).write_text(textwrap.dedent(text))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")

    def run(*entries):
        head = 'written_for = "1"\n' + ("" if entries else "exception = []\n")
        (tmp_path / "exceptions.toml").write_text(head + "\n".join(entries))
        return child.run(table.load(tmp_path).files["shelf"], tmp_path)

    return run


def test_complete_list_of_exceptions_succeeds_and_counts_use_of_our_class(run_shelf):
    code, output, record = run_shelf(entry("test_neg*"), entry("test_private", "private"))
    assert code == 0, output
    outcomes = {name: (test["outcome"], test["ours"]) for name, test in record["tests"].items()}
    assert outcomes == {
        "test_positive": ("passed", True),
        "test_fixture": ("passed", True),
        "test_through_module": ("passed", True),
        "test_negative": ("listed", True),
        "test_private": ("listed", True),
        "test_recognized": ("passed", True),
        "test_sometimes[True]": ("passed", True),
        "test_sometimes[False]": ("passed", False),
    }


def test_unlisted_failure_and_stale_or_false_entries_fail_the_run(run_shelf):
    entries = [entry("test_positive"), entry("test_gone"), entry("test_negative", "private")]
    code, output, record = run_shelf(*entries)
    assert code != 0
    failed = {name for name, test in record["tests"].items() if test["outcome"] == "failed"}
    assert failed == {"test_positive", "test_private"}
    assert "[XPASS(strict)]" in output
    assert record["problems"] == [
        "wrong exception: test_negative names nothing private",
        "stale exception: test_gone matches no test of shelf_tests",
    ]


def test_table_names_the_faulty_entry(tmp_path):
    (tmp_path / "files.toml").write_text(textwrap.dedent(FILES))
    (tmp_path / "exceptions.toml").write_text('written_for = "1"\n' + entry("test_x", "whim"))
    with pytest.raises(ValueError, match=r"test_x: kind must be one of .* got 'whim'"):
        table.load(tmp_path)
