"""The command line: ``certus COMMAND``. Results on stdout, messages on stderr, exit codes 0, 1 and 2."""
