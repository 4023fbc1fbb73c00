"""The six steps of a study, each a function of what is known so far."""
