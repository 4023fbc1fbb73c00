"""The race of candidates on the learning rows: who enters, where evaluations run, who leaves, who wins."""
