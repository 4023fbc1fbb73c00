"""What the learners share: the protocol of a stream, how its rows are read, what is kept along it."""
