"""The page about scikit-learn's own tests lists every exception."""

from docs.pages import upstream_tests
from tests.upstream.upstream_runner import table


def test_every_exception_is_documented():
    assert upstream_tests.exceptions(table.load()) in upstream_tests.PAGE.read_text(encoding="utf-8")
