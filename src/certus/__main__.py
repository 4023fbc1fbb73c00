"""``python -m certus`` is the command line."""

from certus.cli.app import main

if __name__ == "__main__":
    main()
