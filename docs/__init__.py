"""Pages for users; ``docs.pages`` has the programs that write some of them."""
