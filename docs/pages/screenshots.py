"""Pictures of a study's report in docs/images, by headless chromium: python -m docs.pages.screenshots.

The report of the built-in table is drawn as a computer (1280 pixels wide) and as a telephone (390) show it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import certus

FOLDER = Path(__file__).parents[1] / "images"
SCREENS = {"report-1280.png": (1280, 1000), "report-390.png": (390, 1400)}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SECONDS = 120


def browser() -> str | None:
    """The first of the browsers that is installed."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def draw(page: Path, picture: Path, size: tuple[int, int]) -> None:
    """The top of a page, as wide and as high as a screen."""
    _run(f"--window-size={size[0]},{size[1]}", "--hide-scrollbars", f"--screenshot={picture}", page.as_uri())


def printed_pages(page: Path) -> int:
    """How many sheets of paper a page takes."""
    with tempfile.TemporaryDirectory() as folder:
        paper = Path(folder) / "report.pdf"
        _run("--no-pdf-header-footer", f"--print-to-pdf={paper}", page.as_uri())
        return len(re.findall(rb"/Type\s*/Page[^s]", paper.read_bytes()))


def overhang(page: Path, width: int) -> int:
    """By how many pixels the widest table of a page is wider than its place on a screen."""
    asked = "Math.max(0,...[...document.querySelectorAll('.wide')].map(e=>e.scrollWidth-e.clientWidth))"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "measured.html"
        script = f"<script>document.title = {asked}</script></body>"
        copy.write_text(page.read_text(encoding="utf-8").replace("</body>", script), encoding="utf-8")
        dumped = _run(f"--window-size={width},1000", "--dump-dom", copy.as_uri())
    (found,) = re.findall(rb"<title>(\d+)</title>", dumped)
    return int(found)


def _run(*arguments: str) -> bytes:
    found = browser()
    if found is None:
        raise RuntimeError(f"a browser is needed, one of {', '.join(BROWSERS)}.")
    fixed = ("--headless", "--no-sandbox", "--disable-gpu")
    return subprocess.run([found, *fixed, *arguments], check=True, capture_output=True, timeout=_SECONDS).stdout


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        report = certus.study(trials=12).save(Path(folder) / "study") / "report.html"
        for name, size in SCREENS.items():
            draw(report, FOLDER / name, size)
