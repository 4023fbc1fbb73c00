"""The page of conformal prediction is what the gate gives."""

from tests.guarantees import write_conformal_page


def test_page_is_up_to_date():
    """All parts but the times are made again and must be equal."""
    text = write_conformal_page.PAGE.read_text(encoding="utf-8")
    assert write_conformal_page.HEAD.strip() in text
    assert write_conformal_page.split_section() in text
    assert write_conformal_page.cross_section() in text
    assert write_conformal_page.guard_section() in text
    assert write_conformal_page.mutants_section() in text
