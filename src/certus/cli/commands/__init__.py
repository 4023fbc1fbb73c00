"""One module per command, each with a function ``command``; loaded when it is called."""
