"""``python -m certus`` and ``certus`` are the command line."""

import os
import sys
from pathlib import Path

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; whoever stops it while it is still being imported sees no traceback either."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started this: the work is done all the same
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    try:
        from certus.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
