"""Print the two commands that README.md promises to a new user, one per line.

They are taken out of its fenced blocks. Fails unless the install commands there are exactly those two: whatever
the README tells people to type is what gets tested.
"""

import re
import sys
from pathlib import Path

PROMISED = ("pip install . && certus study", "pip install '.[test]' && pytest")


def fenced_lines(text: str) -> list[str]:
    """The lines inside ``` fences, without a prompt sign and without a comment behind the command."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if not fence and mark:
            fence = mark[1]
        elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif fence:
            lines.append(re.sub(r"\s+#.*$", "", re.sub(r"^\s*(\$\s+)?", "", line)).rstrip())
    if fence:
        sys.exit("README.md: a fenced block is never closed")
    return lines


def main() -> None:
    readme = Path(sys.argv[1] if len(sys.argv) > 1 else "README.md")
    found = tuple(line for line in fenced_lines(readme.read_text(encoding="utf-8")) if "pip install" in line)
    if found != PROMISED:
        sys.exit(f"README.md: the fenced install commands must be {PROMISED}, found {found}")
    print("\n".join(found))


if __name__ == "__main__":
    main()
