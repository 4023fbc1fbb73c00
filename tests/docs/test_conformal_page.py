"""The page of conformal prediction is what the gate gives."""

from docs.pages import conformal


def test_page_is_up_to_date():
    """All parts but the times are made again and must be equal."""
    text = conformal.PAGE.read_text(encoding="utf-8")
    assert conformal.HEAD.strip() in text
    assert conformal.split_section() in text
    assert conformal.cross_section() in text
    assert conformal.guard_section() in text
    assert conformal.mutants_section() in text
